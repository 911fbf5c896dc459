// What the attacks showed, as a table.

import { bounds, type Measured } from './measure-attack.ts';

export function formatRow(measured: Measured): string {
  const { name, statuses, pauseMs, peakBytes, problems, tries = 1 } = measured;
  const seen = [...statuses].map(([status, count]) => (count > 1 ? `${status} x${count}` : status));
  const row = [
    name.padEnd(64),
    seen.join(' ').padEnd(16),
    `${Math.round(pauseMs)} ms`.padStart(9),
    `${Math.round(peakBytes / 2 ** 20)} MB`.padStart(9),
  ];
  const again = tries > 1 ? ` (${tries} tries)` : '';
  return `${row.join('  ')}  ${problems.length === 0 ? 'ok' : `FAILS: ${problems.join('; ')}`}${again}`;
}

export const tableHead = [
  'attack'.padEnd(64),
  'answers'.padEnd(16),
  `<${bounds.pauseMsMax} ms`.padStart(9),
  `<${bounds.peakBytesMax / 2 ** 20} MB`.padStart(9),
].join('  ');
