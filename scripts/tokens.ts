// Prints what the tool list costs a model: cl100k tokens of each tool's JSON, and of all.

import { encode } from 'gpt-tokenizer/encoding/cl100k_base';
import { wireTools } from '../src/mcp/create-server.ts';
import list from '../tools/list.json' with { type: 'json' };

const everything = {
  workspace: undefined,
  project: undefined,
  toolsets: undefined,
  readOnly: false,
  surface: 'full',
} as const;
const rows = wireTools(list, everything).map((tool) => ({
  name: tool.name,
  tokens: encode(JSON.stringify(tool)).length,
}));
const sum = rows.reduce((total, { tokens }) => total + tokens, 0);

for (const { name, tokens } of rows.toSorted((a, b) => b.tokens - a.tokens)) {
  process.stdout.write(`${String(tokens).padStart(7)}  ${name}\n`);
}
process.stdout.write(`${String(sum).padStart(7)}  all ${rows.length} tools\n`);
