// The tool table of the README, one part per family.

import type { Tool } from '../../src/mcp/tool.ts';
import { aligned } from './markdown-table.ts';

const begin = '<!-- tools:begin -->';
const end = '<!-- tools:end -->';

/** The README with a fresh table between its two marks. Throws where a mark is missing. */
export function withToolTable(readme: string, tools: readonly Tool[]): string {
  const from = readme.indexOf(begin);
  const to = readme.indexOf(end);
  if (from === -1 || to < from) {
    process.stderr.write(`README.md lacks the marks ${begin} and ${end}: no table written.\n`);
    process.exitCode = 1;
    return readme;
  }
  const table = toolTable(tools);
  return `${readme.slice(0, from + begin.length)}\n\n${table}\n\n${readme.slice(to)}`;
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
