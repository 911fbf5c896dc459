// `fovea http`: messages of the Model Context Protocol, from somebody who has signed in.

import list from '../../tools/list.json' with { type: 'json' };
import { type Attack, single, type Target } from './attack.ts';
import { manyMembers, nested, repeated } from './dense-bodies.ts';
import { json, type Request } from './raw-request.ts';

const headers = {
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
};

const message = (body: unknown, more: Readonly<Record<string, string>> = {}): Request => ({
  ...json('/mcp', body),
  headers: { ...headers, ...more },
});

const call = (name: string, args: unknown, id: unknown = 1) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, arguments: args },
});

/** The text of a call, whose arguments are text already. */
const rawCall = (name: string, args: string) =>
  JSON.stringify(call(name, 'here')).replace('"here"', args);

function many(name: string, count: number, make: (at: number) => Request): Attack {
  return {
    name: `mcp: ${name}`,
    target: 'http',
    restarts: true,
    prepare: async (target: Target) => () =>
      Promise.all(repeated(count, (at) => target.send(make(at)))),
  };
}

/** Each tool with a list of nothing in each of its arguments. */
const eachTool: readonly Attack[] = list.map(({ name, inputSchema }) => {
  const names = Object.keys(Object(inputSchema).properties ?? {});
  return {
    name: `mcp: ${name} with 9,000 elements in each argument`,
    target: 'http',
    slow: true,
    prepare: async (target: Target) => {
      const each = Math.floor(9_000 / Math.max(1, names.length));
      const args = Object.fromEntries(names.map((one) => [one, repeated(each, () => 0)]));
      const request = message(call(name, args));
      return () => target.send(request);
    },
  };
});

export const mcpAttacks: readonly Attack[] = [
  single('http', 'mcp: a batch of 10,000 messages', () =>
    message(repeated(10_000, (id) => ({ jsonrpc: '2.0', id, method: 'ping' }))),
  ),
  single('http', 'mcp: a batch of 500 calls', () =>
    message(repeated(500, (id) => call('projects_get', { project: 'a' }, id))),
  ),
  single('http', 'mcp: 1 MB of brackets', () => message(nested(500_000))),
  single('http', 'mcp: 500,000 brackets in arguments', () =>
    message(rawCall('projects_get', nested(400_000))),
  ),
  single('http', 'mcp: 90,000 unknown arguments', () =>
    message(rawCall('projects_get', manyMembers(90_000))),
  ),
  single('http', 'mcp: 9,000 names near to a known one', () =>
    message(rawCall('projects_create', manyMembers(9_000, 'annotatio'))),
  ),
  single('http', 'mcp: an argument of 900 KB', () =>
    message(call('workspace_search', { query: 'a* '.repeat(300_000) })),
  ),
  single('http', 'mcp: a tool name of 900 KB', () => message(call('a'.repeat(900_000), {}))),
  ...['folders_delete.folderId', 'api_keys_revoke.keyId'].map((at) => {
    const [tool = '', id = ''] = at.split('.');
    return single('http', `mcp: ${tool} of an id with 400,000 blanks`, () =>
      message(call(tool, { [id]: `a${' '.repeat(400_000)}b`, confirm: 'x' })),
    );
  }),
  single('http', 'mcp: a body of 20 MB', () => message(`"${'a'.repeat(20_000_000)}"`)),
  single('http', 'mcp: JSON in an argument, 900 KB', () =>
    message(call('images_delete', { project: 'a', images: `[${'0,'.repeat(440_000)}0]` })),
  ),
  many('400 calls at once', 400, (id) => message(call('workspace_get', {}, id))),
  many('200 garbage tokens', 200, (at) => ({
    ...message({ jsonrpc: '2.0', id: 1, method: 'ping' }),
    key: `garbage-${at}`,
  })),
  many('200 sessions', 200, (at) =>
    message(
      { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} },
      { 'mcp-session-id': `session-${at}`, 'last-event-id': 'a'.repeat(1_000) },
    ),
  ),
  ...eachTool,
];
