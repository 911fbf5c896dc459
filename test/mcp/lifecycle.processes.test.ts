// What comes over stdin besides messages, what goes to stdout, and how the process ends.

import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { killProcess } from '../fixtures/kill-process.ts';
import { callTool, initialize, parse, type RawServer } from './raw-server.ts';
import { startServer } from './raw-stdio.ts';

const running: RawServer[] = [];

async function open(environment: Record<string, string> = {}): Promise<RawServer> {
  const server = startServer(environment);
  running.push(server);
  server.send(initialize());
  await server.answer(1);
  return server;
}

afterEach(() => Promise.all(running.splice(0).map(({ child }) => killProcess(child))));

let pings = 0;

async function stillAnswers(server: RawServer): Promise<void> {
  pings += 1;
  server.send({ id: `ping ${pings}`, method: 'ping' });
  expect(await server.answer(`ping ${pings}`)).toMatchObject({ result: {} });
}

describe('stdin', () => {
  const server = startServer();

  beforeAll(async () => {
    server.send(initialize());
    await server.answer(1);
  });

  afterAll(() => {
    server.child.kill('SIGKILL');
  });

  test('a line that is no JSON is survived and logged', async () => {
    server.write('this is no JSON\n\n{"jsonrpc": "2.0", "id": 9\n');
    await server.logged('not JSON');
    await stillAnswers(server);
  });

  test('a line that is not UTF-8 is survived and logged', async () => {
    server.write(Buffer.from([0x22, 0xff, 0xfe, 0xc3, 0x28, 0x22, 0x0a]));
    await server.logged('not UTF-8');
    await stillAnswers(server);
  });

  test('a line of 64 MB is survived and logged', async () => {
    const part = Buffer.alloc(1024 * 1024, 'a');
    for (let megabyte = 0; megabyte < 64; megabyte += 1) server.write(part);
    server.write('\n');
    await server.logged('bytes=67108864');
    await stillAnswers(server);
  });

  test('a call of 70 MB is answered by its id, which comes last, and the connection lives', async () => {
    const part = Buffer.alloc(1024 * 1024, 'a');
    server.write(
      '{"method":"tools/call","params":{"name":"projects_get","arguments":{"id":7,"note":"',
    );
    for (let megabyte = 0; megabyte < 70; megabyte += 1) server.write(part);
    server.write('"}},"jsonrpc":"2.0","id":"a long one"}\n');
    expect(await server.answer('a long one')).toMatchObject({
      error: {
        code: -32600,
        message: expect.stringMatching(/^Invalid request: the line has 734\d{5} bytes, more than/),
      },
    });
    await stillAnswers(server);
  });

  test.each([
    [{ jsonrpc: '1.0', id: 51, method: 'ping' }, 'jsonrpc must be "2.0"'],
    [{ jsonrpc: '2.0', id: 52 }, 'method is missing'],
    [{ jsonrpc: '2.0', id: 53, method: 7 }, 'method must be a string'],
    [{ jsonrpc: '2.0', id: 54, method: 'tools/list', params: [] }, 'params must be an object'],
  ])('%j is answered as an invalid request', async (message, fault) => {
    server.write(`${JSON.stringify(message)}\n`);
    expect(await server.answer(message.id)).toMatchObject({
      error: { code: -32600, message: `Invalid request: ${fault}.` },
    });
    await stillAnswers(server);
  });

  test.each([
    { id: 56, method: 'tools/list', params: { _meta: null } },
    { id: 57, method: 'tools/list', params: { _meta: { progressToken: {} } } },
    { id: 58, method: 'tools/list', extra: 1 },
  ])('%j is answered, as the package would not', async (message) => {
    server.send(message);
    expect(await server.answer(message.id)).toMatchObject({
      error: { code: -32600, message: expect.stringContaining('params._meta') },
    });
  });

  test('a message without bottom is answered as an invalid request', async () => {
    const deep = `${'['.repeat(500_000)}${']'.repeat(500_000)}`;
    server.write(`{"jsonrpc":"2.0","id":55,"method":"tools/call","params":{"name":${deep}}}\n`);
    expect(await server.answer(55)).toMatchObject({
      error: {
        code: -32600,
        message: 'Invalid request: the message is nested deeper than 64 levels.',
      },
    });
    await stillAnswers(server);
  });

  test.each([
    ['values', `[${'0,'.repeat(200_000)}0]`, 'has more than 200000 values'],
    [
      'values behind a long text',
      `["${'a\\\\'.repeat(3_000_000)}",${'0,'.repeat(200_000)}0]`,
      'has more than 200000 values',
    ],
    [
      'members',
      `{${Array.from({ length: 20_001 }, (_, n) => `"id${n}":"]}"`).join()}}`,
      'has an object with more than 20000 members',
    ],
  ])('one of too many %s is refused by its id, which comes last', async (what, value, words) => {
    const params = `{"name":"projects_get","arguments":{"id":7,"note":${value}}}`;
    const call = '"jsonrpc":"2.0","method":"tools/call"';
    server.write(`{${call},"params":${params},"id":"${what}"}\n`);
    expect(await server.answer(what)).toMatchObject({
      error: { code: -32600, message: `Invalid request: the message ${words}.` },
    });
    await stillAnswers(server);
  });

  test.each(['7', 'null', '"text"', '[]', '{"jsonrpc":"2.0","id":{},"method":"ping"}'])(
    '%s is survived',
    async (line) => {
      server.write(`${line}\n`);
      await stillAnswers(server);
    },
  );

  test('several messages in one array are each answered', async () => {
    const ping = (id: number) => ({ jsonrpc: '2.0', id, method: 'ping' });
    server.write(`${JSON.stringify([ping(11), ping(12)])}\n`);
    expect(await server.answer(11)).toMatchObject({ result: {} });
    expect(await server.answer(12)).toMatchObject({ result: {} });
  });

  test('a message in two halves arrives whole', async () => {
    const line = JSON.stringify({ jsonrpc: '2.0', id: 4, method: 'nöthing/hére' });
    const bytes = Buffer.from(`${line}\r\n`);
    const half = line.indexOf('ö') + 1;
    server.write(bytes.subarray(0, half));
    await pause();
    server.write(bytes.subarray(half));
    expect(await server.answer(4)).toMatchObject({ error: { code: -32601 } });
  });
});

describe('stdout', () => {
  test('carries nothing but JSON-RPC while a tool prints', async () => {
    const server = await open();
    server.send(callTool(2, 'doctor_noisy'));
    await server.answer(2);
    await server.logged('a library says hello');
    await server.logged('more noise');
    expect(server.lines.map(parse).map(({ jsonrpc }) => jsonrpc)).toEqual(['2.0', '2.0']);
  });
});

describe('the end', () => {
  test('of stdin ends the process with code 0, closers in reverse order', async () => {
    const server = await open({ FOVEA_LOG: 'info' });
    server.endInput();
    expect(await server.exited()).toBe(0);
    expect(server.log()).toMatch(/Last part closed[\s\S]*First part closed/);
  });

  test('of stdin right after requests leaves them a moment to be answered', async () => {
    const server = startServer();
    running.push(server);
    server.send(initialize());
    server.send({ id: 2, method: 'tools/list' });
    server.send(callTool(3, 'projects_add', { workspace: 'w', name: 'n' }));
    server.endInput();
    expect(await server.exited()).toBe(0);
    expect(server.lines.map(parse).map(({ id }) => id)).toEqual([1, 2, 3]);
  });

  test('of stdin during a call aborts the call and ends the process with code 0', async () => {
    const server = await open();
    server.send(callTool(2, 'tasks_slow', { timeoutMs: 60_000 }));
    await server.logged('slow: started');
    server.endInput();
    expect(await server.exited()).toBe(0);
    expect(server.log()).toContain('slow: aborted');
  });

  test.each([
    ['something was left open', 'LEAK'],
    ['a thread works on, which nothing can interrupt', 'BUSY'],
  ])('comes although %s, and then by SIGKILL', async (_what, variable) => {
    const server = await open({ [variable]: '1' });
    server.endInput();
    expect(await server.exited()).toBe(null);
    expect(server.child.signalCode).toBe('SIGKILL');
  });

  test.each(['SIGTERM', 'SIGINT'] as const)(
    'by %s has code 0, also during a call',
    async (name) => {
      const server = await open();
      server.send(callTool(2, 'tasks_slow', { timeoutMs: 60_000 }));
      await server.logged('slow: started');
      server.child.kill(name);
      expect(await server.exited()).toBe(0);
      expect(server.child.signalCode).toBe(null);
    },
  );

  test('comes when nobody reads stdout any more', async () => {
    const server = await open();
    server.child.stdout?.destroy();
    server.send({ id: 2, method: 'tools/list' });
    server.send({ id: 3, method: 'tools/list' });
    expect(await server.exited()).toBe(0);
  });
});

/** Long enough for the first half to be read alone. */
async function pause(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 100));
}
