// The comparisons as one table in Markdown, a row for each step, and what is beyond its tolerance.

import type { Difference } from './image-difference.ts';
import type { Step } from './step.ts';

export interface Measured {
  readonly step: Step;
  /** Picture and parameters. */
  readonly where: string;
  /** Words: why there is nothing to compare. */
  readonly result: Difference | string;
}

export function formatReport(all: readonly Measured[]): { table: string; short: string[] } {
  const steps = [...new Set(all.map(({ step }) => step))];
  const rows = steps.map((step) =>
    formatRow(
      step,
      all.filter((one) => one.step === step),
    ),
  );
  const header = ['Step', 'Reference', 'Cases', 'Most', 'Mean', 'Tolerance', 'Pixels beyond'];
  return { table: formatTable([header, ...rows]), short: all.flatMap(shortOf) };
}

function formatRow(step: Step, measured: readonly Measured[]): readonly string[] {
  const differences = measured.flatMap(({ result }) => (typeof result === 'string' ? [] : result));
  const most = Math.max(...differences.map((difference) => difference.most));
  const mean = differences.reduce((sum, difference) => sum + difference.mean, 0);
  const beyond = Math.max(...differences.map(({ shareBeyond }) => shareBeyond));
  const allowed = step.shareMax === 0 ? '' : ` (at most ${percent(step.shareMax)})`;
  return [
    step.name,
    step.reference,
    String(measured.length),
    String(most),
    (mean / differences.length).toFixed(3),
    String(step.tolerance),
    `${percent(beyond)}${allowed}`,
  ];
}

/** A sentence where a comparison failed. */
function shortOf({ step, where, result }: Measured): readonly string[] {
  if (typeof result === 'string') return [`FAILED: ${step.name} on ${where}: ${result}.`];
  const { most, shareBeyond } = result;
  if (shareBeyond <= step.shareMax) return [];
  const share = `${percent(shareBeyond)} of the pixels are off by more than ${step.tolerance}`;
  return [`BEYOND: ${step.name} on ${where}: off by up to ${most}, ${share}.`];
}

function percent(share: number): string {
  return `${Math.ceil(share * 10_000) / 100} %`;
}

function formatTable(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  );
  const rule = widths.map((width) => '-'.repeat(width));
  const [header = [], ...others] = rows.map((row) =>
    row.map((cell, column) => cell.padEnd(widths[column] ?? 0)),
  );
  return [header, rule, ...others].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}
