// The least that an MCP server over stdio can cost: Node, a line reader and 80 ready tools.

import { createInterface } from 'node:readline';

const description = 'Answers with the row of the given name, its parts and when it was changed.';
const inputSchema = { type: 'object', properties: { name: { type: 'string', description } } };
const names = Array.from({ length: 80 }, (_, index) => `family_verb_${index}`);
const tools = names.map((name) => ({ name, title: name, description, inputSchema }));

const results = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: 'minimal-server', version: '1.0.0' },
  }),
  'tools/list': () => ({ tools }),
};

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  process.stdout.write(
    `${JSON.stringify({ jsonrpc: '2.0', id, result: results[method](params) })}\n`,
  );
});
