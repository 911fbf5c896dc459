// The table of rounds, a row at a time, each followed by what is wrong.

import type { RoundResult } from './rounds.ts';

const columns = [
  ...['round', 'answered', '503', 'cut', 'slowest, s', 'recovery, s', 'swept'],
  ...['seconds', 'verdict', 'faults'],
];
const widths = [5, 8, 5, 5, 10, 11, 5, 7, 7] as const;

export const heading = row(columns);

export function formatRound(result: RoundResult): string {
  const { round, acknowledged, unavailable, cut, swept, problems, faults } = result;
  const times = [result.slowestMs, result.recoveryMs].map((ms) => (ms / 1000).toFixed(1));
  const counts = [round, acknowledged, unavailable, cut].map(String);
  const figures = [...counts, ...times, String(swept), result.seconds.toFixed(0)];
  const verdict = problems.length === 0 ? 'pass' : 'FAIL';
  const shown = problems.slice(0, shownMax).map((problem) => `  ${problem}`);
  const more = problems.length > shownMax ? [`  and ${problems.length - shownMax} more`] : [];
  return [row([...figures, verdict, faults.join(', ')]), ...shown, ...more].join('\n');
}

const shownMax = 10;

function row(cells: readonly string[]): string {
  return cells.map((cell, place) => cell.padStart(widths[place] ?? 0)).join('  ');
}
