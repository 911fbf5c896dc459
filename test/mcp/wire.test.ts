// Requests of a host that does not read its answers.

import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { PassThrough } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { isJSONRPCRequest } from '@modelcontextprotocol/server';
import { expect, test } from 'vitest';
import { createLog } from '../../src/log.ts';
import { openWire } from '../../src/mcp/wire.ts';

const requestCount = 500;

/** Each request is answered with 2,000 characters; `stdout` holds so many until it is read. */
async function askWithoutReading() {
  const stdin = new PassThrough();
  const stdout = new PassThrough({ highWaterMark: 2_000 });
  const { transport, input } = openWire(stdin, stdout, createLog('error'));
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
