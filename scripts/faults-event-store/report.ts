// The table of all trials, and what speaks against passing.

import type { Result } from './trial.ts';

/** A trial that must lose something: else the trials beside it prove nothing. */
export interface PlatformWithAccounts extends Result {
  readonly isControl?: boolean;
}

/** The faults of a result, as sentences; empty: it passes. */
export function problemsOf(result: PlatformWithAccounts): readonly string[] {
  const { findings, failures, wrongAnswers, isControl = false } = result;
  const { lost, torn, ghosts, stray } = findings;
  if (isControl) {
    const isBlind = lost.length + torn.length === 0;
    return [...(isBlind ? ['the control lost nothing: the trials are blind'] : []), ...failures];
  }
  return [
    ...said('lost', lost),
    ...said('torn', torn),
    ...said('refused, but there', ghosts),
    ...said('stray', stray),
    ...said('wrong answer', wrongAnswers),
    ...failures,
  ];
}

function said(what: string, findings: readonly string[]): readonly string[] {
  const shown = findings.slice(0, shownMax).map((finding) => `${what}: ${finding}`);
  const more = findings.length - shown.length;
  return more > 0 ? [...shown, `${what}: ${more} more`] : shown;
}

const shownMax = 10;

export function formatTable(results: readonly PlatformWithAccounts[]): string {
  const head = ['trial', 'acknowledged', 'lost', 'torn', 'ghosts', 'stray', 'verdict', ''];
  const rows = results.map((result) => {
    const { name, acknowledged, findings, note, isControl } = result;
    const { lost, torn, ghosts, stray } = findings;
    const counts = [acknowledged, lost.length, torn.length, ghosts.length, stray.length];
    const passes = problemsOf(result).length === 0;
    const verdict = passes ? (isControl ? 'loses, as it must' : 'pass') : 'FAIL';
    return [name, ...counts.map(String), verdict, note];
  });
  const all = [head, ...rows];
  const widths = head.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
  return all
    .map((row) => row.map((cell, column) => pad(cell, widths[column] ?? 0, column)).join('  '))
    .map((line) => line.trimEnd())
    .join('\n');
}

/** Figures to the right. */
function pad(cell: string, width: number, column: number): string {
  return column > 0 && column < 6 ? cell.padStart(width) : cell.padEnd(width);
}
