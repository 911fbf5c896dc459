// Bodies that are too much, or no bodies at all: a short no, soon, and the server goes on.

import { request } from 'node:http';
import { createConnection } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { tool } from '../../../src/mcp/tool.ts';
import {
  callMessage,
  listMessage,
  messagesOf,
  startTestMcpHttp,
  type TestMcpHttp,
} from '../../fixtures/mcp-http-server.ts';

/** The server still answers, and knows its own prototypes. */
async function expectAlive(server: TestMcpHttp, token: string): Promise<void> {
  const [message] = await messagesOf(await server.post(token, listMessage));
  expect(message).toMatchObject({ id: 1, result: { tools: expect.any(Array) } });
  expect(Reflect.get({}, 'polluted')).toBeUndefined();
}

const args = (text: string) =>
  `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"projects_echo","arguments":${text}}}`;

const list = JSON.stringify(listMessage);

test.each([
  ['1.3 million members', args(`{"project":[${'1,'.repeat(1_300_000)}1]}`), 413, -32_600],
  ['5 MB of text', args(JSON.stringify({ project: 'x'.repeat(5_000_000) })), 413, -32_600],
  ['a byte too many', list + ' '.repeat(1_048_577 - list.length), 413, -32_600],
  ['10,001 members', args(`{"project":[${'1,'.repeat(10_000)}1]}`), 413, -32_600],
  ['10,000 levels', args(`${'['.repeat(10_000)}${']'.repeat(10_000)}`), 400, -32_600],
  ['half a million levels', '['.repeat(500_000), 400, -32_600],
  ['levels of objects', `${'{"a":'.repeat(70)}1${'}'.repeat(70)}`, 400, -32_600],
  ['__proto__', args('{"__proto__":{"polluted":1},"project":"a"}'), 400, -32_600],
  ['__proto__ by escapes', args('{"\\u005f_proto__":{"polluted":1},"project":"a"}'), 400, -32_600],
  ['__proto__ in a batch', `[${args('{"__proto__":{"polluted":1}}')}]`, 400, -32_600],
  ['broken JSON', '{"jsonrpc":', 400, -32_700],
  ['two values', `${list}${list}`, 400, -32_700],
  ['nothing', '', 400, -32_700],
  ['a text', '"tools/list"', 400, -32_600],
  ['a number', '1', 400, -32_600],
  ['null', 'null', 400, -32_600],
  ['an empty object', '{}', 400, -32_600],
  ['an empty batch', '[]', 400, -32_600],
  ['a batch of 101', `[${Array(101).fill(list).join(',')}]`, 400, -32_600],
  ['a batch with a number', `[${list},1]`, 400, -32_600],
])('%s', async (_what, body, status, code) => {
  const server = await startTestMcpHttp();
  const token = server.grant();
  const response = await server.post(token, body);
  expect(response.status).toBe(status);
  expect(await response.json()).toMatchObject({ jsonrpc: '2.0', error: { code } });
  await expectAlive(server, token);
});

test('a body of exactly 1 MiB is read', async () => {
  const server = await startTestMcpHttp();
  const body = list + ' '.repeat(1_048_576 - list.length);
  expect((await server.post(server.grant(), body)).status).toBe(200);
});

test.each([
  ['text/plain', {}],
  ['application/json-patch+json', {}],
  ['application/jsonx', {}],
  ['application/json; charset=utf-16', {}],
  ['multipart/form-data; boundary=application/json', {}],
  ['', {}],
  ['application/json', { 'content-encoding': 'gzip' }],
])('the type "%s" %j is none of ours', async (type, more) => {
  const server = await startTestMcpHttp();
  const headers = { 'content-type': type, ...more };
  const response = await server.post(server.grant(), listMessage, headers);
  expect(response.status).toBe(415);
});

test('broken UTF-8 is no JSON', async () => {
  const server = await startTestMcpHttp();
  const { promise, resolve } = Promise.withResolvers<number>();
  const headers = { authorization: `Bearer ${server.grant()}`, 'content-type': 'application/json' };
  const sent = request(server.mcp, { method: 'POST', headers }, (response) =>
    resolve(response.resume().statusCode ?? 0),
  );
  sent.end(
    Buffer.concat([Buffer.from('{"jsonrpc":"'), Buffer.from([0xff, 0xfe]), Buffer.from('"}')]),
  );
  expect(await promise).toBe(400);
});

test('whoever has no token gets no body read', async () => {
  const server = await startTestMcpHttp();
  const { port } = new URL(server.mcp);
  const socket = createConnection(Number(port), '127.0.0.1');
  const head = `POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nContent-Type: application/json\r\n`;
  socket.write(`${head}Content-Length: 1000000\r\n\r\n{"half":`);
  const { promise, resolve } = Promise.withResolvers<string>();
  socket.once('data', (data) => resolve(data.toString('latin1')));
  expect(await promise).toContain('HTTP/1.1 401');
  socket.destroy();
});

test.each(['2025-11-25', '2026-07-28'])(
  'a client of %s that leaves aborts its call',
  async (era) => {
    const { promise: started, resolve: start } = Promise.withResolvers<void>();
    const { promise: aborted, resolve: abort } = Promise.withResolvers<void>();
    const waiting = tool({
      name: 'tasks_wait',
      toolset: 'tasks',
      scope: undefined,
      usesFiles: false,
      title: 'Wait',
      description: 'Use this in tests.',
      effect: 'reads',
      recoverable: false,
      idempotent: true,
      openWorld: false,
      input: z.strictObject({}),
      run: async (_input, { signal }) => {
        signal.addEventListener('abort', () => abort(), { once: true });
        start();
        await delay(60_000, undefined, { signal });
        return { summary: 'Waited.', data: {} };
      },
    });
    const server = await startTestMcpHttp({ tools: [waiting] });
    const token = server.grant();
    const gone = new AbortController();
    const { signal } = gone;
    const call = async () => {
      if (era === '2026-07-28') {
        const client = await server.connect(token);
        return client.callTool({ name: 'tasks_wait' }, { signal });
      }
      const response = await server.post(token, callMessage('tasks_wait'), {}, signal);
      return response.text();
    };
    const asked = call();
    await started;
    gone.abort();
    await expect(asked).rejects.toThrow();
    await aborted;
    await expectAlive(server, token);
  },
);

test('requests that end in the middle leave nothing behind', async () => {
  const server = await startTestMcpHttp();
  const token = server.grant();
  const { port } = new URL(server.mcp);
  for (let n = 0; n < 50; n += 1) {
    const socket = createConnection(Number(port), '127.0.0.1');
    const { promise, resolve } = Promise.withResolvers<void>();
    const head = `POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: Bearer ${token}\r\n`;
    const body = `${head}Content-Type: application/json\r\nContent-Length: 500\r\n\r\n{"jsonrpc"`;
    socket.write(body, () => resolve());
    await promise;
    socket.destroy();
  }
  // More than may run at once: each of them has given back its place.
  await expect.poll(async () => (await server.post(token, listMessage)).status).toBe(200);
  await expectAlive(server, token);
});
