// Tokens of callers exchanged for tokens of the platform: once for all calls, and anew in time.

import { expect, test } from 'vitest';
import { exchangingUpstream } from '../../src/bin/token-exchange-clients.ts';
import { FoveaError } from '../../src/errors.ts';
import { Secret } from '../../src/secret.ts';

/** Tokens that live for 300 s: `NAME-1`, `NAME-2` and so on. */
function exchangeService() {
  const state = { nowMs: 0, exchanges: 0, isDown: false };
  const upstreamOf = (name: string) =>
    exchangingUpstream(new Secret(name), {
      url: 'http://127.0.0.1:9',
      exchange: async (presented) => {
        state.exchanges += 1;
        const n = state.exchanges;
        await Promise.resolve();
        if (state.isDown) throw new FoveaError('unreachable', 'Nobody there.');
        const accessToken = new Secret(`${presented.reveal()}-${n}`);
        return { accessToken, expiresAt: state.nowMs + 300_000 };
      },
      clock: { now: () => state.nowMs, monotonic: () => 0 },
      timeoutMs: 1_000,
    });
  return { state, upstreamOf };
}

const signal = new AbortController().signal;

test('calls at the same time share one exchange, and later ones its token', async () => {
  const { state, upstreamOf } = exchangeService();
  const upstream = upstreamOf('ada');
  const found = await Promise.all(Array.from({ length: 20 }, upstream));
  expect(new Set(found.map(({ credential }) => credential?.reveal()))).toEqual(new Set(['ada-1']));
  expect(found[0]).toMatchObject({ url: 'http://127.0.0.1:9', isAccessToken: true });
  state.nowMs = 269_999;
  expect((await upstream()).credential?.reveal()).toBe('ada-1');
  expect(state.exchanges).toBe(1);
});

test('30 s before its end there is another one, for all who wait', async () => {
  const { state, upstreamOf } = exchangeService();
  const upstream = upstreamOf('ada');
  await upstream();
  state.nowMs = 270_000;
  const found = await Promise.all(Array.from({ length: 20 }, upstream));
  expect(new Set(found.map(({ credential }) => credential?.reveal()))).toEqual(new Set(['ada-2']));
  expect(state.exchanges).toBe(2);
});

test('a refused token is exchanged once, however many calls it failed', async () => {
  const { state, upstreamOf } = exchangeService();
  const upstream = upstreamOf('ada');
  const { renew, credential = new Secret('') } = await upstream();
  const again = await Promise.all(Array.from({ length: 20 }, () => renew?.(credential, signal)));
  expect(new Set(again.map((token) => token?.reveal()))).toEqual(new Set(['ada-2']));
  expect((await renew?.(credential, signal))?.reveal()).toBe('ada-2');
  expect((await upstream()).credential?.reveal()).toBe('ada-2');
  expect(state.exchanges).toBe(2);
});

test('says what helps where the platform refuses the token', async () => {
  const { refusedHint } = await exchangeService().upstreamOf('ada')();
  expect(refusedHint).toBe(
    'The host has to sign in again: the platform refuses the token of its user.',
  );
});

test('an exchange that failed is told to its callers, and tried again by the next', async () => {
  const { state, upstreamOf } = exchangeService();
  const upstream = upstreamOf('ada');
  state.isDown = true;
  const failed = await Promise.allSettled([upstream(), upstream()]);
  expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(state.exchanges).toBe(1);
  state.isDown = false;
  expect((await upstream()).credential?.reveal()).toBe('ada-2');
});

test('two callers never have a token in common', async () => {
  const { upstreamOf } = exchangeService();
  const [ada, bob] = [upstreamOf('ada'), upstreamOf('bob')];
  const found = await Promise.all([ada(), bob(), ada(), bob()]);
  expect(found.map(({ credential }) => credential?.reveal())).toEqual([
    'ada-1',
    'bob-2',
    'ada-1',
    'bob-2',
  ]);
});
