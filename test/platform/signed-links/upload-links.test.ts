// Uploads by link: what they may take of the disk and of each other, and what the purge removes.

import { mkdir, readdir, utimes, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../../src/clock.ts';
import { platformCredentials } from '../../../src/http-server/credentials.ts';
import { platformErrorBody } from '../../../src/http-server/responses.ts';
import { serve } from '../../../src/http-server/serve.ts';
import { createLog } from '../../../src/log.ts';
import { createSqliteStore } from '../../../src/platform/database/create-store.ts';
import { platformMigrations } from '../../../src/platform/database/migrations.ts';
import { openSigningKey } from '../../../src/platform/signed-links/signing-key.ts';
import {
  openUploads,
  type UploadsOptions,
} from '../../../src/platform/signed-links/upload-links.ts';
import { openAsyncDatabase } from '../../../src/storage/async-database.ts';
import { createTaskQueue } from '../../../src/storage/task-queue.ts';
import { settableClock } from '../../fixtures/settable-clock.ts';
import { temporaryFolder } from '../../fixtures/temporary-folder.ts';

const hour = 60 * 60 * 1000;
const bytesMax = { zip: 1_000, video: 1_000 };

async function open(more: Partial<UploadsOptions> = {}) {
  const data = await temporaryFolder();
  const clock = settableClock();
  const database = openAsyncDatabase(join(data, 'platform.db'), platformMigrations);
  onTestFinished(() => database.close());
  const work = createTaskQueue(database, { clock, owner: 'this' });
  const store = createSqliteStore(database, work);
  const { id: workspaceId } = await store.workspaces.ensure('acme', clock.now());
  let woken = 0;
  const key = await openSigningKey(data);
  const uploads = await openUploads({
    data,
    store: store.uploads,
    key,
    clock,
    bytesMax,
    ...more,
    onReceived: () => {
      woken += 1;
    },
  });
  const service = await serve({
    operations: {},
    handlers: {},
    routes: [uploads.route],
    port: 0,
    credentials: platformCredentials,
    errorBody: platformErrorBody,
    authenticate: async () => undefined,
    authorize: async () => {},
    log: createLog('error'),
    clock: systemClock,
  });
  onTestFinished(() => service.close());
  const begin = (taskId: string) =>
    uploads.start(service.url, {
      workspaceId,
      kind: 'zip',
      name: 'a',
      taskOf: (uploadId) => ({ id: taskId, kind: 'zip', payload: { workspaceId, uploadId } }),
    });
  const files = async () => {
    const ids: string[] = [];
    for await (const id of uploads.files.ids()) ids.push(id);
    return ids;
  };
  return { data, clock, work, store, uploads, begin, files, woken: () => woken };
}

/** A body whose pieces are sent one by one. */
function slowBody() {
  const { promise, resolve } = Promise.withResolvers<ReadableStreamDefaultController<Uint8Array>>();
  const body = new ReadableStream<Uint8Array>({ start: resolve });
  const send = async (piece: Uint8Array) => (await promise).enqueue(piece);
  return { body, send, end: async () => (await promise).close() };
}

/** Once so many unfinished files lie on the disk. */
async function incoming(data: string, count: number): Promise<void> {
  const folder = join(data, 'uploads', 'incoming');
  while ((await readdir(folder)).length < count) await new Promise((next) => setTimeout(next, 5));
}

async function errorOf(answer: Response): Promise<readonly [number, string]> {
  const { error } = JSON.parse(await answer.text());
  return [answer.status, error.message];
}

function put(link: string, body: NonNullable<RequestInit['body']>): Promise<Response> {
  return fetch(link, { method: 'PUT', body, duplex: 'half' });
}

it('keeps a file whose work waits or runs, however long, and removes it a day after', async () => {
  const { clock, work, uploads, begin, files, woken } = await open();
  const { link } = await begin('t1');
  expect(await work.claim(['zip'])).toBeUndefined();
  expect((await put(link, 'zip')).status).toBe(200);
  expect(woken()).toBe(1);
  clock.advance(48 * hour);
  await uploads.purge();
  expect(await files()).toHaveLength(1);
  const claim = await work.claim(['zip'], 100 * hour);
  clock.advance(24 * hour);
  await uploads.purge();
  expect(await files()).toHaveLength(1);
  await claim?.complete({});
  await uploads.purge();
  expect(await files()).toEqual([]);
  expect((await put(link, 'zip')).status).toBe(403);
});

it('fails work that nobody sends a file for, once its hour is over and not before', async () => {
  const { clock, work, uploads, begin } = await open();
  await begin('t1');
  clock.advance(hour - 1);
  await uploads.purge();
  expect(await work.get('t1')).toMatchObject({ status: 'created' });
  clock.advance(1);
  await uploads.purge();
  expect(await work.get('t1')).toMatchObject({
    status: 'failed',
    error: 'No file was uploaded within an hour.',
  });
});

it('waits for a file that is still coming when the hour ends', async () => {
  const { data, clock, work, uploads, begin } = await open();
  const { link } = await begin('t1');
  let send: ReadableStreamDefaultController<Uint8Array> | undefined;
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => {
      send = controller;
      controller.enqueue(Buffer.from('first'));
    },
  });
  const sent = put(link, body);
  await incoming(data, 1);
  clock.advance(2 * hour);
  await uploads.purge();
  expect(await work.get('t1')).toMatchObject({ status: 'created' });
  send?.enqueue(Buffer.from(' second'));
  send?.close();
  expect(await (await sent).json()).toEqual({ success: true, bytes: 12 });
  expect(await work.claim(['zip'])).toMatchObject({ id: 't1' });
});

it('stops a body beyond its bound by the bytes that come, and keeps nothing of it', async () => {
  const { uploads, begin, files } = await open();
  const { link } = await begin('t1');
  const piece = Buffer.alloc(600);
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => {
      controller.enqueue(piece);
      controller.enqueue(piece);
      controller.close();
    },
  });
  const answer = await put(link, body);
  expect([answer.status, await answer.json()]).toMatchObject([
    413,
    { error: { type: 'too_large' } },
  ]);
  expect(await files()).toEqual([]);
  expect(await uploads.files.clearUnfinished()).toBe(0);
  expect((await put(link, 'a'.repeat(1_000))).status).toBe(200);
});

it('removes what dead processes left, and nothing that is young', async () => {
  const { data, clock, uploads, files } = await open();
  const idAt = (now: number) => {
    const time = now.toString(16).padStart(12, '0');
    return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-000000000000`;
  };
  const [old, young] = [idAt(clock.now() - 26 * hour), idAt(clock.now() - 24 * hour)];
  await uploads.files.write(old, Buffer.from('a stray'));
  await uploads.files.write(young, Buffer.from('perhaps a row comes for it'));
  const incoming = join(data, 'uploads', 'incoming');
  await mkdir(incoming, { recursive: true });
  for (const [name, ageHours] of [
    ['dead', 26],
    ['alive', 1],
  ] as const) {
    await writeFile(join(incoming, name), 'half');
    const seconds = (clock.now() - ageHours * hour) / 1000;
    await utimes(join(incoming, name), seconds, seconds);
  }
  await uploads.purge();
  expect(await files()).toEqual([young]);
  expect(await uploads.files.clearUnfinished()).toBe(1);
});

const mebibyte = 1024 * 1024;
const noRoom = [529, 'There is no room on the disk for this file.'];

it('takes one file at a time by a link, and another once the first has broken off', async () => {
  const { data, begin, files } = await open();
  const { link } = await begin('t1');
  const first = slowBody();
  const stop = new AbortController();
  const sent = fetch(link, {
    method: 'PUT',
    body: first.body,
    signal: stop.signal,
    duplex: 'half',
  }).catch(() => undefined);
  await first.send(Buffer.from('first'));
  await incoming(data, 1);
  const second = await errorOf(await put(link, 'second'));
  expect(second).toEqual([409, 'A file is coming in by this link already.']);
  stop.abort();
  await sent;
  let status = 409;
  while (status === 409) ({ status } = await put(link, 'third'));
  expect(status).toBe(200);
  expect(await files()).toHaveLength(1);
});

it('takes no more files at once of one workspace than eight', async () => {
  const { data, begin } = await open();
  const bodies = Array.from({ length: 8 }, slowBody);
  const sent: Promise<Response>[] = [];
  for (const [index, { body, send }] of bodies.entries()) {
    sent.push(put((await begin(`t${index}`)).link, body));
    await send(Buffer.from('a piece'));
  }
  await incoming(data, 8);
  const { link } = await begin('t8');
  const ninth = await put(link, 'ninth');
  expect(ninth.headers.get('retry-after')).toBe('60');
  expect(await errorOf(ninth)).toEqual([429, '8 files are coming in for this workspace already.']);
  for (const { end } of bodies) await end();
  expect((await Promise.all(sent)).map(({ status }) => status)).toEqual(Array(8).fill(200));
  expect((await put(link, 'ninth')).status).toBe(200);
});

it('gives a workspace no more than 200 links that wait, and new ones when their hour is over', async () => {
  const { begin, clock } = await open();
  for (let count = 0; count < 200; count += 1) await begin(`t${count}`);
  await expect(begin('more')).rejects.toMatchObject({
    code: 'rate_limited',
    retryAfterSeconds: 60,
    message: '200 uploads of this workspace wait for their files.',
  });
  clock.advance(hour);
  await begin('more');
});

it('counts what others have yet to send: two files that do not fit together are one', async () => {
  const large = { zip: 100 * mebibyte, video: 100 * mebibyte };
  // 64 MB have to stay free.
  const free = { freeBytes: async () => 110 * mebibyte, bytesMax: large };
  const { data, begin, files } = await open(free);
  const links = [(await begin('t1')).link, (await begin('t2')).link];
  const [first = '', second = ''] = links;
  const { promise, resolve } = Promise.withResolvers<number | undefined>();
  const sent = request(first, { method: 'PUT', headers: { 'content-length': 30 * mebibyte } });
  sent.on('response', ({ statusCode }) => resolve(statusCode));
  sent.write(Buffer.alloc(1_000));
  await incoming(data, 1);
  const large30 = Buffer.alloc(30 * mebibyte);
  expect(await errorOf(await put(second, large30))).toEqual(noRoom);
  sent.end(Buffer.alloc(30 * mebibyte - 1_000));
  expect(await promise).toBe(200);
  expect((await put(second, large30)).status).toBe(200);
  expect(await files()).toHaveLength(2);
});

it('looks at the disk again while a body of unknown size comes in', async () => {
  let freeBytes = 200 * mebibyte;
  const { uploads, begin, files } = await open({
    bytesMax: { zip: 100 * mebibyte, video: 0 },
    freeBytes: async () => freeBytes,
  });
  const { link } = await begin('t1');
  const { body, send, end } = slowBody();
  const sent = put(link, body);
  await send(Buffer.alloc(mebibyte));
  freeBytes = 70 * mebibyte;
  for (let count = 0; count < 40; count += 1) await send(Buffer.alloc(mebibyte));
  await end();
  expect(await errorOf(await sent)).toEqual(noRoom);
  expect(await files()).toEqual([]);
  expect(await uploads.files.clearUnfinished()).toBe(0);
  freeBytes = 200 * mebibyte;
  expect((await put(link, 'small enough')).status).toBe(200);
});

it('cuts off a body that comes too slowly, though it is never silent', async () => {
  const { begin, files } = await open({ rate: { bytesMin: 500, stepMs: 50 } });
  const { link } = await begin('t1');
  const { body, send } = slowBody();
  const drip = setInterval(() => void send(Buffer.from('.')), 5);
  onTestFinished(() => clearInterval(drip));
  expect(await errorOf(await put(link, body))).toEqual([400, 'The file comes in too slowly.']);
  clearInterval(drip);
  expect(await files()).toEqual([]);
  expect((await put(link, 'all at once')).status).toBe(200);
});
