// What the attacks showed, as a table.

import { bounds, type Measured } from './measure.ts';

export function formatRow({ name, statuses, pauseMs, peakBytes, problems }: Measured): string {
  const seen = [...statuses].map(([status, count]) => (count > 1 ? `${status} x${count}` : status));
  const row = [
    name.padEnd(64),
    seen.join(' ').padEnd(16),
    `${Math.round(pauseMs)} ms`.padStart(9),
    `${Math.round(peakBytes / 2 ** 20)} MB`.padStart(9),
  ];
  return `${row.join('  ')}  ${problems.length === 0 ? 'ok' : `FAILS: ${problems.join('; ')}`}`;
}

export const tableHead = [
  'attack'.padEnd(64),
  'answers'.padEnd(16),
  `<${bounds.pauseMsMax} ms`.padStart(9),
  `<${bounds.peakBytesMax / 2 ** 20} MB`.padStart(9),
].join('  ');
