// Videos and local-only files attached to drafts: what is taken, and what leaves nothing behind.

import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import {
  openTestEventStore,
  plainEvent,
  type TestEventStore,
  tinyPng,
} from '../fixtures/event-store.ts';
import { videoHeads } from './video-file-headers.ts';

const mp4 = Buffer.from('AAAAIGZ0eXBpc29tAAACAGlz', 'base64');
const bytesMax = 300_000;

let service: TestEventStore;

beforeAll(async () => {
  service = await openTestEventStore({
    settings: {
      MAX_VIDEO_UPLOAD_BYTES: String(bytesMax),
      MAX_LOCAL_ONLY_UPLOAD_BYTES: String(bytesMax),
    },
  });
});

afterAll(() => service.close());

async function createDraft(): Promise<string> {
  return (await service.post('/v2/events', { ...plainEvent, draft: true })).text('id');
}

async function createFinalized(): Promise<string> {
  return (await service.post('/v2/events', plainEvent)).text('id');
}

async function stored(id: string): Promise<unknown> {
  return (await service.get(`/v2/events/${id}`)).body;
}

/** Names of all files of the service, those that are being written included. */
async function filesOnDisk(): Promise<readonly string[]> {
  const folder = join(service.data, 'files');
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
}

describe('a video', () => {
  test('is attached, listed and served', async () => {
    const id = await createDraft();
    const answer = await service.upload(`/v2/events/${id}/videos`, [
      ['file', mp4],
      ['label', 'front camera'],
    ]);
    expect(answer.status).toBe(201);
    expect(answer.body).toEqual({
      file_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      event_id: id,
      label: 'front camera',
      content_type: 'video/mp4',
      size_bytes: 18,
      message: 'Video attached.',
      kept_until: answer.text('kept_until'),
      kept_reason: 'age',
    });
    const file_id = answer.text('file_id');
    expect(await stored(id)).toMatchObject({
      videos: [{ file_id, label: 'front camera', content_type: 'video/mp4', size_bytes: 18 }],
      local_only_files: [],
      original_file_count: 1,
      current_file_count: 1,
      draft: true,
    });
    const served = await fetch(`${service.url}/videos/${file_id}`);
    expect(Buffer.from(await served.arrayBuffer()).equals(mp4)).toBe(true);
  });

  test('is called video where it has no label', async () => {
    const answer = await service.upload(`/v2/events/${await createDraft()}/videos`, [
      ['file', mp4],
    ]);
    expect(answer.body).toMatchObject({ label: 'video' });
  });

  test('may be one of several', async () => {
    const id = await createDraft();
    const labels = ['left', 'right', 'right'];
    for (const label of labels) {
      await service.upload(`/v2/events/${id}/videos`, [
        ['label', label],
        ['file', mp4],
      ]);
    }
    expect(await stored(id)).toMatchObject({ videos: labels.map((label) => ({ label })) });
    expect((await filesOnDisk()).length).toBeGreaterThanOrEqual(3);
  });

  test.each(videoHeads)('as %s is recognised as %s', async (_format, type, head) => {
    const content = Buffer.concat([Buffer.from(head, 'base64'), Buffer.alloc(200_000)]);
    const id = await createDraft();
    const answer = await service.upload(`/v2/events/${id}/videos`, [['file', content]]);
    expect(answer).toMatchObject({
      status: 201,
      body: { content_type: type, size_bytes: content.length },
    });
  });
});

describe('what is no video is refused with 415, and leaves nothing', () => {
  test.each([
    ['text', Buffer.from('this is no video')],
    ['one byte', Buffer.from('x')],
    ['a page', Buffer.from('<!doctype html><video src="a.mp4">')],
    ['an image', tinyPng],
    ['music', Buffer.from('ID3\u0004\0\0\0\0\0\0music')],
    ['an archive', Buffer.from('UEsDBBQAAAAIAA==', 'base64')],
    ['zeros', Buffer.alloc(100_000)],
    ['a video with something before it', Buffer.concat([Buffer.from('x'), mp4])],
  ])('%s', async (_name, content) => {
    const before = await filesOnDisk();
    const id = await createDraft();
    const answer = await service.upload(`/v2/events/${id}/videos`, [['file', content]]);
    expect(answer.status).toBe(415);
    expect(answer.body).toEqual({
      detail:
        'file: its content is not a known video format. Send MP4, MOV, WebM, Matroska, AVI, MPEG, WMV, FLV, 3GP or Ogg video.',
    });
    expect(await stored(id)).toMatchObject({ videos: [], original_file_count: 0 });
    expect(await filesOnDisk()).toEqual(before);
  });

  test('also what says that it is one', async () => {
    const form = new FormData();
    form.set('file', new Blob(['no video'], { type: 'video/mp4' }), 'a.mp4');
    const url = `${service.url}/v2/events/${await createDraft()}/videos`;
    expect((await fetch(url, { method: 'POST', body: form })).status).toBe(415);
  });

  test('before the end of it has come', async () => {
    const content = Buffer.alloc(100_000, 'x');
    const answer = await beginUpload(service.url, await createDraft(), 'videos', content, 250_000);
    expect(answer).toContain('HTTP/1.1 415');
  });
});

describe('a local-only file', () => {
  const attach = async (content: Buffer, ...fields: (readonly [string, string])[]) => {
    const parts = [...fields, ['file', content] as const];
    return service.upload(`/v2/events/${await createDraft()}/local-only-files`, parts);
  };

  test('is attached, listed and served', async () => {
    const id = await createDraft();
    const answer = await service.upload(`/v2/events/${id}/local-only-files`, [
      ['file', Buffer.from('a,b\n1,2\n')],
      ['content_type', 'text/csv'],
    ]);
    expect(answer.status).toBe(201);
    expect(answer.body).toMatchObject({
      event_id: id,
      label: 'file',
      content_type: 'text/csv',
      size_bytes: 8,
    });
    const file_id = answer.text('file_id');
    expect(await stored(id)).toMatchObject({
      videos: [],
      local_only_files: [{ file_id, label: 'file', content_type: 'text/csv', size_bytes: 8 }],
    });
    const served = await fetch(`${service.url}/local-only-files/${file_id}`);
    expect(await served.text()).toBe('a,b\n1,2\n');
  });

  test.each([
    ['what it is', tinyPng, [], 'image/png'],
    ['what was declared, whatever it is', tinyPng, [['content_type', 'a/b']], 'a/b'],
    ['unknown', Buffer.from('a,b\n'), [], 'application/octet-stream'],
    [
      'declared with parameters',
      tinyPng,
      [['content_type', 'text/csv; charset=utf-8']],
      'text/csv; charset=utf-8',
    ],
  ] as const)('has as its type %s', async (_name, content, fields, type) => {
    expect((await attach(content, ...fields)).body).toMatchObject({ content_type: type });
  });

  test.each([
    ['notes.xml', 'application/xml'],
    ['facts.JSON', 'application/json'],
    ['notes.txt', 'text/plain'],
    ['run.toml', 'application/toml'],
    ['facts.xyz', 'application/octet-stream'],
  ])('has the type of its name, %s, where nothing else tells it', async (name, type) => {
    const form = new FormData();
    form.set('file', new Blob(['<annotation/>'], { type: 'application/octet-stream' }), name);
    const url = `${service.url}/v2/events/${await createDraft()}/local-only-files`;
    const answer = await fetch(url, { method: 'POST', body: form });
    expect(await answer.json()).toMatchObject({ content_type: type });
  });

  test.each([
    ['facts.json', 'application/json'],
    ['counts.csv', 'text/csv'],
    ['notes', 'text/plain'],
    ['page.html', 'text/plain'],
  ])('has the type of its name, %s, where its part declares none', async (name, type) => {
    const body = `--XX\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\n\r\na,b${partEnd}`;
    const url = `${service.url}/v2/events/${await createDraft()}/local-only-files`;
    const headers = { 'content-type': 'multipart/form-data; boundary=XX' };
    const answer = await fetch(url, { method: 'POST', headers, body });
    expect(await answer.json()).toMatchObject({ content_type: type });
  });

  test.each([
    ['page.html', 'application/octet-stream', 'application/octet-stream'],
    ['drawing.svg', 'application/octet-stream', 'application/octet-stream'],
    ['page.html', 'text/html', 'text/html'],
    ['drawing.svg', 'image/svg+xml', 'image/svg+xml'],
    ['notes.xml', 'application/octet-stream', 'application/xml'],
  ])('that a browser could run, %s declared as %s, is a download', async (name, declared, type) => {
    const form = new FormData();
    form.set('file', new Blob(['<p>a</p>'], { type: declared }), name);
    const url = `${service.url}/v2/events/${await createDraft()}/local-only-files`;
    const answer: unknown = await (await fetch(url, { method: 'POST', body: form })).json();
    expect(answer).toMatchObject({ content_type: type });
    const fileId = new Map(Object.entries(Object(answer))).get('file_id');
    const { headers } = await fetch(`${service.url}/local-only-files/${fileId}`);
    expect(headers.get('content-disposition')).toMatch(/^attachment/);
    expect(headers.get('x-content-type-options')).toBe('nosniff');
  });

  test('has the type of its part where nothing better is known', async () => {
    const form = new FormData();
    form.set('file', new Blob(['a,b\n'], { type: 'text/csv' }), 'a.csv');
    const url = `${service.url}/v2/events/${await createDraft()}/local-only-files`;
    const answer = await fetch(url, { method: 'POST', body: form });
    expect(await answer.json()).toMatchObject({ content_type: 'text/csv' });
  });

  test.each([
    ['an empty label', ['label', '']],
    ['a label of 201 characters', ['label', 'x'.repeat(201)]],
    ['a label with a line end', ['label', 'a\r\nb']],
    ['a type that is none', ['content_type', 'csv']],
    ['an empty type', ['content_type', '']],
    ['a type with a line end', ['content_type', 'text/csv\r\nSet-Cookie: a=b']],
    ['a type of 300 characters', ['content_type', `text/csv; a=${'x'.repeat(290)}`]],
  ] as const)('with %s is refused with 422, and leaves nothing', async (_name, field) => {
    const before = await filesOnDisk();
    const answer = await attach(Buffer.from('content'), field);
    expect(answer.status).toBe(422);
    expect(answer.body).toMatchObject({
      detail: [{ loc: ['body', field[0]], type: 'value_error' }],
    });
    expect(await filesOnDisk()).toEqual(before);
  });

  test('may have a label of 200 characters of any script', async () => {
    const label = 'é漢'.repeat(100);
    expect((await attach(tinyPng, ['label', label])).body).toMatchObject({ label });
  });
});

describe.each(['videos', 'local-only-files'])('for %s', (kind) => {
  test('404 comes before the body is read', async () => {
    const id = '01934abc-0001-7000-8abc-0123456789ab';
    const answer = await beginUpload(service.url, id, kind, mp4.subarray(0, 1), 250_000);
    expect(answer).toContain('HTTP/1.1 404');
    expect(answer).toContain(`There is no event \\"${id}\\".`);
  });

  test('409 comes before the body is read', async () => {
    const answer = await beginUpload(
      service.url,
      await createFinalized(),
      kind,
      mp4.subarray(0, 1),
      250_000,
    );
    expect(answer).toContain('HTTP/1.1 409');
    expect(answer).toContain('The event is finalized: files can be attached to drafts only.');
  });

  test('409 comes for an event that is finalized meanwhile, and leaves nothing', async () => {
    const before = await filesOnDisk();
    const id = await createDraft();
    const { promise: halfWay, resolve: goOn } = Promise.withResolvers<void>();
    const body = async function* () {
      yield Buffer.concat([Buffer.from(partHead), mp4, Buffer.alloc(100_000)]);
      await halfWay;
      yield Buffer.from(partEnd);
    };
    const answering = fetch(`${service.url}/v2/events/${id}/${kind}`, {
      method: 'POST',
      headers: { 'content-type': 'multipart/form-data; boundary=XX' },
      body: ReadableStream.from(body()),
      duplex: 'half',
    });
    expect((await service.post(`/v2/events/${id}/finalize`)).status).toBe(200);
    goOn();
    expect((await answering).status).toBe(409);
    expect(await stored(id)).toMatchObject({ videos: [], local_only_files: [] });
    expect(await filesOnDisk()).toEqual(before);
  });

  test('413 comes for one byte too many, and leaves nothing', async () => {
    const before = await filesOnDisk();
    const id = await createDraft();
    const path = `/v2/events/${id}/${kind}`;
    const content = Buffer.concat([mp4, Buffer.alloc(bytesMax - mp4.length)]);
    const tooLarge = await service.upload(path, [['file', Buffer.concat([content, mp4])]]);
    expect(tooLarge.status).toBe(413);
    expect(tooLarge.body).toEqual({ detail: 'file: may have 300000 bytes.' });
    expect(await filesOnDisk()).toEqual(before);
    const fits = await service.upload(path, [['file', content]]);
    expect(fits).toMatchObject({ status: 201, body: { size_bytes: 300_000 } });
  });

  test('400 comes for other bodies, and leaves nothing', async () => {
    const before = await filesOnDisk();
    const path = `/v2/events/${await createDraft()}/${kind}`;
    const missing = await service.upload(path, [['label', 'front']]);
    expect(missing).toMatchObject({ status: 400, body: { detail: 'file: is missing.' } });
    const empty = await service.upload(path, [['file', new Uint8Array()]]);
    expect(empty).toMatchObject({ status: 400, body: { detail: 'file: is empty.' } });
    const twice = await service.upload(path, [
      ['file', mp4],
      ['file', mp4],
    ]);
    expect(twice).toMatchObject({ status: 400, body: { detail: 'file: is given twice.' } });
    const json = await service.post(path, { file: 'x' });
    expect(json.status).toBe(400);
    expect(await filesOnDisk()).toEqual(before);
  });
});

test('at capacity an attachment is refused with 529 before its body is read', async () => {
  const data = await mkdtemp(join(tmpdir(), 'fovea-attachments-'));
  try {
    const roomy = await openTestEventStore({ data });
    const draft = await roomy.post('/v2/events', { ...plainEvent, draft: true });
    await roomy.close();
    // No disk has as much free, and a draft that waits for upload is not removed to make room.
    const full = await openTestEventStore({
      data,
      settings: {
        RESERVE_BYTES: '900000000000000',
        CLOUD_UPLOAD_ENABLED: 'true',
        CLOUD_UPLOAD_URL: 'http://127.0.0.1:9',
      },
    });
    const answer = await beginUpload(full.url, draft.text('id'), 'videos', mp4, 250_000);
    expect(answer).toContain('HTTP/1.1 529');
    expect(answer).toContain('"error":"capacity_blocked"');
    await full.close();
  } finally {
    await rm(data, { recursive: true });
  }
});

test('an upload that announces no size is refused where it is larger than the store', async () => {
  const small = await openTestEventStore({ settings: { MAX_BYTES: '2000000' } });
  try {
    const kept = (await small.post('/v2/events', plainEvent)).text('id');
    const draft = (await small.post('/v2/events', { ...plainEvent, draft: true })).text('id');
    const body = async function* () {
      yield Buffer.concat([Buffer.from(partHead), mp4]);
      for (let count = 0; count < 3; count += 1) yield Buffer.alloc(1_000_000);
      yield Buffer.from(partEnd);
    };
    const answer = await fetch(`${small.url}/v2/events/${draft}/videos`, {
      method: 'POST',
      headers: { 'content-type': 'multipart/form-data; boundary=XX' },
      body: ReadableStream.from(body()),
      duplex: 'half',
    });
    expect(answer.status).toBe(529);
    expect(await answer.json()).toEqual({
      detail: 'This has 3000018 bytes, and the store keeps at most 2000000.',
      error: 'capacity_blocked',
    });
    expect((await small.get(`/v2/events/${kept}`)).status).toBe(200);
    expect((await small.get(`/v2/events/${draft}`)).body).toMatchObject({ videos: [] });
    const entries = await readdir(join(small.data, 'files'), { recursive: true });
    expect(entries.filter((name) => name.includes('-') && !name.startsWith('.'))).toEqual([]);
  } finally {
    await small.close();
  }
});

const partHead = '--XX\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n';
const partEnd = '\r\n--XX--\r\n';

/** Sends the beginning of an upload, and gives the answer that comes before the rest. */
function beginUpload(
  base: string,
  eventId: string,
  kind: string,
  content: Uint8Array,
  length: number,
): Promise<string> {
  const { hostname, port, host } = new URL(base);
  const { promise, resolve } = Promise.withResolvers<string>();
  const socket = connect(Number(port), hostname);
  const lines = [
    `POST /v2/events/${eventId}/${kind} HTTP/1.1`,
    `Host: ${host}`,
    'Content-Type: multipart/form-data; boundary=XX',
    `Content-Length: ${length}`,
  ];
  socket.write(`${lines.join('\r\n')}\r\n\r\n${partHead}`);
  socket.write(content);
  socket.on('error', () => {});
  socket.once('data', (bytes) => {
    socket.destroy();
    resolve(bytes.toString('latin1'));
  });
  return promise;
}

test('what is announced and does not come has no other event removed', async () => {
  const small = await openTestEventStore({ settings: { MAX_BYTES: '2000000' } });
  onTestFinished(() => small.close());
  const image = Buffer.concat([tinyPng, Buffer.alloc(100_000)]).toString('base64');
  const ids = async () => {
    const { body } = await small.get('/v2/events?limit=100');
    return JSON.stringify(body).match(/"id":"[0-9a-f-]{36}"/g)?.length;
  };
  for (let count = 0; count < 12; count += 1) {
    await small.post('/v2/events', { ...plainEvent, images: [{ base64Image: image }] });
  }
  const draft = (await small.post('/v2/events', { ...plainEvent, draft: true })).text('id');
  const before = await ids();
  const { port } = new URL(small.url);
  const sockets = ['videos', 'local-only-files'].map((place) => {
    const socket = connect(Number(port), '127.0.0.1');
    socket.on('error', () => {});
    socket.write(
      `POST /v2/events/${draft}/${place} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n` +
        'Content-Type: multipart/form-data; boundary=XX\r\nContent-Length: 1900000\r\n\r\n--XX\r\n',
    );
    return socket;
  });
  await new Promise((resolve) => setTimeout(resolve, 500));
  expect(await small.post('/v2/events', plainEvent)).toMatchObject({ status: 201 });
  expect(await ids()).toBe((before ?? 0) + 1);
  for (const socket of sockets) socket.destroy();
});
