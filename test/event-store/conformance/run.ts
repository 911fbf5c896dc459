// Runs the checks of a profile against a service, one after the other.

import { randomBytes } from 'node:crypto';
import type { Check, Kit } from './check.ts';
import { createClient } from './client.ts';
import type { Cloud } from './cloud.ts';

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

export async function runChecks(
  checks: readonly Check[],
  target: Target,
  onOutcome: (outcome: Outcome) => void,
): Promise<readonly Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const check of checks) {
    const outcome = { check, failure: await failureOf(check, target) };
    outcomes.push(outcome);
    onOutcome(outcome);
  }
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
