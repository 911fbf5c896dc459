// What a conformance kit says of a run and of its sentences, as lines of text.

import type { Check, Outcome } from './check.ts';
import type { Sentence } from './sentence.ts';

/** A check that passed or failed, and why. */
export function describeOutcome<Kit>({ check, failure }: Outcome<Kit>): string {
  const head = `${failure === undefined ? 'passed' : 'FAILED'}  ${check.name}`;
  const why = failure === undefined ? '' : `\n${failure.replaceAll(/^/gm, '          ')}`;
  return `${head}  [${check.proves.join(' ')}]${why}`;
}

/** How many checks and sentences hold. */
export function describeRun<Kit>(
  outcomes: readonly Outcome<Kit>[],
  allSentences: readonly Sentence[],
): string {
  const failed = outcomes.filter(({ failure }) => failure !== undefined);
  const tried = new Set(outcomes.flatMap(({ check }) => check.proves));
  const broken = new Set(failed.flatMap(({ check }) => check.proves));
  const sentences = allSentences.filter(({ number }) => tried.has(number)).length;
  return [
    `${outcomes.length - failed.length} passed, ${failed.length} failed.`,
    `${sentences} of ${allSentences.length} sentences were tried, ${broken.size} do not hold.`,
  ].join('\n');
}

/** Every sentence of the document with the checks that prove it, one per line. */
export function describeSentences<Kit>(
  allSentences: readonly Sentence[],
  checks: Readonly<Record<string, readonly Check<Kit>[]>>,
): string {
  const all = Object.entries(checks).flatMap(([profile, list]) =>
    list.map((check) => ({ profile, check })),
  );
  const line = ({ number, section, words }: Sentence) => {
    const proofs = all.filter(({ check }) => check.proves.includes(number));
    const named = proofs.map(({ profile, check }) => `${profile}: ${check.name}`).join('; ');
    return `${number}\t${section}\t${words}\t${named}`;
  };
  return allSentences.map(line).join('\n');
}
