// Prints what the tool list costs a model: tokens (cl100k) of name, description and input schema of
// each tool, of each list as a whole, and of the instructions. `--list NAME` chooses the tools that
// are printed one by one.

import { parseArgs } from 'node:util';
import { encode } from 'gpt-tokenizer/encoding/cl100k_base';
import list from '../tools/list.json' with { type: 'json' };
import { modelTokens } from './generate/model-tokens.ts';
import { toolLists } from './generate/tool-lists.ts';

const { values } = parseArgs({ options: { list: { type: 'string', default: 'default' } } });
const all = toolLists(list);
const chosen = all.find(({ name }) => name === values.list);

if (chosen === undefined) {
  process.stderr.write(`The lists are ${all.map(({ name }) => name).join(', ')}.\n`);
  process.exitCode = 1;
} else {
  const rows = chosen.tools.map((tool) => ({ name: tool.name, tokens: modelTokens([tool]) }));
  const lines = [
    ...rows.toSorted((a, b) => b.tokens - a.tokens).map(({ name, tokens }) => line(tokens, name)),
    '',
    ...all.map(({ name, tools, instructions }) => {
      const words = `${name}: ${tools.length} tools, and ${encode(instructions).length} instructions`;
      return line(modelTokens(tools), words);
    }),
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
}

function line(tokens: number, words: string): string {
  return `${String(tokens).padStart(7)}  ${words}`;
}
