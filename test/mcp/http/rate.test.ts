// How much one principal may ask for: 600 calls in a minute, 20 at once.

import { expect, onTestFinished, test } from 'vitest';
import * as z from 'zod';
import type { AccessToken } from '../../../src/contract/access-token.ts';
import { tool } from '../../../src/mcp/tool.ts';
import {
  callMessage,
  listMessage,
  messagesOf,
  startTestMcpHttp,
} from '../../fixtures/mcp-http-server.ts';

function settableClock() {
  const time = { monotonicMs: 500 };
  return { time, clock: { now: () => 0, monotonic: () => time.monotonicMs } };
}

const batchOf = (size: number) => Array.from({ length: size }, (_, id) => ({ ...listMessage, id }));

test('600 calls in a minute, over all tokens of a principal, batches by their members', async () => {
  const { time, clock } = settableClock();
  const server = await startTestMcpHttp({ clock });
  const [first, second, other] = [server.grant(), server.grant(), server.grant({ subject: 'bob' })];
  const status = async (token: string, body: unknown) => (await server.post(token, body)).status;
  for (let n = 0; n < 3; n += 1) expect(await status(first, batchOf(100))).toBe(200);
  time.monotonicMs += 10_000;
  for (let n = 0; n < 2; n += 1) expect(await status(second, batchOf(100))).toBe(200);
  expect(await status(second, batchOf(99))).toBe(200);
  expect(await status(first, batchOf(2))).toBe(429);
  const refused = await server.post(first, listMessage);
  expect(refused.status).toBe(429);
  // The first 300 came ten seconds ago.
  expect(refused.headers.get('retry-after')).toBe('50');
  expect(refused.headers.get('www-authenticate')).toBeNull();
  expect(await refused.json()).toMatchObject({ error: { data: { type: 'rate_limited' } } });
  expect(await status(other, batchOf(100))).toBe(200);
  time.monotonicMs += 49_000;
  expect(await status(first, listMessage)).toBe(429);
  time.monotonicMs += 1_000;
  expect(await status(first, listMessage)).toBe(200);
});

test('an empty batch counts as one call, and gives none back', async () => {
  const { clock } = settableClock();
  const server = await startTestMcpHttp({ clock });
  const token = server.grant();
  const status = async (body: unknown) => (await server.post(token, body)).status;
  for (let n = 0; n < 5; n += 1) expect(await status(batchOf(100))).toBe(200);
  for (let n = 501; n <= 600; n += 1) expect(await status([])).toBe(400);
  expect(await status([])).toBe(429);
  expect(await status(listMessage)).toBe(429);
});

test('20 requests at once, and the next one as soon as one has ended', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const { promise: full, resolve: fill } = Promise.withResolvers<void>();
  let running = 0;
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
    run: async () => {
      running += 1;
      if (running === 20) fill();
      await promise;
      return { summary: 'Waited.', data: {} };
    },
  });
  const server = await startTestMcpHttp({ tools: [waiting] });
  const [token, other] = [server.grant(), server.grant({ subject: 'bob' })];
  const calls = Array.from({ length: 20 }, () => server.post(token, callMessage('tasks_wait')));
  await full;
  const refused = await server.post(token, listMessage);
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '1']);
  expect((await server.post(other, listMessage)).status).toBe(200);
  resolve();
  for (const response of await Promise.all(calls)) {
    expect(await messagesOf(response)).toMatchObject([
      { result: { structuredContent: { summary: 'Waited.' } } },
    ]);
  }
  expect((await server.post(token, listMessage)).status).toBe(200);
});

test('what is refused for its token counts for nobody', async () => {
  const { clock } = settableClock();
  const server = await startTestMcpHttp({ clock });
  const wrong = server.grant({ audience: undefined });
  for (let n = 0; n < 700; n += 50) {
    await Promise.all(Array.from({ length: 50 }, () => server.post(wrong, listMessage)));
  }
  expect((await server.post(server.grant(), listMessage)).status).toBe(200);
});

test('tokens that are made up, and never checked, keep only their own network waiting', async () => {
  const good = new Map<string, AccessToken>();
  const pending = Promise.withResolvers<undefined>();
  const server = await startTestMcpHttp({
    verify: async (token) => good.get(token) ?? (await pending.promise),
    changes: { trustedProxies: ['127.0.0.1'] },
  });
  onTestFinished(() => pending.resolve(undefined));
  const token = server.grant();
  for (const [name, value] of server.tokens) good.set(name, value);
  const from = (address: string) => ({ 'x-forwarded-for': address });
  const made = Array.from({ length: 100 }, (_, index) =>
    server.post(`made-up-${index}`, listMessage, from('198.51.100.7')).catch(() => undefined),
  );
  const response = await server.post(token, listMessage, from('198.51.100.8'));
  expect(response.status).toBe(200);
  pending.resolve(undefined);
  expect(new Set((await Promise.all(made)).map((answer) => answer?.status))).toEqual(
    new Set([401]),
  );
});
