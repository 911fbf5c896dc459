// Links to stored files: good for an hour, for one file, and for whoever calls this service.

import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/clock.ts';
import { images } from '../../../src/contract/images.ts';
import { projects } from '../../../src/contract/projects.ts';
import { openSigningKey } from '../../../src/platform/signed-links/signing-key.ts';
import { testImage } from '../../fixtures/images.ts';
import { startTestPlatform, type TestPlatform } from '../../fixtures/platform.ts';
import { temporaryFolder } from '../../fixtures/temporary-folder.ts';

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
  pixels = await testImage(1);
});

afterAll(() => platform.close());

async function link(shade: number): Promise<URL> {
  const { call } = platform.client;
  const file = { name: `${shade} "ä".png`, content: await testImage(shade) };
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

describe('the key behind them', () => {
  it('is made once, whoever makes it, and nobody else can read it', async () => {
    const data = await temporaryFolder();
    const keys = await Promise.all(Array.from({ length: 8 }, () => openSigningKey(data)));
    const signatures = new Set(keys.map((key) => key.sign('blob', ['a', 1])));
    expect(signatures.size).toBe(1);
    expect(await readdir(data)).toEqual(['link-key']);
    const { mode, size } = await stat(join(data, 'link-key'));
    expect([mode & 0o777, size]).toEqual([0o600, 32]);
    const again = await openSigningKey(data);
    expect(again.isSigned('blob', ['a', 1], [...signatures].join())).toBe(true);
  });

  it('signs each value in its place, and for one purpose', async () => {
    const key = await openSigningKey(await temporaryFolder());
    const signature = key.sign('blob', ['a', 'b']);
    expect(key.isSigned('blob', ['a', 'b'], signature)).toBe(true);
    for (const values of [['a,b'], ['ab'], ['b', 'a'], ['a'], ['a', 'b', '']]) {
      expect(key.isSigned('blob', values, signature)).toBe(false);
    }
    expect(key.isSigned('upload', ['a', 'b'], signature)).toBe(false);
    const other = await openSigningKey(await temporaryFolder());
    expect(other.isSigned('blob', ['a', 'b'], signature)).toBe(false);
  });

  it('that is damaged is refused, and not made anew', async () => {
    const data = await temporaryFolder();
    await writeFile(join(data, 'link-key'), 'short');
    await expect(openSigningKey(data)).rejects.toMatchObject({ code: 'internal' });
    expect(await readFile(join(data, 'link-key'), 'utf8')).toBe('short');
  });
});
