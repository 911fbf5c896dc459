// What is sent again, when, and what is said where that is not allowed.

import { afterEach, describe, expect, test } from 'vitest';
import type { Client, ClientOptions } from '../../src/http-client/client.ts';
import {
  closedPort,
  drip,
  half,
  json,
  type MisbehavingServer,
  raw,
  reset,
  type Step,
  stall,
  startMisbehavingServer,
  text,
} from '../fixtures/scripted-http-server.ts';
import { settableClock } from '../fixtures/settable-clock.ts';
import {
  addThing,
  clientOf,
  errorOf,
  inThing,
  readThing,
  searchThings,
  uploadThing,
} from './test-operations.ts';

const opened: (MisbehavingServer | Client)[] = [];

afterEach(async () => {
  for (const each of opened.splice(0).reverse()) await each.close();
});

async function start(steps: Step[], options: Partial<ClientOptions> = {}) {
  const server = await startMisbehavingServer(...steps);
  const client = clientOf(server.url, options);
  opened.push(server, client);
  return { server, client };
}

const good = json(200, { name: 'cells' });
const newThing = { workspace: 'acme', name: 'x' };
const readBack = 'Read back what it should have changed before trying again.';

test('a client of one attempt sends nothing again', async () => {
  const { server, client } = await start([json(429, {}, { 'retry-after': '0' }), good], {
    attemptsMax: 1,
  });
  const error = await errorOf(client.call(readThing, inThing));
  expect([error.code, error.retryAfterSeconds]).toEqual(['rate_limited', 0]);
  expect(server.seen.length).toBe(1);
});

describe('a read', () => {
  test.each([
    ['429', json(429, {})],
    ['502', json(502, {})],
    ['503', json(503, {})],
    ['504', text(504, 'gateway')],
    ['a reset', reset],
    ['half an answer', half(200)],
    ['an end without an answer', raw('')],
  ])('is sent again after %s', async (_name, step) => {
    const { server, client } = await start([step, step, good]);
    expect((await client.call(readThing, inThing)).body).toEqual({ name: 'cells' });
    expect(server.seen.length).toBe(3);
  });

  test('is sent again also when it is a POST', async () => {
    const { server, client } = await start([reset, json(503, {}), good]);
    await client.call(searchThings, { query: 'q' });
    expect(server.seen.map(({ body }) => body.toString())).toEqual(Array(3).fill('{"query":"q"}'));
  });

  test.each([
    [429, 'rate_limited', 'after'],
    [503, 'upstream_failed', 'safe'],
  ])('gives up after 4 times status %d', async (status, code, retry) => {
    const { server, client } = await start([json(status, { error: 'busy' })]);
    const error = await errorOf(client.call(readThing, inThing));
    expect(error).toMatchObject({ code, retry, upstream: { status, message: 'busy' } });
    expect(server.seen.length).toBe(4);
  });

  test('that is always reset gives up after 4 times', async () => {
    const { server, client } = await start([reset]);
    const error = await errorOf(client.call(readThing, inThing));
    expect(error).toMatchObject({ code: 'upstream_failed', retry: 'safe' });
    expect(error.message).toBe(
      'things_get was sent, but the connection ended before its answer came.',
    );
    expect(server.seen.length).toBe(4);
  });
});

describe('a write', () => {
  test.each([
    ['429', json(429, {})],
    ['502 with retryable true', json(502, { error: 'x', retryable: true })],
    ['502 with retryable true inside', json(502, { error: { message: 'x', retryable: true } })],
  ])('is sent again after %s', async (_name, step) => {
    const { server, client } = await start([step, step, good]);
    await client.call(addThing, newThing);
    expect(server.seen.length).toBe(3);
  });

  test.each([
    ['502 with retryable false', json(502, { retryable: false }), 502],
    ['502 with retryable "true"', json(502, { retryable: 'true' }), 502],
    ['502 with garbage', text(502, '{"retryable": true', {}), 502],
    ['502 without a body', text(502, ''), 502],
    ['503', json(503, {}), 503],
    ['503 with retryable true', json(503, { retryable: true }), 503],
    ['504', json(504, {}), 504],
    ['500', json(500, {}), 500],
  ])('is sent once when answered with %s', async (_name, step, status) => {
    const { server, client } = await start([step, good]);
    const error = await errorOf(client.call(addThing, newThing));
    expect(error).toMatchObject({ code: 'upstream_failed', retry: 'never', hint: readBack });
    expect(error.upstream?.status).toBe(status);
    expect(server.seen.length).toBe(1);
  });

  test.each([
    ['a reset', reset, 'things_create was sent, but the connection ended before its answer came'],
    [
      'half an answer',
      half(201),
      'things_create: the connection ended in the middle of the answer (status 201)',
    ],
  ])('whose answer was lost to %s says that the outcome is unknown', async (_name, step, told) => {
    const { server, client } = await start([step, good]);
    const error = await errorOf(client.call(addThing, newThing));
    expect(error).toMatchObject({ code: 'upstream_failed', retry: 'never', hint: readBack });
    expect(error.message).toBe(`${told}. It was sent; whether it was carried out is unknown.`);
    expect(server.seen.length).toBe(1);
  });

  test('builds its multipart body for each attempt', async () => {
    const { server, client } = await start([json(429, {}), json(502, { retryable: true }), good]);
    const file = { name: 'a.bin', content: Buffer.alloc(200_000, 'q') };
    await client.call(uploadThing, { project: 'cells', file });
    expect(server.seen.map(({ body }) => body.includes(Buffer.alloc(200_000, 'q')))).toEqual([
      true,
      true,
      true,
    ]);
  });
});

describe('a service that is not there', () => {
  test.each([
    ['read', readThing],
    ['write', addThing],
  ] as const)('gives an error that nothing was sent, for a %s', async (_name, operation) => {
    const port = await closedPort();
    const client = clientOf(`http://127.0.0.1:${port}`);
    opened.push(client);
    const error = await errorOf(client.call(operation, { ...inThing, ...newThing }));
    expect(error).toMatchObject({ code: 'unreachable', retry: 'safe' });
    expect(error.message).toBe(
      `${operation.id} was not sent: http://127.0.0.1:${port} could not be reached (ECONNREFUSED).`,
    );
    expect(error.hint).toContain('FOVEA_BASE_URL');
  });

  test('is asked 4 times, also for a write', async () => {
    let waits = 0;
    const random = () => {
      waits++;
      return 1;
    };
    const client = clientOf(`http://127.0.0.1:${await closedPort()}`, { random });
    opened.push(client);
    expect((await errorOf(client.call(addThing, newThing))).code).toBe('unreachable');
    expect(waits).toBe(3);
  });

  test('gives the name that could not be found', async () => {
    const client = clientOf('http://fovea-no-such-host.invalid');
    opened.push(client);
    const error = await errorOf(client.call(addThing, newThing));
    expect(error).toMatchObject({ code: 'unreachable', retry: 'safe' });
    expect(error.message).toContain('http://fovea-no-such-host.invalid could not be reached');
  });
});

describe('Retry-After', () => {
  test('in seconds is waited for, no less', async () => {
    const { server, client } = await start([json(429, {}, { 'retry-after': '1' }), good]);
    await client.call(addThing, newThing);
    const [first, second] = server.seen;
    expect((second?.atMs ?? 0) - (first?.atMs ?? 0)).toBeGreaterThanOrEqual(990);
  });

  test('of 0 is sent again at once', async () => {
    const wait = { retryDelayMs: { min: 60_000, max: 60_000 }, random: () => 1 };
    const { server, client } = await start([json(503, {}, { 'retry-after': '0' }), good], wait);
    await client.call(readThing, inThing);
    expect(server.seen.length).toBe(2);
  });

  test('that is longer than the call may take fails at once, with the wait', async () => {
    const { server, client } = await start([json(429, {}, { 'retry-after': '86400' })]);
    const error = await errorOf(client.call(readThing, inThing));
    expect(error).toMatchObject({
      code: 'rate_limited',
      retry: 'after',
      retryAfterSeconds: 86_400,
      message: 'things_get failed with status 429: too many requests; it asks to wait 86400 s.',
    });
    expect(server.seen.length).toBe(1);
  });

  const until = 'Retry-After: Fri, 20 Nov 2026 12:00:30 GMT\r\n';
  const ofAnswer = 'Date: Fri, 20 Nov 2026 12:00:05 GMT\r\n';
  const at = Date.UTC(2026, 10, 20, 12);
  test.each([
    ['the clock, where it has none', '', at, 30],
    ['the clock, where it has none that can be read', 'Date: today\r\n', at, 30],
    ['its date, by a clock a year behind', ofAnswer, Date.UTC(2025, 10, 20, 12), 25],
    ['its date, by a clock a year ahead', ofAnswer, Date.UTC(2027, 10, 20, 12), 25],
  ])('as a date is counted from %s', async (_name, date, now, seconds) => {
    const head = `HTTP/1.1 503 Away\r\n${until}${date}Content-Length: 0\r\n\r\n`;
    const { server, client } = await start([raw(head)], { clock: settableClock(now) });
    const error = await errorOf(client.call(readThing, inThing));
    expect(error).toMatchObject({
      code: 'upstream_failed',
      retry: 'after',
      retryAfterSeconds: seconds,
    });
    expect(server.seen.length).toBe(1);
  });

  test('as a date that has passed is sent again at once', async () => {
    const date = { 'retry-after': 'Fri, 20 Nov 2020 12:00:30 GMT' };
    const wait = { retryDelayMs: { min: 60_000, max: 60_000 }, random: () => 1 };
    const { server, client } = await start([json(429, {}, date), good], wait);
    await client.call(readThing, inThing);
    expect(server.seen.length).toBe(2);
  });

  test.each(['1.5', '-3', 'soon', '2026-11-20', '1e9', ''])(
    'of %j says nothing',
    async (header) => {
      const step = json(429, {}, { 'retry-after': header });
      const { server, client } = await start([step, good]);
      await client.call(readThing, inThing);
      expect(server.seen.length).toBe(2);
    },
  );
});

describe('the deadline', () => {
  test.each([
    ['that never answers', stall],
    ['that drips', drip(200)],
  ])('ends a read from a service %s, over all attempts', async (_name, step) => {
    const { server, client } = await start([json(503, {}), step], { timeoutMs: 300 });
    const error = await errorOf(client.call(readThing, inThing));
    expect(error).toMatchObject({
      code: 'timed_out',
      retry: 'safe',
      message: 'things_get had no complete answer within 300 ms.',
    });
    await server.allClosed();
    expect(server.seen.length).toBe(2);
  });

  test('ends a write, whose outcome is then unknown', async () => {
    const { server, client } = await start([stall]);
    const error = await errorOf(client.call(addThing, newThing, { timeoutMs: 200 }));
    expect(error).toMatchObject({ code: 'timed_out', retry: 'never', hint: readBack });
    expect(error.message).toContain('whether it was carried out is unknown');
    expect(server.seen.length).toBe(1);
  });

  test('leaves no time for a back-off that would end after it', async () => {
    const wait = { retryDelayMs: { min: 60_000, max: 60_000 }, random: () => 1 };
    const { server, client } = await start([json(503, {})], wait);
    const error = await errorOf(client.call(readThing, inThing));
    expect(error).toMatchObject({ code: 'upstream_failed', upstream: { status: 503 } });
    expect(server.seen.length).toBe(1);
  });

  test('also holds while the service is found', async () => {
    const upstream = () => new Promise<never>(() => undefined);
    const client = clientOf('', { upstreams: { base: upstream, device: upstream } });
    opened.push(client);
    const error = await errorOf(client.call(addThing, newThing, { timeoutMs: 50 }));
    expect(error).toMatchObject({ code: 'unreachable', retry: 'safe' });
    expect(error.message).toContain('It was not carried out.');
  });
});

describe('a cancelled call', () => {
  test.each([
    ['waits for an answer', stall],
    ['reads an answer', drip(200)],
  ])('closes its socket while it %s', async (_name, step) => {
    const { server, client } = await start([step]);
    const cancel = new AbortController();
    const call = errorOf(client.call(readThing, inThing, { signal: cancel.signal }));
    while (server.seen.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    expect(server.open()).toBe(1);
    cancel.abort();
    expect(await call).toMatchObject({ code: 'cancelled', retry: 'safe' });
    await server.allClosed();
    expect(server.seen.length).toBe(1);
  });

  test('ends at once in the middle of a back-off', async () => {
    const { server, client } = await start([json(429, {}, { 'retry-after': '4' })]);
    const cancel = new AbortController();
    const call = errorOf(client.call(addThing, newThing, { signal: cancel.signal }));
    while (server.seen.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    setTimeout(() => cancel.abort(), 20);
    expect(await call).toMatchObject({ code: 'cancelled', retry: 'safe' });
    expect(server.seen.length).toBe(1);
  });

  test('that was a write says that the outcome is unknown', async () => {
    const { server, client } = await start([stall]);
    const cancel = new AbortController();
    const call = errorOf(client.call(addThing, newThing, { signal: cancel.signal }));
    while (server.seen.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    cancel.abort();
    expect(await call).toMatchObject({ code: 'cancelled', retry: 'never', hint: readBack });
  });

  test('from the start sends nothing', async () => {
    const { server, client } = await start([good]);
    const call = client.call(addThing, newThing, { signal: AbortSignal.abort() });
    expect(await errorOf(call)).toMatchObject({ code: 'cancelled', retry: 'safe' });
    expect(server.connections()).toBe(0);
  });
});

test('close ends what runs and refuses what comes after', async () => {
  const { server, client } = await start([stall]);
  const call = errorOf(client.call(readThing, inThing));
  while (server.seen.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  await client.close();
  expect((await call).code).toBe('cancelled');
  await server.allClosed();
  expect(await errorOf(client.call(readThing, inThing))).toMatchObject({
    code: 'cancelled',
    message: 'The client is closed.',
  });
});
