// The day as a table: a row for each method and each command, with its worst outcome; and the page
// of docs that has it.

import { readFile, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Comparison } from './compare.ts';
import type { Row } from './run-day.ts';

const page = resolve(import.meta.dirname, '../../docs/python.md');
const words: Readonly<Record<Row['outcome'], string>> = {
  works: 'works',
  refused: 'refused',
  client: "client's fault",
  absent: 'not in our API',
  outside: 'not run',
  FAILED: 'FAILED',
};

/** From the worst to the best. */
const order: readonly Row['outcome'][] = [
  ...(['FAILED', 'absent', 'client', 'outside'] as const),
  ...(['refused', 'works'] as const),
];

/** Markdown: methods, then commands, each in the order of their names. */
export function tableOf(rows: readonly Row[]): string {
  const parts = [
    ['method', 'Method'],
    ['command', 'Command'],
  ] as const;
  return parts
    .map(([surface, title]) => {
      const own = rows.filter((row) => row.surface === surface);
      const byName = [...Map.groupBy(own, ({ name }) => name)].sort(([a], [b]) => (a < b ? -1 : 1));
      const lines = byName.map(([name, steps]) => lineOf(name, steps));
      return aligned([[title, 'Outcome', 'Note'], ...lines]);
    })
    .join('\n\n');
}

function lineOf(name: string, steps: readonly Row[]): readonly string[] {
  const outcome = order.find((one) => steps.some((step) => step.outcome === one)) ?? 'FAILED';
  const of = steps.filter((step) => step.outcome === outcome);
  const note = outcome === 'works' ? kindsOf(steps) : (of[0]?.detail ?? '');
  return [`\`${name}\``, words[outcome], outcome === 'FAILED' ? 'see the output' : note];
}

function kindsOf(steps: readonly Row[]): string {
  return [...new Set(steps.map(({ kind }) => kind).filter(Boolean))].join('; ');
}

function aligned(rows: readonly (readonly string[])[]): string {
  const widths = [0, 1, 2].map((at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)));
  const line = (row: readonly string[]) =>
    `| ${row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(' | ')} |`;
  const rule = `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`;
  const [head = [], ...body] = rows;
  return [line(head), rule, ...body.map(line)].join('\n');
}

/** Replaces the parts of the page that the command makes. */
export async function writePage(rows: readonly Row[], comparison: Comparison): Promise<void> {
  const text = await readFile(page, 'utf8');
  const withTable = replacePart(text, 'table', tableOf(rows));
  await writeFile(page, replacePart(withTable, 'comparison', figuresOf(comparison)));
}

function figuresOf({ rows, faults }: Comparison): string {
  const same = rows.filter(({ isSame }) => isSame).length;
  const reasons = new Set(rows.flatMap(({ reason }) => reason ?? []));
  const explained = rows.length - same - faults.length;
  const unexplained = faults.length === 0 ? '' : `, ${faults.length} differ without a reason`;
  return [
    `Of ${rows.length} rows, ${same} are the same${unexplained}, and ${explained} differ for a reason:\n`,
    ...[...reasons].sort().map((reason) => `- ${reason}`),
  ].join('\n');
}

/** A part stands between two comments. Throws where the page has none of that name. */
function replacePart(text: string, name: string, content: string): string {
  const begin = `<!-- the ${name} of \`npm run clients -- --write\` begins -->`;
  const end = `<!-- the ${name} ends -->`;
  const [before, rest] = text.split(begin);
  const after = rest?.split(end)[1];
  if (before === undefined || after === undefined)
    throw new Error(`docs/python.md has no ${begin}`);
  return `${before}${begin}\n\n${content}\n\n${end}${after}`;
}
