// Operations that may be asked only so often: video inference status, once a minute.

import { afterEach, expect, test } from 'vitest';
import type { Client } from '../../src/http-client/client.ts';
import { Secret } from '../../src/secret.ts';
import {
  json,
  type MisbehavingServer,
  reset,
  type Step,
  stall,
  startMisbehavingServer,
} from '../fixtures/scripted-http-server.ts';
import { settableClock } from '../fixtures/settable-clock.ts';
import { apiKey, clientOf, errorOf, readVideo } from './test-operations.ts';

const opened: (MisbehavingServer | Client)[] = [];

afterEach(async () => {
  for (const each of opened.splice(0).reverse()) await each.close();
});

async function start(...steps: Step[]) {
  const server = await startMisbehavingServer(...steps);
  const clock = settableClock();
  let key = apiKey;
  const base = async () => ({ url: server.url, credential: new Secret(key) });
  // No deadline ends what these tests expect to end for another reason.
  const timeoutMs = 600_000;
  const client = clientOf(server.url, { clock, timeoutMs, upstreams: { base, device: base } });
  opened.push(server, client);
  const setKey = (value: string) => {
    key = value;
  };
  return { server, client, clock, setKey };
}

const job = { job_id: 'j1' };
const running = json(200, { status: 1 });
const done = json(200, { status: 0 });

test('the last answer is given back with its age until a minute has passed', async () => {
  const { server, client, clock } = await start(running, done);
  expect(await client.call(readVideo, job)).toEqual({ status: 200, body: { status: 1 }, ageMs: 0 });
  clock.advance(59_999);
  expect(await client.call(readVideo, job)).toMatchObject({ body: { status: 1 }, ageMs: 59_999 });
  expect(server.seen.length).toBe(1);
  clock.advance(1);
  expect(await client.call(readVideo, job)).toMatchObject({ body: { status: 0 }, ageMs: 0 });
  expect(server.seen.length).toBe(2);
});

test('another job, or another key, is another question', async () => {
  const { server, client, setKey } = await start(running);
  await client.call(readVideo, job);
  await client.call(readVideo, { job_id: 'j2' });
  setKey('another');
  expect((await client.call(readVideo, job)).ageMs).toBe(0);
  expect(server.seen.length).toBe(3);
});

test('calls at the same time share one question', async () => {
  const slow: Step = (response, socket) => setTimeout(() => running(response, socket), 50);
  const { server, client } = await start(slow);
  const replies = await Promise.all([1, 2, 3].map(() => client.call(readVideo, job)));
  expect(replies.map(({ body }) => body)).toEqual([{ status: 1 }, { status: 1 }, { status: 1 }]);
  expect(server.seen.length).toBe(1);
});

test('one that gives up does not take the answer from the others', async () => {
  const slow: Step = (response, socket) => setTimeout(() => running(response, socket), 100);
  const { server, client } = await start(slow);
  const cancel = new AbortController();
  const first = errorOf(client.call(readVideo, job, { signal: cancel.signal }));
  const second = client.call(readVideo, job);
  while (server.seen.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  cancel.abort();
  expect((await first).code).toBe('cancelled');
  expect((await second).body).toEqual({ status: 1 });
  expect(server.seen.length).toBe(1);
});

test('when all give up, the socket is closed', async () => {
  const { server, client } = await start(stall);
  const cancel = new AbortController();
  const calls = [1, 2].map(() => errorOf(client.call(readVideo, job, { signal: cancel.signal })));
  while (server.seen.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  cancel.abort();
  expect((await Promise.all(calls)).map(({ code }) => code)).toEqual(['cancelled', 'cancelled']);
  await server.allClosed();
});

test('an error counts as an answer: it is not asked for again before its time', async () => {
  const { server, client, clock } = await start(json(503, { error: 'busy' }), running);
  expect(await errorOf(client.call(readVideo, job))).toMatchObject({ upstream: { status: 503 } });
  clock.advance(20_000);
  expect(await errorOf(client.call(readVideo, job))).toMatchObject({
    code: 'upstream_failed',
    retry: 'after',
    retryAfterSeconds: 40,
  });
  expect(server.seen.length).toBe(1);
  clock.advance(40_000);
  expect((await client.call(readVideo, job)).body).toEqual({ status: 1 });
});

test('a question that was lost is asked again', async () => {
  const { server, client } = await start(reset, running);
  expect((await client.call(readVideo, job)).body).toEqual({ status: 1 });
  expect(server.seen.length).toBe(2);
});
