// Runs the checks of a profile against a service.

import { randomBytes } from 'node:crypto';
import { type Outcome as OutcomeOf, runChecks } from '../../conformance/check.ts';
import type { Kit } from './check.ts';
import { checks } from './checks/index.ts';
import { createClient } from './client.ts';
import type { Cloud } from './cloud.ts';
import { isParallel, type ProfileName } from './profiles.ts';

export interface Target {
  readonly url: string;
  readonly key: string | undefined;
  readonly cloud: Cloud;
}

export type Outcome = OutcomeOf<Kit>;

/** What a check of this service is given; each under a device id of its own. */
export function kitFor({ url, key, cloud }: Target): Kit {
  return {
    client: createClient(url, key),
    stranger: createClient(url),
    key,
    device: `conformance-${randomBytes(6).toString('hex')}`,
    cloud,
  };
}

/** Runs all checks of a profile, and tells each outcome as soon as it is known. */
export function runProfile(
  name: ProfileName,
  target: Target,
  onOutcome: (outcome: Outcome) => void,
): Promise<readonly Outcome[]> {
  return runChecks(checks[name], {
    openKit: () => kitFor(target),
    onOutcome,
    atOnceMax: isParallel(name) ? Number.POSITIVE_INFINITY : 1,
  });
}
