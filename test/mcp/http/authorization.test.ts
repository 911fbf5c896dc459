// Who may enter, and what those are told who may not: 401, 403, metadata, Host and Origin.

import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { type Tool, tool } from '../../../src/mcp/tool.ts';
import {
  callMessage,
  issuer,
  listMessage,
  messagesOf,
  startTestMcpHttp,
} from '../../fixtures/mcp-http-server.ts';

const runs: string[] = [];

/** A tool that leaves a mark when it runs. */
function marked(name: string, scope: Tool['scope'], toolset: Tool['toolset'] = 'projects'): Tool {
  return tool({
    name,
    toolset,
    scope,
    title: name,
    description: 'Use this in tests.',
    effect: 'adds',
    recoverable: false,
    idempotent: false,
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
  marked('projects_read', 'project:read'),
  marked('projects_write', 'project:create'),
  marked('folders_write', 'folder:create'),
  marked('tasks_free', undefined),
];

const metadataOf = (mcp: string) =>
  mcp.replace(/\/mcp$/, '/.well-known/oauth-protected-resource/mcp');

test('without a token: 401 that says where to sign in, and asks for no error', async () => {
  const { mcp, asked, post } = await startTestMcpHttp({ tools });
  const response = await post(undefined, listMessage);
  expect(response.status).toBe(401);
  expect(response.headers.get('www-authenticate')).toBe(
    `Bearer scope="openid project:read project:create folder:create", resource_metadata="${metadataOf(mcp)}"`,
  );
  expect(response.headers.get('cache-control')).toBe('no-store');
  expect(await response.json()).toMatchObject({
    jsonrpc: '2.0',
    id: null,
    error: { code: -32_000, message: 'This server needs an access token.' },
  });
  expect(asked()).toBe(0);
});

test('the metadata of the resource is at both addresses', async () => {
  const { url, mcp } = await startTestMcpHttp({ tools });
  for (const path of ['/mcp', '']) {
    const response = await fetch(`${url}/.well-known/oauth-protected-resource${path}`);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toContain('application/json');
    expect(await response.json()).toEqual({
      resource: mcp,
      authorization_servers: [issuer],
      scopes_supported: ['openid', 'project:read', 'project:create', 'folder:create'],
      bearer_methods_supported: ['header'],
      resource_name: 'Fovea',
    });
  }
});

test.each([
  { why: 'unknown', changes: undefined },
  { why: 'ended', changes: { expiresAt: 1_000 } },
  { why: 'for the platform', changes: { audience: undefined } },
  { why: 'for the authorization server', changes: { audience: issuer } },
  { why: 'for another server', changes: { audience: 'https://other.example.com/mcp' } },
  { why: 'for a path below', changes: { audience: 'BELOW' } },
  { why: 'for the origin', changes: { audience: 'ORIGIN' } },
  { why: 'for no name', changes: { audience: '' } },
])('a token that is $why: 401, and nothing runs', async ({ changes }) => {
  const server = await startTestMcpHttp({ tools });
  const { mcp, url } = server;
  const places: Record<string, string> = { BELOW: `${mcp}/more`, ORIGIN: url };
  const audience = changes && 'audience' in changes ? changes.audience : mcp;
  const granted = { ...changes, audience: places[audience ?? ''] ?? audience };
  const token = changes === undefined ? 'never-made' : server.grant(granted);
  runs.length = 0;
  const response = await server.post(token, callMessage('projects_read'));
  expect(response.status).toBe(401);
  expect(response.headers.get('www-authenticate')).toBe(
    `Bearer error="invalid_token", scope="openid project:read project:create folder:create", resource_metadata="${metadataOf(mcp)}"`,
  );
  expect(await response.text()).not.toContain(token);
  expect(runs).toEqual([]);
});

test('a token whose audience was registered with a slash at its end is good', async () => {
  const server = await startTestMcpHttp({ tools });
  const token = server.grant({ audience: `${server.mcp}/` });
  expect((await server.post(token, listMessage)).status).toBe(200);
});

test.each([
  ['two headers', ['Bearer GOOD', 'Bearer GOOD']],
  ['another scheme', ['Basic GOOD']],
  ['no scheme', ['GOOD']],
  ['two tokens', ['Bearer GOOD GOOD']],
  ['a comma', ['Bearer GOOD,GOOD']],
  ['a quoted token', ['Bearer "GOOD"']],
  ['an empty token', ['Bearer ']],
])('a header with %s opens nothing, and nobody is asked', async (_why, values) => {
  const server = await startTestMcpHttp({ tools });
  const token = server.grant();
  const headers = values.map((value) => ['authorization', value.replaceAll('GOOD', token)]);
  const { status } = await raw(server.mcp, headers, listMessage);
  expect(status).toBe(401);
  expect(server.asked()).toBe(0);
});

test('a token in the address or the body is none', async () => {
  const server = await startTestMcpHttp({ tools });
  const token = server.grant();
  const inQuery = await raw(`${server.mcp}?access_token=${token}`, [], listMessage);
  const inBody = await raw(server.mcp, [], { ...listMessage, access_token: token });
  expect([inQuery.status, inBody.status]).toEqual([401, 401]);
  expect(server.asked()).toBe(0);
});

test('a call beyond the scopes: 403 with what was granted and what is missing', async () => {
  const server = await startTestMcpHttp({ tools });
  const token = server.grant({ scopes: new Set(['openid', 'project:read']) });
  runs.length = 0;
  const response = await server.post(token, callMessage('projects_write'));
  expect(response.status).toBe(403);
  expect(response.headers.get('www-authenticate')).toBe(
    `Bearer error="insufficient_scope", scope="openid project:read project:create", resource_metadata="${metadataOf(server.mcp)}"`,
  );
  expect(await response.json()).toMatchObject({ error: { data: { type: 'forbidden' } } });
  expect(runs).toEqual([]);
});

test('one call too far in a batch keeps all of it from running', async () => {
  const server = await startTestMcpHttp({ tools });
  const token = server.grant({ scopes: new Set(['openid', 'project:read']) });
  runs.length = 0;
  const names = ['projects_read', 'folders_write', 'tasks_free', 'projects_write'];
  const batch = names.map((name, id) => callMessage(name, {}, id));
  const response = await server.post(token, batch);
  expect(response.status).toBe(403);
  expect(response.headers.get('www-authenticate')).toContain(
    'scope="openid project:read folder:create project:create"',
  );
  expect(runs).toEqual([]);
});

test('with the scope, or where none is needed, a call runs', async () => {
  const server = await startTestMcpHttp({ tools });
  const token = server.grant({ scopes: new Set(['openid', 'project:read']) });
  runs.length = 0;
  for (const name of ['projects_read', 'tasks_free']) {
    const [message] = await messagesOf(await server.post(token, callMessage(name)));
    expect(message).toMatchObject({ result: { structuredContent: { summary: 'Ran.' } } });
  }
  expect(runs).toEqual(['projects_read', 'tasks_free']);
});

test('the newer client is told of the step-up', async () => {
  const server = await startTestMcpHttp({ tools });
  const client = await server.connect(server.grant({ scopes: new Set(['openid']) }));
  await expect(client.callTool({ name: 'projects_write' })).rejects.toThrow(/403|scope/i);
});

test.each([
  { host: '127.0.0.1:PORT', origin: undefined, status: 200 },
  { host: 'localhost:PORT', origin: undefined, status: 200 },
  { host: '127.0.0.1:PORT', origin: 'http://localhost:PORT', status: 200 },
  { host: 'fovea.example.org', origin: undefined, status: 200 },
  { host: 'fovea.example.org', origin: 'https://fovea.example.org', status: 200 },
  { host: 'evil.example', origin: undefined, status: 403 },
  { host: 'evil.example:PORT', origin: undefined, status: 403 },
  { host: '127.0.0.1:1', origin: undefined, status: 403 },
  { host: '127.0.0.1:PORT', origin: 'https://evil.example', status: 403 },
  { host: '127.0.0.1:PORT', origin: 'http://127.0.0.1:1', status: 403 },
  { host: '127.0.0.1:PORT', origin: 'null', status: 403 },
  { host: '127.0.0.1.evil.example:PORT', origin: undefined, status: 403 },
])('Host $host with Origin $origin: $status', async ({ host, origin, status }) => {
  const changes = { allowedHosts: ['fovea.example.org'] };
  const server = await startTestMcpHttp({ tools, changes });
  const { port } = new URL(server.mcp);
  const token = server.grant();
  const headers = [
    ['authorization', `Bearer ${token}`],
    ['host', host.replace('PORT', port)],
    ...(origin === undefined ? [] : [['origin', origin.replace('PORT', port)]]),
  ];
  expect((await raw(server.mcp, headers, listMessage)).status).toBe(status);
  expect(server.asked()).toBe(status === 200 ? 1 : 0);
});

test('behind a proxy the public address is the resource, and its host is ours', async () => {
  const publicUrl = 'https://mcp.example.org';
  const server = await startTestMcpHttp({ tools, changes: { publicUrl } });
  const metadata = await raw(
    `${server.url}/.well-known/oauth-protected-resource/mcp`,
    [['host', 'mcp.example.org']],
    undefined,
  );
  expect(JSON.parse(metadata.body)).toMatchObject({ resource: 'https://mcp.example.org/mcp' });
  const local = server.grant();
  const proper = server.grant({ audience: 'https://mcp.example.org/mcp' });
  const refused = await server.post(local, listMessage);
  expect(refused.headers.get('www-authenticate')).toContain(
    'resource_metadata="https://mcp.example.org/.well-known/oauth-protected-resource/mcp"',
  );
  expect((await server.post(proper, listMessage)).status).toBe(200);
});

test('what is no POST is refused without a word about tokens', async () => {
  const { mcp, asked } = await startTestMcpHttp({ tools });
  for (const method of ['GET', 'DELETE', 'PUT', 'PATCH']) {
    const response = await fetch(mcp, { method, headers: { authorization: 'Bearer made-up' } });
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST']);
  }
  expect(asked()).toBe(0);
});

test('what the authorization server says is asked for once, for all who wait', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  let checks = 0;
  const server = await startTestMcpHttp({
    tools,
    verify: async (token) => {
      checks += 1;
      await promise;
      return server.tokens.get(token);
    },
  });
  const token = server.grant();
  const answers = Array.from({ length: 10 }, () => server.post(token, listMessage));
  await expect.poll(() => checks).toBe(1);
  resolve();
  const statuses = (await Promise.all(answers)).map(({ status }) => status);
  expect(statuses).toEqual(Array(10).fill(200));
  expect(checks).toBe(1);
});

test('a revoked token is good for five seconds more, a new one after one', async () => {
  let now = 1_000;
  const clock = { now: () => 0, monotonic: () => now };
  const server = await startTestMcpHttp({ tools, clock });
  const token = server.grant();
  const status = async () => (await server.post(token, listMessage)).status;
  expect(await status()).toBe(200);
  const known = server.tokens.get(token);
  server.tokens.delete(token);
  now += 4_999;
  expect(await status()).toBe(200);
  now += 1;
  expect(await status()).toBe(401);
  if (known) server.tokens.set(token, known);
  now += 999;
  expect(await status()).toBe(401);
  now += 1;
  expect(await status()).toBe(200);
  expect(server.asked()).toBe(3);
});

test('a token ends on time, however fresh its check is', async () => {
  let now = 0;
  const clock = { now: () => now, monotonic: () => 0 };
  const server = await startTestMcpHttp({ tools, clock });
  const token = server.grant({ expiresAt: 60_000 });
  now = 59_999;
  expect((await server.post(token, listMessage)).status).toBe(200);
  now = 60_000;
  expect((await server.post(token, listMessage)).status).toBe(401);
  expect(server.asked()).toBe(1);
});

test('an authorization server that fails lets nobody in, and is asked again', async () => {
  let isDown = true;
  const server = await startTestMcpHttp({
    tools,
    verify: async (token) => {
      if (isDown) throw new Error('secret words of a library');
      return server.tokens.get(token);
    },
  });
  const token = server.grant();
  const refused = await server.post(token, listMessage);
  expect(refused.status).toBe(500);
  expect(await refused.text()).not.toContain('secret words');
  isDown = false;
  expect((await server.post(token, listMessage)).status).toBe(200);
});

test('made-up tokens push no good one out of memory', async () => {
  const clock = { now: () => 0, monotonic: () => 0 };
  const server = await startTestMcpHttp({ tools, clock });
  const token = server.grant();
  expect((await server.post(token, listMessage)).status).toBe(200);
  for (let n = 0; n < 1_200; n += 50) {
    const flood = Array.from({ length: 50 }, (_, at) =>
      server.post(`made-up-${n + at}`, listMessage),
    );
    for (const { status } of await Promise.all(flood)) expect(status).toBe(401);
  }
  const before = server.asked();
  expect((await server.post(token, listMessage)).status).toBe(200);
  expect(server.asked()).toBe(before);
});

/** Headers as they are, the same name twice too. */
async function raw(url: string, headers: readonly (readonly string[])[], body: unknown) {
  const method = body === undefined ? 'GET' : 'POST';
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number; body: string }>();
  const own = headers.some(([name]) => name === 'host') ? [] : [['host', new URL(url).host]];
  const usual = [
    ['content-type', 'application/json'],
    ['accept', 'application/json, text/event-stream'],
    ['connection', 'close'],
  ];
  const flat = [...own, ...usual, ...headers].flat();
  const sent = request(url, { method, headers: flat, setHost: false }, async (response) => {
    resolve({ status: response.statusCode ?? 0, body: await text(response) });
  });
  sent.on('error', reject);
  sent.end(body === undefined ? undefined : JSON.stringify(body));
  return promise;
}
