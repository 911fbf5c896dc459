// How often one credential may call, and how often one address may guess.

import { randomUUID } from 'node:crypto';
import { request } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import type { PlatformOptions } from '../../../src/platform/platform.ts';
import { startTestPlatform, type TestPlatform } from '../../fixtures/platform.ts';
import { makeKey, messageOf, send, typeOf } from '../api-key-requests.ts';
import { createTestTokens } from '../test-tokens.ts';

/** A platform whose clock stands still until a test moves it. */
async function start(rateLimit: number | undefined, options: Partial<PlatformOptions> = {}) {
  const time = { ms: 500 };
  const clock = { now: () => Date.now(), monotonic: () => time.ms };
  const platform = await startTestPlatform({
    clock,
    ...options,
    ...(rateLimit !== undefined && { rateLimit }),
  });
  onTestFinished(() => platform.close());
  return { platform, time };
}

const statusOf = async (platform: TestPlatform, key: string | undefined, line = 'GET /') =>
  (await send(platform, key, line)).status;

async function times(count: number, call: () => Promise<number>): Promise<readonly number[]> {
  const statuses: number[] = [];
  for (let n = 0; n < count; n += 1) statuses.push(await call());
  return statuses;
}

test('so many calls in any minute, then 429 with the wait, then again', async () => {
  const { platform, time } = await start(5);
  const call = () => statusOf(platform, platform.key);
  expect(await times(3, call)).toEqual([200, 200, 200]);
  time.ms += 20_000;
  expect(await times(3, call)).toEqual([200, 200, 429]);
  const refused = await send(platform, platform.key, 'GET /');
  expect([typeOf(refused), messageOf(refused)]).toEqual([
    'rate_limited',
    'More than 5 calls came within a minute.',
  ]);
  expect(refused.headers.get('retry-after')).toBe('40');
  expect(refused.headers.get('www-authenticate')).toBeNull();
  time.ms += 39_000;
  expect(await call()).toBe(429);
  time.ms += 1_000;
  expect(await times(4, call)).toEqual([200, 200, 200, 429]);
});

test('each credential has its own share, in whatever place it stands', async () => {
  const tokens = createTestTokens();
  const { platform } = await start(4, { verifyAccessToken: tokens.verify });
  const [first, second] = [await makeKey(platform), await makeKey(platform)];
  const scopes = new Set(['workspace:read']);
  const [token, again] = [tokens.issue({ scopes }), tokens.issue({ scopes })];
  expect(await times(3, () => statusOf(platform, first.key))).toEqual([200, 200, 200]);
  expect(await statusOf(platform, undefined, `GET /?api_key=${first.key}`)).toBe(200);
  expect(await statusOf(platform, undefined, `GET /?api_key=${first.key}`)).toBe(429);
  expect(await statusOf(platform, first.key)).toBe(429);
  expect(await statusOf(platform, second.key)).toBe(200);
  // Two tokens of one person are one caller.
  expect(await times(2, () => statusOf(platform, token))).toEqual([200, 200]);
  expect(await times(3, () => statusOf(platform, again))).toEqual([200, 200, 429]);
  expect(await times(3, () => statusOf(platform, platform.key))).toEqual([200, 200, 429]);
});

test('a key in the body counts once, and one in two places once', async () => {
  const { platform } = await start(2);
  const { key } = await makeKey(platform);
  const inBody = (header?: string) =>
    send(platform, header, 'POST /acme/projects', { api_key: key, name: 'x' });
  expect((await inBody()).status).toBe(400);
  expect((await inBody(key)).status).toBe(400);
  expect((await inBody()).status).toBe(429);
});

test('what is refused, wrong or nowhere counts too, before its body is read', async () => {
  const { platform } = await start(3);
  const { key } = await makeKey(platform, { scopes: ['project:read'] });
  const call = (line: string) => statusOf(platform, key, line);
  expect(await call('GET /acme/api-keys')).toBe(403);
  expect(await call('GET /acme/nowhere')).toBe(404);
  expect(await call('GET /acme/nowhere?colour=red')).toBe(400);
  expect(await call('GET /acme/nowhere')).toBe(429);
  expect(await call('POST /acme/api-keys')).toBe(429);
});

test('50 at once, and the next one as soon as one has ended', async () => {
  const { platform } = await start(1_000);
  const { key } = await makeKey(platform);
  // Bodies that do not end keep their calls running.
  const open = Array.from({ length: 50 }, () => startPost(platform, key));
  onTestFinished(() => {
    for (const post of open) post.destroy();
  });
  await expect.poll(() => statusOf(platform, key), { timeout: 10_000 }).toBe(429);
  const refused = await send(platform, key, 'GET /');
  expect(messageOf(refused)).toBe('50 requests are running already.');
  expect(refused.headers.get('retry-after')).toBe('1');
  expect(await statusOf(platform, platform.key)).toBe(200);
  open[0]?.destroy();
  await expect.poll(() => statusOf(platform, key), { timeout: 10_000 }).toBe(200);
  for (const post of open) post.destroy();
});

function startPost({ url }: TestPlatform, key: string) {
  const post = request(`${url}/acme/projects`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      'content-length': 100,
    },
  });
  post.on('error', () => {});
  post.write('{');
  return post;
}

test('without a limit there is none', async () => {
  const { platform } = await start(undefined);
  const all = await Promise.all(
    Array.from({ length: 300 }, () => statusOf(platform, platform.key)),
  );
  expect(new Set(all)).toEqual(new Set([200]));
  expect(new Set(await times(100, () => statusOf(platform, 'guess')))).toEqual(new Set([401]));
});

test('60 unknown credentials in a minute, then 429, and never for one that is right', async () => {
  const tokens = createTestTokens();
  const { platform, time } = await start(1_000, { verifyAccessToken: tokens.verify });
  const known = await makeKey(platform);
  expect(await statusOf(platform, known.key)).toBe(200);
  const newcomer = await makeKey(platform);
  const guess = () => statusOf(platform, `guess-${randomUUID()}`);
  expect(new Set(await times(60, guess))).toEqual(new Set([401]));
  expect(await times(3, guess)).toEqual([429, 429, 429]);
  const inQuery = await send(platform, undefined, 'GET /?api_key=guess');
  expect([inQuery.status, inQuery.headers.get('retry-after')]).toEqual([429, '60']);
  // Who shares the address, perhaps of a proxy, still comes in, also for the first time.
  expect(await statusOf(platform, known.key)).toBe(200);
  expect(await statusOf(platform, platform.key)).toBe(200);
  expect(await statusOf(platform, newcomer.key)).toBe(200);
  const token = tokens.issue({ scopes: new Set(['workspace:read']) });
  expect(await statusOf(platform, token)).toBe(200);
  // A call without a credential is no guess.
  expect(await statusOf(platform, undefined)).toBe(401);
  time.ms += 60_000;
  expect(await guess()).toBe(401);
});

test('a key that was revoked is a guess like any other', async () => {
  const { platform } = await start(1_000);
  const { key, keyId } = await makeKey(platform);
  expect(await statusOf(platform, key)).toBe(200);
  await send(platform, platform.key, `DELETE /acme/api-keys/${keyId}`);
  expect(new Set(await times(60, () => statusOf(platform, key)))).toEqual(new Set([401]));
  expect(await statusOf(platform, key)).toBe(429);
});

test('keys of one workspace share ten times what one may, so making more is no way out', async () => {
  const { platform } = await start(5);
  const other = await platform.otherWorkspace();
  const keys: string[] = [];
  for (let made = 0; made < 4; made += 1) keys.push((await makeKey(platform)).key);
  // Each of them makes others until its own share is used up.
  for (const maker of [...keys]) {
    for (let made = 0; made < 4; made += 1) keys.push((await makeKey(platform, {}, maker)).key);
  }
  const statuses: number[] = [];
  for (const key of keys)
    statuses.push(await statusOf(platform, key), await statusOf(platform, key));
  expect(statuses.filter((status) => status === 200).length).toBe(50 - 20);
  expect(new Set(statuses)).toEqual(new Set([200, 429]));
  expect(await statusOf(platform, other.key)).toBe(200);
});

test('behind a trusted proxy, guesses count for the client that the proxy names', async () => {
  const { platform } = await start(1_000, { trustedProxies: ['127.0.0.1'] });
  const guess = async (from: string) => {
    const headers = { authorization: `Bearer guess-${randomUUID()}`, 'x-forwarded-for': from };
    return (await fetch(platform.url, { headers })).status;
  };
  // Whoever goes through the proxy may name others before itself.
  expect(new Set(await times(60, () => guess(`${randomUUID()}, 198.51.100.7`)))).toEqual(
    new Set([401]),
  );
  expect(await guess('198.51.100.7')).toBe(429);
  expect(await guess('198.51.100.8')).toBe(401);
});
