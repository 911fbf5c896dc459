// Images in small, by signed links: who gets them, for how long, and what they are.

import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { images } from '../../../src/contract/images.ts';
import { projects } from '../../../src/contract/projects.ts';
import { bmp1 } from '../../fixtures/bmp-files.ts';
import { testImage } from '../../fixtures/images.ts';
import { startTestPlatform, type TestPlatform } from '../../fixtures/platform.ts';

let platform: TestPlatform;

beforeAll(async () => {
  // A test sets the date.
  platform = await startTestPlatform({ inSources: true });
  await platform.client.call(projects.projects_create, {
    workspace: 'acme',
    name: 'Cells',
    type: 'object-detection',
    annotation: 'cells',
  });
});

afterAll(() => platform.close());

/** The link to the small one of a picture that is uploaded. */
async function thumbOf(content: Uint8Array, name = 'a.png'): Promise<string> {
  const { client } = platform;
  const file = { name, content };
  const { body } = await client.call(images.images_upload, { project: 'cells', file });
  const where = { workspace: 'acme', project: 'cells', imageId: body.id };
  const { image } = (await client.call(images.images_get, where)).body;
  return String(image.urls?.thumb);
}

async function sizeOf(link: string) {
  const answer = await fetch(link);
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'image/jpeg']);
  const { width, height, format } = await sharp(await answer.arrayBuffer()).metadata();
  return { width, height, format };
}

function photo(width: number, height: number) {
  const background = { r: width % 256, g: 10, b: 10 };
  return sharp({ create: { width, height, channels: 3, background } });
}

describe('a thumb', () => {
  test.each([
    ['a wide picture', 1_600, 400, { width: 320, height: 80 }],
    ['a high picture', 300, 900, { width: 107, height: 320 }],
    ['a small picture', 64, 48, { width: 64, height: 48 }],
  ])('of %s has 320 pixels at most, and is never enlarged', async (_name, width, height, small) => {
    const link = await thumbOf(await photo(width, height).png().toBuffer());
    expect(await sizeOf(link)).toEqual({ ...small, format: 'jpeg' });
  });

  test('lies as the pixels do: an orientation is not applied, as with boxes', async () => {
    const turned = await photo(400, 200).jpeg().withMetadata({ orientation: 6 }).toBuffer();
    expect(await sizeOf(await thumbOf(turned, 'turned.jpg'))).toMatchObject({ width: 320 });
  });

  test('is kept by browsers, and cannot become a program', async () => {
    const link = await thumbOf(await testImage(1));
    expect(await thumbOf(await testImage(1))).toBe(link);
    const { headers } = await fetch(link, { method: 'HEAD' });
    expect(headers.get('cache-control')).toBe('private, max-age=3600, immutable');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('content-security-policy')).toBe("default-src 'none'; sandbox");
    expect(headers.get('cross-origin-resource-policy')).toBe('same-origin');
  });
});

describe('many thumbs at once', () => {
  test('of large BMP files all come, in small', async () => {
    const contents = [1, 2, 3, 4, 5].map((pattern) => bmp1(9_000, 6_000, pattern));
    const links: string[] = [];
    for (const content of contents) links.push(await thumbOf(content, 'large.bmp'));
    const sizes = await Promise.all([...links, ...links].map(sizeOf));
    expect(new Set(sizes.map(({ width, height }) => `${width} x ${height}`))).toEqual(
      new Set(['320 x 213']),
    );
  });

  test('that cannot be made hold up no other one', async () => {
    const lost: string[] = [];
    for (const shade of [41, 42, 43, 44]) lost.push(await thumbOf(await testImage(shade)));
    const good = await thumbOf(await testImage(45));
    for (const link of lost) {
      const [, hash = ''] = /thumbs\/(\w+)/.exec(link) ?? [];
      const names = await readdir(platform.data, { recursive: true });
      const [name = ''] = names.filter((path) => path.endsWith(hash));
      await rm(join(platform.data, name));
    }
    const answers = await Promise.all([...lost, good].map((link) => fetch(link)));
    expect(answers.map(({ ok }) => ok)).toEqual([false, false, false, false, true]);
    expect((await fetch(good)).status).toBe(200);
  });
});

describe('403 for a link', () => {
  const changed: readonly [string, (link: URL, other: URL) => void][] = [
    ['without a signature', (link) => link.searchParams.delete('signature')],
    ['with another time', (link) => link.searchParams.set('expires', '99999999999999')],
    ['of another image', (link, other) => Object.assign(link, { pathname: other.pathname })],
    ['of no image', (link) => Object.assign(link, { pathname: `/thumbs/${'0'.repeat(64)}` })],
    ['with a path in its place', (link) => Object.assign(link, { pathname: '/thumbs/..%2f..' })],
    [
      'that is for the bytes themselves',
      (link) => Object.assign(link, { pathname: link.pathname.replace('thumbs', 'blobs') }),
    ],
  ];

  test.each(changed)('%s', async (_name, change) => {
    const link = new URL(await thumbOf(await testImage(2)));
    change(link, new URL(await thumbOf(await testImage(3))));
    const answer = await fetch(link);
    expect(answer.status).toBe(403);
    expect(await answer.json()).toMatchObject({ error: { type: 'forbidden' } });
  });

  test('that is two hours old, and for none that is one hour old', async () => {
    const link = await thumbOf(await testImage(4));
    const made = Date.now();
    const hour = 3_600_000;
    vi.useFakeTimers({ toFake: ['Date'], now: made + hour });
    try {
      expect((await fetch(link)).status).toBe(200);
      vi.setSystemTime(made + 2 * hour);
      expect((await fetch(link)).status).toBe(403);
    } finally {
      vi.useRealTimers();
    }
  });
});
