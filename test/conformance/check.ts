// What a check of any conformance kit is: which sentences of a document it proves, and how.

export interface Check<Kit, SentenceNumber extends string = string> {
  readonly name: string;
  readonly proves: readonly SentenceNumber[];
  /** Throws where the service does otherwise; the message says what was expected. */
  run(kit: Kit): Promise<void>;
}

export interface Outcome<Kit, SentenceNumber extends string = string> {
  readonly check: Check<Kit, SentenceNumber>;
  /** Why it failed; undefined: it passed. */
  readonly failure: string | undefined;
}

export interface RunOptions<Kit, SentenceNumber extends string> {
  /** What a check is given; asked for each check anew. */
  openKit(): Kit;
  /** Told of each outcome as soon as it is known. */
  onOutcome(outcome: Outcome<Kit, SentenceNumber>): void;
  /** How many checks may run at the same time; 1: one after the other. */
  readonly atOnceMax: number;
}

/** Runs the checks against a service; returns their outcomes in the order of the checks. */
export async function runChecks<Kit, SentenceNumber extends string>(
  checks: readonly Check<Kit, SentenceNumber>[],
  { openKit, onOutcome, atOnceMax }: RunOptions<Kit, SentenceNumber>,
): Promise<readonly Outcome<Kit, SentenceNumber>[]> {
  const outcomes = new Map<number, Outcome<Kit, SentenceNumber>>();
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
