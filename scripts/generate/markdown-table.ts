// Tables of Markdown.

/** Columns of equal width, as the formatter wants them. */
export function aligned([head = [], ...rows]: readonly (readonly string[])[]): string {
  const widths = head.map((_, column) =>
    Math.max(...[head, ...rows].map((row) => row[column]?.length ?? 0)),
  );
  const line = (row: readonly string[]) =>
    `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  const rule = widths.map((width) => '-'.repeat(width));
  return [line(head), line(rule), ...rows.map(line)].join('\n');
}
