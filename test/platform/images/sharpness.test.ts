// The sharpness of images: measured behind their upload, by which outliers are told; and of images
// of before it was, in the background.

import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { expect, it, onTestFinished, vi } from 'vitest';
import { images } from '../../../src/contract/images.ts';
import { projectExtensions, projects } from '../../../src/contract/projects.ts';
import { search } from '../../../src/contract/search.ts';
import { startTestPlatform, type TestPlatform } from '../../fixtures/platform.ts';

const where = { workspace: 'acme', project: 'cells' };
const sample = 'sample/blood-cells/JPEGImages';
const looks = process.env.FOVEA_TEST_DATABASE === 'postgres' ? 'image_looks' : 'likeness_vectors';

async function startWithProject(): Promise<TestPlatform> {
  const platform = await startTestPlatform();
  onTestFinished(() => platform.close());
  await platform.client.call(projects.projects_create, {
    workspace: 'acme',
    name: 'Cells',
    type: 'object-detection',
    annotation: 'cells',
  });
  return platform;
}

async function upload({ client }: TestPlatform, name: string, content: Uint8Array) {
  const file = { name, content };
  return (await client.call(images.images_upload, { project: 'cells', file })).body.id ?? '';
}

async function outliers({ client }: TestPlatform) {
  const wanted = { ...where, finding: 'outliers', limit: 3 } as const;
  return (await client.call(projectExtensions.projects_findings, wanted)).body;
}

/** Whole by its structure, with coded pixels that mean nothing. */
async function damagedImage(): Promise<Uint8Array> {
  const bytes = await readFile(join(sample, 'BloodImage_00338.jpg'));
  const start = bytes.indexOf(Buffer.from([0xff, 0xda])) + 200;
  bytes.fill(0, start, bytes.length - 200);
  return bytes;
}

it('tells blank images, noise and those out of focus, and says how it knows', async () => {
  const platform = await startWithProject();
  const names = await readdir(sample);
  for (const name of names) await upload(platform, name, await readFile(join(sample, name)));
  const few = await outliers(platform);
  expect(few.sharpness).toEqual({ measured: 12, unmeasured: 0 });
  for (const name of names) {
    await upload(
      platform,
      `turned-${name}`,
      await sharp(await readFile(join(sample, name)))
        .rotate(180)
        .png()
        .toBuffer(),
    );
  }
  const size = { width: 640, height: 480, channels: 3 } as const;
  const blank = await sharp({ create: { ...size, background: '#aaa' } })
    .png()
    .toBuffer();
  // Numbers of a linear congruential generator.
  let state = 1;
  const pixels = Uint8Array.from({ length: 640 * 480 * 3 }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state >>> 24;
  });
  const blurred = sharp(await readFile(join(sample, 'BloodImage_00040.jpg'))).blur(8);
  await upload(platform, 'blank.png', blank);
  await upload(platform, 'noise.png', await sharp(pixels, { raw: size }).png().toBuffer());
  await upload(platform, 'blurred.png', await blurred.png().toBuffer());
  await upload(platform, 'damaged.jpg', await damagedImage());
  const found = await outliers(platform);
  expect(found.sharpness).toMatchObject({ measured: 27, unmeasured: 1 });
  const less = 'far less fine detail than the others, as if blank or out of focus';
  const { low = 0, high = 0 } = found.sharpness ?? {};
  expect(found.images).toMatchObject([
    { name: 'blank.png', sharpness: expect.closeTo(-9.21, 2) },
    { name: 'noise.png', sharpness: expect.closeTo(2.8, 0) },
    { name: 'blurred.png' },
  ]);
  const reasons = found.images?.map(({ reason }) => reason) ?? [];
  expect(reasons[0]).toContain(`${less} (sharpness -9.21, fence ${low.toFixed(2)})`);
  expect(reasons[1]).toContain('far more fine detail than the others, as noise has (sharpness 2.');
  expect(reasons[1]).toContain(`, fence ${high.toFixed(2)})`);
  expect(reasons[2]).toContain(less);
});

it('is measured of images of before, whose looks stay as they are; a lost file is named', async () => {
  const platform = await startWithProject();
  const kept = await upload(
    platform,
    'kept.jpg',
    await readFile(join(sample, 'BloodImage_00040.jpg')),
  );
  const lost = await upload(
    platform,
    'lost.jpg',
    await readFile(join(sample, 'BloodImage_00055.jpg')),
  );
  const look = async () => {
    const asked = { ...where, like_image: kept, fields: ['embedding' as const] };
    return (await platform.client.call(search.images_search, asked)).body.results[0]?.embedding;
  };
  const { body: shown } = await platform.client.call(images.images_get, {
    ...where,
    imageId: lost,
  });
  const hash = String(shown.image.hash);
  await platform.client.call(projects.projects_health, where);
  const before = await look();
  expect(await outliers(platform)).toMatchObject({ sharpness: { measured: 2, unmeasured: 0 } });
  await rm(join(platform.data, 'blobs', hash.slice(0, 2), hash));
  // As an older Fovea has left them.
  await platform.query(`UPDATE ${looks} SET sharpness = NULL`);
  const open = `SELECT count(*) AS n FROM ${looks} WHERE sharpness IS NULL`;
  await vi.waitUntil(async () => Number((await platform.query(open))[0]?.n) === 1, 20_000);
  await vi.waitFor(
    async () => {
      const { body } = await platform.client.call(projects.projects_health, where);
      const reason = 'its file is lost';
      expect(body.unreadable).toMatchObject({ total: 1, images: [{ id: lost, reason }] });
    },
    { timeout: 20_000 },
  );
  expect(await outliers(platform)).toMatchObject({ sharpness: { measured: 1, unmeasured: 1 } });
  expect(before).toHaveLength(64);
  expect(await look()).toEqual(before);
});
