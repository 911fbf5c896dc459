// What passes between lines and the server, and a host that does not read its answers.

import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { PassThrough, type Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { isJSONRPCRequest } from '@modelcontextprotocol/server';
import { expect, test, vi } from 'vitest';
import { createLog, type Log } from '../../src/log.ts';
import { LineInput } from '../../src/mcp/stdio/line-input.ts';
import type { Output } from '../../src/mcp/stdio/protocol-output.ts';
import { openStdioTransport } from '../../src/mcp/stdio/stdio-transport.ts';

const requestCount = 500;

function open(stdin: Readable, stdout: Output, log: Log) {
  const input = new LineInput(stdin, log);
  return { input, transport: openStdioTransport(input, stdout, log) };
}

/** Each request is answered with 2,000 characters; `stdout` holds so many until it is read. */
async function askWithoutReading() {
  const stdin = new PassThrough();
  const stdout = new PassThrough({ highWaterMark: 2_000 });
  const { transport, input } = open(stdin, stdout, createLog('error'));
  let delivered = 0;
  transport.onmessage = (message) => {
    delivered += 1;
    if (!isJSONRPCRequest(message)) return;
    const result = { text: 'x'.repeat(2_000) };
    void transport.send({ jsonrpc: '2.0', id: message.id, result });
  };
  await transport.start();
  for (let id = 1; id <= requestCount; id += 1) {
    stdin.write(`{"jsonrpc":"2.0","id":${id},"method":"ping"}\n`);
    await nextTurn();
  }
  return { stdin, stdout, input, delivered: () => delivered };
}

test('they wait, and are all answered once it reads', async () => {
  const host = await askWithoutReading();
  expect(host.delivered()).toBeLessThan(requestCount / 10);
  let answered = 0;
  for await (const line of createInterface({ input: host.stdout })) {
    answered += 1;
    expect(JSON.parse(line)).toMatchObject({ id: answered });
    if (answered === requestCount) break;
  }
  expect(host.delivered()).toBe(requestCount);
});

test('its end of stdin is seen although they wait', async () => {
  const host = await askWithoutReading();
  const closed = once(host.input, 'close');
  host.stdin.end();
  await closed;
  expect(host.delivered()).toBeLessThan(requestCount / 10);
});

test('so do megabytes of them, and most stay with the host', async () => {
  const host = await askWithoutReading();
  const before = host.delivered();
  const line = `{"jsonrpc":"2.0","method":"some/news","params":{"text":"${'x'.repeat(1_000_000)}"}}\n`;
  for (let count = 0; count < 20; count += 1) {
    host.stdin.write(line);
    await nextTurn();
  }
  expect(host.stdin.isPaused()).toBe(true);
  expect(host.delivered()).toBe(before);
  for await (const answer of createInterface({ input: host.stdout })) {
    if (JSON.parse(answer).id === requestCount) break;
  }
  host.stdout.resume();
  await expect.poll(() => host.delivered()).toBe(requestCount + 20);
});

test('those who wait are told that stdout broke, and nothing is sent after that', async () => {
  const stdout = new PassThrough({ highWaterMark: 1 });
  const { transport } = open(new PassThrough(), stdout, createLog('error'));
  const closed = Promise.withResolvers<void>();
  transport.onclose = closed.resolve;
  await transport.start();
  const waiting = [1, 2].map((id) => transport.send({ jsonrpc: '2.0', id, result: {} }));
  stdout.destroy(new Error('EPIPE'));
  for (const sending of waiting) await expect(sending).rejects.toThrow('EPIPE');
  await closed.promise;
  await expect(transport.send({ jsonrpc: '2.0', id: 3, result: {} })).rejects.toThrow('closed');
});

test.each([
  '{"jsonrpc":"2.0","id":1,"result":7}',
  '{"jsonrpc":"2.0","id":1,"result":{},"extra":1}',
  '{"jsonrpc":"2.0","id":1,"error":{"code":"x","message":"y"}}',
  '{"jsonrpc":"2.0","method":"notifications/initialized","extra":1}',
  '{"jsonrpc":"2.0","method":"notifications/initialized","params":{"_meta":7}}',
])('%s is left out and told in the log', async (line) => {
  const stdin = new PassThrough();
  const told: string[] = [];
  const log = createLog('warn', (text) => told.push(text));
  const { transport } = open(stdin, new PassThrough(), log);
  const messages: unknown[] = [];
  transport.onmessage = (message) => messages.push(message);
  await transport.start();
  const ping = { jsonrpc: '2.0', id: 2, method: 'ping' };
  stdin.write(`${line}\n${JSON.stringify(ping)}\n`);
  await expect.poll(() => messages).toEqual([ping]);
  expect(told).toHaveLength(1);
});

const long = 'a'.repeat(17_000_000);

test.each([
  ['the first member', `{"jsonrpc":"2.0","id":3,"method":"ping","params":{"note":"${long}"}}`, 3],
  [
    'the last member',
    `{"method":"ping","params":{"id":1,"x":"${long}"},"jsonrpc":"2.0","id":4}`,
    4,
  ],
  ['before the method', `{"params":["${long}"], "id" : "one" , "method":"ping"} `, 'one'],
  ['that of a parameter', `{"method":"ping","params":{"note":"${long}","id":5}}`, null],
  ['within a text', `{"method":"ping","params":"${long}, \\"id\\":6}`, null],
  ['no integer', `{"method":"ping","params":"${long}","id":6.5}`, null],
  ['in the middle', `{"x":"${long}","id":7,"y":"${long}"}`, null],
  ['nowhere', long, null],
])('a line that is too long, whose id is %s, is answered', async (_where, line, id) => {
  const [stdin, stdout] = [new PassThrough(), new PassThrough()];
  const told: string[] = [];
  const { transport } = open(
    stdin,
    stdout,
    createLog('warn', (text) => told.push(text)),
  );
  const messages: unknown[] = [];
  transport.onmessage = (message) => messages.push(message);
  await transport.start();
  const ping = { jsonrpc: '2.0', id: 2, method: 'ping' };
  stdin.write(`${line}\n${JSON.stringify(ping)}\n`);
  const [answer] = await once(stdout, 'data');
  expect(JSON.parse(String(answer))).toEqual({
    jsonrpc: '2.0',
    id,
    error: {
      code: -32_600,
      message: `Invalid request: the line has ${line.length} bytes, more than 16777216: files go by path.`,
    },
  });
  await expect.poll(() => messages).toEqual([ping]);
  expect(told).toHaveLength(1);
});

test('a flood of lines that are no messages is told in few lines', async () => {
  const told: string[] = [];
  const stdin = new PassThrough();
  const log = createLog('warn', (line) => told.push(line));
  const { transport } = open(stdin, new PassThrough(), log);
  await transport.start();
  stdin.write('x\n'.repeat(10_000));
  await vi.waitUntil(() => told.length > 20, { timeout: 5000 });
  expect(told).toHaveLength(21);
  expect(told.at(0)).toContain('A line on stdin is not JSON and was left out. bytes=1');
  expect(told.at(20)).toContain('More lines on stdin were no messages. lines=9980');
});

test('the end of stdin tells of the rest at once', async () => {
  const told: string[] = [];
  const stdin = new PassThrough();
  const log = createLog('warn', (line) => told.push(line));
  const { transport, input } = open(stdin, new PassThrough(), log);
  await transport.start();
  stdin.end('{"jsonrpc":"2.0","result":{}}\n'.repeat(30));
  await once(input, 'close');
  expect(told.at(20)).toContain('More lines on stdin were no messages. lines=10');
});
