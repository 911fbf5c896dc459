// A check of a conformance context, with the statements of docs/spec that it proves, and its
// runner.

import type { StatementNumber } from './statements.ts';

export interface Check<Context> {
  readonly name: string;
  readonly proves: readonly StatementNumber[];
  /** Throws where the service does otherwise; the message says what was expected. */
  run(context: Context): Promise<void>;
}

export interface Outcome<Context> {
  readonly check: Check<Context>;
  /** Why it failed; undefined: it passed. */
  readonly failure: string | undefined;
}

export interface RunOptions<Context> {
  /** What a check is given; asked for each check anew. */
  openScriptedService(): Context;
  /** Told of each outcome as soon as it is known. */
  onOutcome(outcome: Outcome<Context>): void;
  /** How many checks may run at the same time; 1: one after the other. */
  readonly atOnceMax: number;
}

/** Runs the checks against a service; returns their outcomes in the order of the checks. */
export async function runChecks<Context>(
  checks: readonly Check<Context>[],
  { openScriptedService, onOutcome, atOnceMax }: RunOptions<Context>,
): Promise<readonly Outcome<Context>[]> {
  const outcomes = new Map<number, Outcome<Context>>();
  const waiting = checks.entries();
  const work = async () => {
    for (const [place, check] of waiting) {
      const outcome = { check, failure: await failureOf(check, openScriptedService) };
      outcomes.set(place, outcome);
      onOutcome(outcome);
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnceMax, checks.length) }, work));
  return [...outcomes].sort(([a], [b]) => a - b).map(([, outcome]) => outcome);
}

async function failureOf<Context>(
  check: Check<Context>,
  openScriptedService: () => Context,
): Promise<string | undefined> {
  try {
    await check.run(openScriptedService());
    return undefined;
  } catch (thrown) {
    return thrown instanceof Error ? thrown.message : String(thrown);
  }
}
