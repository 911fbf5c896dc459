// Image addresses given by users: fetched, but never from a private network.

import { afterEach, expect, test } from 'vitest';
import { closeAgents, openAgents } from '../../src/http-client/fetch-link.ts';
import { fetchPublic, type PublicFetchOptions } from '../../src/http-client/public-fetch.ts';
import {
  closedPort,
  drip,
  flood,
  half,
  json,
  type MisbehavingServer,
  reset,
  type Step,
  stall,
  startMisbehavingServer,
  text,
} from '../fixtures/scripted-http-server.ts';
import { errorOf } from './test-operations.ts';

const opened: MisbehavingServer[] = [];

afterEach(async () => {
  for (const each of opened.splice(0)) await each.close();
});

async function start(...steps: Step[]): Promise<MisbehavingServer> {
  const server = await startMisbehavingServer(...steps);
  opened.push(server);
  return server;
}

function fetching(
  url: string,
  allowed: readonly MisbehavingServer[] = [],
  options: Partial<PublicFetchOptions> = {},
) {
  const hosts = allowed.map(({ port }) => `127.0.0.1:${port}`);
  return fetchPublic(url, {
    bytesMax: 1000,
    signal: new AbortController().signal,
    timeoutMs: 2000,
    isAllowedHost: (host) => hosts.includes(host),
    ...options,
  });
}

const image = text(200, 'PNG', { 'content-type': 'image/png' });

test('the bytes and the type come back, also over a redirect', async () => {
  const server = await start(text(302, '', { location: '/b.png' }), image);
  const { bytes, contentType } = await fetching(`${server.url}/a.png`, [server]);
  expect(Buffer.from(bytes).toString()).toBe('PNG');
  expect(contentType).toBe('image/png');
  expect(server.seen.map(({ url }) => url)).toEqual(['/a.png', '/b.png']);
  await server.allClosed();
});

test.each([
  ['127.0.0.1', 'its address is not public'],
  ['2130706433', 'its address is not public'],
  ['0x7f.1', 'its address is not public'],
  ['127.1', 'its address is not public'],
  ['0.0.0.0', 'its address is not public'],
  ['[::ffff:127.0.0.1]', 'its address is not public'],
  ['[::1]', 'its address is not public'],
  ['localhost', 'its address is not public'],
  ['user:secret@127.0.0.1', 'it contains a user name'],
])('http://%s is refused, directly and as a redirect', async (host, reason) => {
  const target = await start(image);
  const url = `http://${host}:${target.port}/a.png`;
  const lure = await start(text(302, '', { location: url }));
  for (const call of [fetching(url), fetching(lure.url, [lure])]) {
    const error = await errorOf(call);
    expect(error).toMatchObject({ code: 'invalid_input', retry: 'never' });
    expect(error.problems).toEqual([
      { path: 'image', message: `could not fetch image URL: ${reason}` },
    ]);
  }
  expect(target.connections()).toBe(0);
});

test('a name that resolves to a private address gets no connection', async () => {
  const target = await start(image);
  const agents = openAgents();
  const origin = `http://localhost:${target.port}`;
  const asking = agents.guarded.request({ origin, path: '/', method: 'GET' });
  await expect(asking).rejects.toMatchObject({ code: 'ERR_ADDRESS_NOT_PUBLIC' });
  expect(target.connections()).toBe(0);
  await closeAgents(agents);
});

test.each([
  ['a.png', 'it is not a URL'],
  ['', 'it is not a URL'],
  ['http://', 'it is not a URL'],
  ['file:///etc/passwd', 'it is neither http nor https'],
  ['data:image/png;base64,AA==', 'it is neither http nor https'],
])('%j is refused', async (url, reason) => {
  expect((await errorOf(fetching(url))).message).toBe(
    `image: could not fetch image URL: ${reason}`,
  );
});

test.each([
  ['status 404', json(404, {}), 'invalid_input', 'its host answered with status 404'],
  ['status 429', json(429, {}), 'invalid_input', 'its host answered with status 429'],
  ['status 500', json(500, {}), 'upstream_failed', 'its host answered with status 500'],
  ['status 503', json(503, {}), 'upstream_failed', 'its host answered with status 503'],
  ['a reset', reset, 'upstream_failed', 'the connection failed'],
  ['half a file', half(200, 500), 'upstream_failed', 'the connection failed'],
  ['a large file', flood(5000, 'image/png'), 'too_large', 'it has more than 1000 bytes'],
  ['a large length', half(200, 5000), 'too_large', 'it has more than 1000 bytes'],
])('%s is a clear error after one request', async (_name, step, code, reason) => {
  const server = await start(step);
  const error = await errorOf(fetching(server.url, [server]));
  expect(error.code).toBe(code);
  expect(error.message).toContain(`could not fetch image URL: ${reason}`);
  if (code === 'upstream_failed') expect(error.retry).toBe('safe');
  expect(server.seen.length).toBe(1);
  await server.allClosed();
});

test.each([
  ['stalls', stall],
  ['drips', drip(200)],
])('a host that %s is given up', async (_name, step) => {
  const server = await start(step);
  const error = await errorOf(fetching(server.url, [server], { timeoutMs: 200 }));
  expect(error).toMatchObject({
    code: 'upstream_failed',
    message: 'could not fetch image URL: no answer within 200 ms',
  });
  await server.allClosed();
});

test('nobody there is a failure of the host', async () => {
  const port = await closedPort();
  const isAllowedHost = (host: string) => host === `127.0.0.1:${port}`;
  const error = await errorOf(fetching(`http://127.0.0.1:${port}/`, [], { isAllowedHost }));
  expect(error).toMatchObject({ code: 'upstream_failed', retry: 'safe' });
});

test('a caller that gives up closes the socket', async () => {
  const server = await start(stall);
  const cancel = new AbortController();
  const call = errorOf(fetching(server.url, [server], { signal: cancel.signal }));
  while (server.seen.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  cancel.abort();
  expect((await call).code).toBe('cancelled');
  await server.allClosed();
});
