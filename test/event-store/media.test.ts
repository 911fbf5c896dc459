// The bytes of stored files over HTTP: whole, in ranges, known already, and never run by a browser.

import { rm } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  openTestEventStore,
  pathOfFile,
  plainEvent,
  type TestEventStore,
  tinyPng,
} from '../fixtures/event-store.ts';

const mp4 = Buffer.from('AAAAIGZ0eXBpc29tAAACAGlz', 'base64');
const page = Buffer.from('<script>alert(1)</script>');

let service: TestEventStore;
let draft: string;
let image: string;
let video: string;
let note: string;

beforeAll(async () => {
  service = await openTestEventStore();
  const images = [{ base64Image: tinyPng.toString('base64') }];
  const created = await service.post('/v2/events', { ...plainEvent, images, draft: true });
  draft = created.text('id');
  image = `/images/${Object(created.body).image_ids[0]}`;
  video = `/videos/${await attach('videos', Buffer.concat([mp4, Buffer.alloc(1_000_000, 'v')]))}`;
  note = `/local-only-files/${await attach('local-only-files', page, 'text/html')}`;
});

afterAll(() => service.close());

async function attach(kind: string, content: Buffer, type?: string): Promise<string> {
  const fields = type === undefined ? [] : [['content_type', type] as const];
  const parts = [...fields, ['file', content] as const];
  return (await service.upload(`/v2/events/${draft}/${kind}`, parts)).text('file_id');
}

async function get(path: string, headers: Record<string, string> = {}, method = 'GET') {
  const response = await fetch(`${service.url}${path}`, { headers, method });
  const bytes = Buffer.from(await response.arrayBuffer());
  return { status: response.status, headers: Object.fromEntries(response.headers), bytes };
}

const idOf = (path: string) => path.slice(path.lastIndexOf('/') + 1);

describe('a file is served', () => {
  test('with its type and for ever, but only to those who may have it', async () => {
    const { status, headers, bytes } = await get(image);
    expect(status).toBe(200);
    expect(bytes.equals(tinyPng)).toBe(true);
    expect(headers).toMatchObject({
      'content-type': 'image/png',
      'content-length': '70',
      'accept-ranges': 'bytes',
      etag: `"${idOf(image)}"`,
      'cache-control': 'private, max-age=31536000, immutable',
      'cross-origin-resource-policy': 'same-origin',
      'content-security-policy': "default-src 'none'; sandbox",
      'x-content-type-options': 'nosniff',
    });
    expect(headers['content-disposition']).toBeUndefined();
  });

  test('in parts', async () => {
    const part = await get(video, { range: 'bytes=17-19' });
    expect(part).toMatchObject({ status: 206, bytes: Buffer.from('svv') });
    expect(part.headers['content-range']).toBe('bytes 17-19/1000018');
    const last = await get(video, { range: 'bytes=-2' });
    expect(last).toMatchObject({ status: 206, bytes: Buffer.from('vv') });
    const middle = await get(video, { range: 'bytes=300000-' });
    expect(middle.bytes.length).toBe(700_018);
    expect((await get(video, { range: 'bytes=1000018-' })).status).toBe(416);
  });

  test('without its bytes for HEAD', async () => {
    const { status, headers, bytes } = await get(video, {}, 'HEAD');
    expect(status).toBe(200);
    expect(headers['content-length']).toBe('1000018');
    expect(bytes.length).toBe(0);
  });

  test.each([
    ['its tag', () => `"${idOf(image)}"`],
    ['its weak tag', () => `W/"${idOf(image)}"`],
    ['one of several', () => `"other", "${idOf(image)}"`],
    ['any tag', () => '*'],
  ])('as known with If-None-Match: %s', async (_name, tag) => {
    const { status, headers, bytes } = await get(image, { 'if-none-match': tag() });
    expect(status).toBe(304);
    expect(headers.etag).toBe(`"${idOf(image)}"`);
    expect(bytes.length).toBe(0);
  });

  test('anew with the tag of another', async () => {
    expect((await get(image, { 'if-none-match': '"other"' })).status).toBe(200);
  });

  test('in a part only of what the caller has already', async () => {
    const range = { range: 'bytes=0-3' };
    expect((await get(video, { ...range, 'if-range': `"${idOf(video)}"` })).status).toBe(206);
    expect((await get(video, { ...range, 'if-range': '"other"' })).status).toBe(200);
    const date = 'Sat, 21 Nov 2026 07:14:38 GMT';
    expect((await get(video, { ...range, 'if-range': date })).status).toBe(200);
  });
});

describe('a local-only file', () => {
  test.each([
    'text/html',
    'image/svg+xml',
    'application/xhtml+xml',
    'text/xml',
    'application/pdf',
    'application/octet-stream',
    'Text/HTML; charset=utf-8',
  ])('of type %s is saved, and not shown', async (type) => {
    const id = await attach('local-only-files', page, type);
    const { headers, bytes } = await get(`/local-only-files/${id}`);
    expect(bytes.equals(page)).toBe(true);
    expect(headers['content-type']).toBe(type);
    expect(headers['content-disposition']).toBe(
      `attachment; filename="${id}"; filename*=UTF-8''${id}`,
    );
  });

  test.each(['text/plain; charset=utf-8', 'application/json', 'image/png', 'video/mp4'])(
    'of type %s is shown',
    async (type) => {
      const id = await attach('local-only-files', page, type);
      const { headers } = await get(`/local-only-files/${id}`);
      expect(headers['content-type']).toBe(type);
      expect(headers['content-disposition']).toBeUndefined();
    },
  );
});

describe('nothing is served', () => {
  test.each([
    ['an image as a video', () => `/videos/${idOf(image)}`],
    ['an image as a local-only file', () => `/local-only-files/${idOf(image)}`],
    ['a video as an image', () => `/images/${idOf(video)}`],
    ['a local-only file as a video', () => `/videos/${idOf(note)}`],
    ['an event', () => `/images/${draft}`],
    ['an unknown id', () => '/images/01934abc-0001-7abc-8abc-0123456789ab'],
    ['what is no id', () => '/images/..%2F..%2F..%2Fetc%2Fpasswd'],
    ['a NUL', () => '/videos/%00'],
  ])('for %s', async (_name, path) => {
    const { status, headers, bytes } = await get(path());
    expect(status).toBe(404);
    expect(JSON.parse(bytes.toString())).toEqual({
      detail: expect.stringContaining('There is no'),
    });
    expect(headers['cache-control']).toBe('no-store');
  });

  test('without the key, where one is set', async () => {
    const locked = await openTestEventStore({ settings: { API_KEY: 'a-key-for-tests' } });
    for (const path of [image, video, note]) {
      expect((await locked.get(path)).status).toBe(401);
      expect((await locked.get(path, { 'x-api-key': 'a-key-for-tests' })).status).toBe(404);
    }
    await locked.close();
  });

  test('as if it were all right, when the disk has lost it', async () => {
    const id = await attach('videos', mp4);
    await rm(pathOfFile(service.data, id));
    const answer = await service.get(`/videos/${id}`);
    expect(answer).toMatchObject({
      status: 500,
      body: { detail: 'The content of this video is missing on the disk.' },
    });
  });
});
