// A check of a conformance kit, with the statements of docs/spec that it proves, and its runner.

import type { StatementNumber } from './statements.ts';

export interface Check<Kit> {
  readonly name: string;
  readonly proves: readonly StatementNumber[];
  /** Throws where the service does otherwise; the message says what was expected. */
  run(kit: Kit): Promise<void>;
}

export interface Outcome<Kit> {
  readonly check: Check<Kit>;
  /** Why it failed; undefined: it passed. */
  readonly failure: string | undefined;
}

export interface RunOptions<Kit> {
  /** What a check is given; asked for each check anew. */
  openKit(): Kit;
  /** Told of each outcome as soon as it is known. */
  onOutcome(outcome: Outcome<Kit>): void;
  /** How many checks may run at the same time; 1: one after the other. */
  readonly atOnceMax: number;
}

/** Runs the checks against a service; returns their outcomes in the order of the checks. */
export async function runChecks<Kit>(
  checks: readonly Check<Kit>[],
  { openKit, onOutcome, atOnceMax }: RunOptions<Kit>,
): Promise<readonly Outcome<Kit>[]> {
  const outcomes = new Map<number, Outcome<Kit>>();
  const waiting = checks.entries();
  const work = async () => {
    for (const [place, check] of waiting) {
      const outcome = { check, failure: await failureOf(check, openKit) };
      outcomes.set(place, outcome);
      onOutcome(outcome);
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnceMax, checks.length) }, work));
  return [...outcomes].sort(([a], [b]) => a - b).map(([, outcome]) => outcome);
}

async function failureOf<Kit>(check: Check<Kit>, openKit: () => Kit): Promise<string | undefined> {
  try {
    await check.run(openKit());
    return undefined;
  } catch (thrown) {
    return thrown instanceof Error ? thrown.message : String(thrown);
  }
}
