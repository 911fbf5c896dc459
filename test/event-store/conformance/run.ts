// Runs the checks of a profile against a service.

import { randomBytes } from 'node:crypto';
import type { Check, Kit } from './check.ts';
import { checks } from './checks/index.ts';
import { createClient } from './client.ts';
import type { Cloud } from './cloud.ts';
import { isParallel, type ProfileName } from './profiles.ts';

export interface Target {
  readonly url: string;
  readonly key: string | undefined;
  readonly cloud: Cloud;
}

export interface Outcome {
  readonly check: Check;
  /** Why it failed; undefined: it passed. */
  readonly failure: string | undefined;
}

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
export async function runProfile(
  name: ProfileName,
  target: Target,
  onOutcome: (outcome: Outcome) => void,
): Promise<readonly Outcome[]> {
  const run = async (check: Check): Promise<Outcome> => {
    const outcome = { check, failure: await failureOf(check, target) };
    onOutcome(outcome);
    return outcome;
  };
  if (isParallel(name)) return Promise.all(checks[name].map(run));
  const outcomes: Outcome[] = [];
  for (const check of checks[name]) outcomes.push(await run(check));
  return outcomes;
}

async function failureOf(check: Check, target: Target): Promise<string | undefined> {
  try {
    await check.run(kitFor(target));
    return undefined;
  } catch (thrown) {
    return thrown instanceof Error ? thrown.message : String(thrown);
  }
}
