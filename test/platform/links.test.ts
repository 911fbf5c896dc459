// Links to stored files: good for an hour, for one file, and for whoever calls this service.

import { request } from 'node:http';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import { images } from '../../src/contract/images.ts';
import { projects } from '../../src/contract/projects.ts';
import { picture } from '../fixtures/pictures.ts';
import { startTestPlatform, type TestPlatform } from '../fixtures/platform.ts';

let platform: TestPlatform;
let pixels: Buffer;
let aheadMs = 0;

beforeAll(async () => {
  const clock = { ...systemClock, now: () => systemClock.now() + aheadMs };
  platform = await startTestPlatform({ clock });
  await platform.client.call(projects.projects_create, {
    workspace: 'acme',
    name: 'Cells',
    type: 'object-detection',
    annotation: 'cells',
  });
  pixels = await picture(1);
});

afterAll(() => platform.close());

async function link(shade: number): Promise<URL> {
  const { call } = platform.client;
  const file = { name: `${shade} "ä".png`, content: await picture(shade) };
  const { body } = await call(images.images_upload, { project: 'cells', file });
  const at = { workspace: 'acme', project: 'cells', imageId: body.id };
  return new URL(String((await call(images.images_get, at)).body.image.urls?.original));
}

function changed(url: URL, name: string, value: string): URL {
  const copy = new URL(url);
  copy.searchParams.set(name, value);
  return copy;
}

it('gives the file without a credential, to be saved under its name', async () => {
  const answer = await fetch(await link(1));
  expect(answer.status).toBe(200);
  expect(Buffer.from(await answer.arrayBuffer()).equals(pixels)).toBe(true);
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    'content-type': 'image/png',
    'content-disposition': `attachment; filename="1 ___.png"; filename*=UTF-8''1%20%22%C3%A4%22.png`,
    'content-length': String(pixels.length),
    'content-security-policy': "default-src 'none'; sandbox",
  });
});

it('gives a part of it', async () => {
  const answer = await fetch(await link(1), { headers: { range: 'bytes=1-3' } });
  expect(answer.status).toBe(206);
  expect(await answer.text()).toBe('PNG');
});

it('refuses a link that was changed in any part, and one without a signature', async () => {
  const [url, other] = [await link(1), await link(2)];
  const elsewhere = new URL(url);
  elsewhere.pathname = other.pathname;
  const unsigned = new URL(url);
  unsigned.searchParams.delete('signature');
  const wrong = [
    elsewhere,
    unsigned,
    changed(url, 'name', 'page.html'),
    changed(url, 'type', 'text/html'),
    changed(url, 'expires', '9999999999999'),
    changed(url, 'signature', String(other.searchParams.get('signature'))),
    new URL(url.pathname, url),
  ];
  for (const each of wrong) {
    const answer = await fetch(each);
    expect([each.search, answer.status]).toEqual([each.search, 403]);
    expect(await answer.json()).toMatchObject({ error: { type: 'forbidden' } });
  }
});

it('refuses pages of other origins, and other names for this service', async () => {
  const url = await link(1);
  const foreign = await fetch(url, { headers: { origin: 'https://example.com' } });
  expect(foreign.status).toBe(403);
  const { promise, resolve } = Promise.withResolvers<number | undefined>();
  request(url, { headers: { host: 'rebound.example.com' } }, (answer) => {
    answer.resume();
    resolve(answer.statusCode);
  }).end();
  expect(await promise).toBe(403);
});

it('ends after an hour', async () => {
  const url = await link(1);
  aheadMs = 59 * 60 * 1000;
  expect((await fetch(url)).status).toBe(200);
  aheadMs = 61 * 60 * 1000;
  expect((await fetch(url)).status).toBe(403);
  aheadMs = 0;
});
