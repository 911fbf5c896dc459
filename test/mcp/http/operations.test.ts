// Scopes over HTTP in the compact profile: what a call reaches decides, not the tool it goes by.

import { beforeEach, expect, test } from 'vitest';
import * as z from 'zod';
import { type Tool, tool } from '../../../src/mcp/tool.ts';
import { callMessage, messagesOf, startTestMcpHttp } from '../../fixtures/mcp-http-server.ts';

const runs: string[] = [];

beforeEach(() => {
  runs.length = 0;
});

/** A tool that leaves a mark when it runs. */
function marked(name: string, scope: Tool['scope'], effect: Tool['effect']): Tool {
  return tool({
    name,
    scope,
    effect,
    toolset: 'projects',
    title: name,
    description: 'For tests.',
    recoverable: false,
    idempotent: true,
    openWorld: false,
    usesFiles: false,
    input: z.strictObject({}),
    run: async () => {
      runs.push(name);
      return { summary: 'Ran.', data: {} };
    },
  });
}

const tools = [
  marked('projects_get', 'project:read', 'reads'),
  marked('projects_look', 'project:read', 'reads'),
  marked('projects_change', 'project:update', 'changes'),
  marked('projects_remove', 'folder:delete', 'removes'),
];

async function start(...scopes: string[]) {
  const server = await startTestMcpHttp({ tools, settings: { toolProfile: 'compact' } });
  const token = server.grant({ scopes: new Set(['openid', ...scopes]) });
  return {
    call: (name: string, args: unknown) => server.post(token, callMessage(name, args)),
    post: (body: unknown) => server.post(token, body),
  };
}

test.each([
  ['operations_write', 'projects_change', 'project:update'],
  ['operations_delete', 'projects_remove', 'folder:delete'],
])('%s needs the scope of what it reaches', async (name, operation, scope) => {
  const { call } = await start('project:read');
  for (const args of [
    { operation },
    { operation, arguments: {} },
    { operation, arguments: '{}' },
    { arguments: { operation: 'projects_look' }, operation },
  ]) {
    const response = await call(name, args);
    expect(response.status).toBe(403);
    const challenge = response.headers.get('www-authenticate');
    expect(challenge).toContain(`error="insufficient_scope", scope="openid project:read ${scope}"`);
  }
  expect(runs).toEqual([]);
});

test('with the scope, it runs', async () => {
  const { call } = await start('project:read', 'project:update', 'folder:delete');
  for (const [name, operation] of [
    ['operations_read', 'projects_look'],
    ['operations_write', 'projects_change'],
    ['operations_delete', 'projects_remove'],
  ] as const) {
    const [message] = await messagesOf(await call(name, { operation }));
    expect(message).toMatchObject({ result: { structuredContent: { summary: 'Ran.' } } });
  }
  expect(runs).toEqual(['projects_look', 'projects_change', 'projects_remove']);
});

test.each([
  ['operations_write', {}],
  ['operations_write', undefined],
  ['operations_write', { operation: 7 }],
  ['operations_write', { operation: null }],
  ['operations_write', { operation: ['projects_change'] }],
  ['operations_write', { operation: { toString: 'projects_change' } }],
  ['operations_write', { operation: 'nothing' }],
  ['operations_write', { operation: 'Projects_Change' }],
  ['operations_write', { operation: 'projects_change ' }],
  [
    'operations_write',
    { operation: 'operations_write', arguments: { operation: 'projects_change' } },
  ],
  ['operations_write', { Operation: 'projects_change', arguments: {} }],
  ['operations_write', { operation: 'projects_change', arguments: [] }],
  ['operations_write', { operation: 'projects_change', operation_: 'projects_look' }],
  // By another effect: a host may let this one through without asking.
  ['operations_read', { operation: 'projects_change' }],
  ['operations_write', { operation: 'projects_remove' }],
  ['operations_delete', { operation: 'projects_change' }],
  // By a name that no list shows.
  ['projects_change', {}],
  ['projects_remove', {}],
  ['operations_find', { query: 'projects_change', operation: 'projects_change' }],
])('%s %j runs nothing, whatever the token allows', async (name, args) => {
  for (const scopes of [['project:read'], ['project:read', 'project:update', 'folder:delete']]) {
    const { call } = await start(...scopes);
    const response = await call(name, args);
    if (response.status === 403) continue;
    const [message] = await messagesOf(response);
    const refused = z.object({ result: z.object({ isError: z.literal(true) }) });
    expect(refused.safeParse(message).success || message?.error !== undefined).toBe(true);
  }
  expect(runs).toEqual([]);
});

test('one call of a batch that lacks its scope refuses the batch', async () => {
  const { post } = await start('project:read');
  const response = await post([
    callMessage('operations_read', { operation: 'projects_look' }, 1),
    callMessage('operations_write', { operation: 'projects_change' }, 2),
  ]);
  expect(response.status).toBe(403);
  expect(runs).toEqual([]);
});

test('finding needs no scope, and finds what the caller may be refused', async () => {
  const { call } = await start();
  const [message] = await messagesOf(await call('operations_find', { query: 'change' }));
  expect(message).toMatchObject({
    result: { structuredContent: { operations: [{ operation: 'projects_change' }] } },
  });
});

test('a resource needs the scope of the tool that reads it, a listed one or not', async () => {
  const read = { jsonrpc: '2.0', id: 1, method: 'resources/read' };
  const { post } = await start();
  const response = await post({ ...read, params: { uri: 'fovea://projects/cells' } });
  expect(response.status).toBe(403);
  expect(response.headers.get('www-authenticate')).toContain('project:read');
  expect(runs).toEqual([]);
});

test('in the full profile the four are unknown, and reach nothing', async () => {
  const server = await startTestMcpHttp({ tools });
  const token = server.grant({ scopes: new Set(['openid', 'project:update']) });
  const call = callMessage('operations_write', { operation: 'projects_change' });
  const [message] = await messagesOf(await server.post(token, call));
  expect(message).toMatchObject({ error: { code: -32_602 } });
  expect(runs).toEqual([]);
});
