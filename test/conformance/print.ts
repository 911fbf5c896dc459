// What a conformance suite says of a run and of its statements, as lines of text.

import type { Check, Outcome } from './check.ts';
import type { Statement } from './statements.ts';

/** A check that passed or failed, and why. */
export function describeOutcome<Suite>({ check, failure }: Outcome<Suite>): string {
  const head = `${failure === undefined ? 'passed' : 'FAILED'}  ${check.name}`;
  const why = failure === undefined ? '' : `\n${failure.replaceAll(/^/gm, '          ')}`;
  return `${head}  [${check.proves.join(' ')}]${why}`;
}

/** How many checks and statements hold. */
export function describeRun<Suite>(
  outcomes: readonly Outcome<Suite>[],
  statements: readonly Statement[],
): string {
  const failed = outcomes.filter(({ failure }) => failure !== undefined);
  const tried = new Set<string>(outcomes.flatMap(({ check }) => check.proves));
  const broken = new Set(failed.flatMap(({ check }) => check.proves));
  const triedCount = statements.filter(({ number }) => tried.has(number)).length;
  return [
    `${outcomes.length - failed.length} passed, ${failed.length} failed.`,
    `${triedCount} of ${statements.length} statements were tried, ${broken.size} do not hold.`,
  ].join('\n');
}

/** Every statement of the specification with the checks that prove it, one per line. */
export function describeStatements<Suite>(
  statements: readonly Statement[],
  checks: Readonly<Record<string, readonly Check<Suite>[]>>,
): string {
  const all = Object.entries(checks).flatMap(([profile, list]) =>
    list.map((check) => ({ profile, check })),
  );
  const line = ({ number, section, words }: Statement) => {
    const proofs = all.filter(({ check }) => check.proves.some((proven) => proven === number));
    const named = proofs.map(({ profile, check }) => `${profile}: ${check.name}`).join('; ');
    return `${number}\t${section}\t${words}\t${named}`;
  };
  return statements.map(line).join('\n');
}
