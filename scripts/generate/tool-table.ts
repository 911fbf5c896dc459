// The tool table of docs/tools.md, one part per toolset.

import type { Tool } from '../../src/mcp/tool.ts';
import { aligned } from './markdown-table.ts';

const begin = '<!-- tools:begin -->';
const end = '<!-- tools:end -->';

/** docs/tools.md with a fresh table between its marks. Fails the run where a mark is missing. */
export function withToolTable(page: string, tools: readonly Tool[]): string {
  const from = page.indexOf(begin);
  const to = page.indexOf(end);
  if (from === -1 || to < from) {
    process.stderr.write(`docs/tools.md lacks the marks ${begin} and ${end}: no table written.\n`);
    process.exitCode = 1;
    return page;
  }
  const table = toolTable(tools);
  return `${page.slice(0, from + begin.length)}\n\n${table}\n\n${page.slice(to)}`;
}

function toolTable(tools: readonly Tool[]): string {
  const toolsets = [...new Set(tools.map(({ toolset }) => toolset))];
  const rows = toolsets.flatMap((toolset) => [
    [`**${toolset}**`, '', ''],
    ...tools.filter((tool) => tool.toolset === toolset).map(cells),
  ]);
  return aligned([['Tool', 'What it is for', 'Effect'], ...rows]);
}

function cells({ name, title, effect, recoverable }: Tool): readonly string[] {
  const words = effect === 'removes' && recoverable ? 'removes, can be undone' : effect;
  return [`\`${name}\``, title.replaceAll('|', '\\|'), words];
}
