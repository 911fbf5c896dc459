// Images read in threads, within a budget of memory: what is refused by its header, what is read
// although it is as large as images may be, and that large ones hold up nobody.

import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import {
  decodeSmall,
  encodeImage,
  encodeMask,
  fitImage,
  readDescribedImage,
  readImageHeader,
  reencode,
  scalePixels,
} from '../../src/imaging/image-thread-pool.ts';
import { greedyImages } from '../fixtures/oversized-images.ts';

const plain = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 3, background: '#1478c8' }, limitInputPixels: false });

const greedy = await greedyImages();

describe('an image that takes too much', () => {
  test.each(greedy)('is refused by its header: $name', async ({ bytes, message }) => {
    for (const read of [readImageHeader, readDescribedImage]) {
      await expect(read(bytes)).rejects.toMatchObject({
        code: 'too_large',
        message: `file: ${message}`,
        problems: [{ path: 'file', message }],
      });
    }
  });

  test('is told what to send instead', async () => {
    const [first] = greedy;
    await expect(readDescribedImage(first?.bytes ?? new Uint8Array())).rejects.toMatchObject({
      hint: 'Send it as a baseline JPEG or as a PNG without interlacing, or make it smaller.',
    });
  });
});

describe('an image of the largest size', () => {
  test('is read where it can be streamed, as a baseline JPEG', async () => {
    const raw = { width: 16_400, height: 10_900, channels: 1 } as const;
    const image = sharp(Buffer.alloc(raw.width * raw.height, 100), {
      raw,
      limitInputPixels: false,
    });
    const { file, descriptor } = await readDescribedImage(
      await image.jpeg({ quality: 1 }).toBuffer(),
    );
    expect(file).toMatchObject({ format: 'jpeg', width: 16_400, height: 10_900 });
    expect(descriptor?.vector).toHaveLength(64);
  }, 120_000);
});

describe('images in threads', () => {
  test('large ones and small ones come together, each as it is', async () => {
    // Interlaced, 62 MB: each has a thread of its own.
    const large = await plain(5_200, 4_000).png({ progressive: true }).toBuffer();
    const small = await plain(40, 30).png({ progressive: true }).toBuffer();
    const cut = large.subarray(0, large.length - 500);
    const outcomes = [large, small, cut, large, small, small].map((bytes) =>
      readDescribedImage(bytes).then(
        ({ file }) => file.width,
        ({ code }) => code,
      ),
    );
    expect(await Promise.all(outcomes)).toEqual([5_200, 40, 'invalid_input', 5_200, 40, 40]);
  });

  test('leave the bytes of their callers alone', async () => {
    const bytes = await plain(40, 30).png().toBuffer();
    const before = Buffer.from(bytes);
    await readDescribedImage(bytes);
    expect(bytes.equals(before)).toBe(true);
  });

  test('are drawn, scaled and written there', async () => {
    const bytes = await plain(40, 30).png().toBuffer();
    const { image } = await decodeSmall(bytes, 20, 1);
    expect([image.width, image.height, ...image.data.subarray(0, 3)]).toEqual([
      20, 15, 20, 120, 200,
    ]);
    const fitted = await fitImage(bytes, { width: 8, height: 6 });
    expect([fitted.width, fitted.height, fitted.data.length]).toEqual([8, 6, 144]);
    const scaled = await scalePixels(image, { width: 4, height: 3 });
    expect([...scaled.data.subarray(0, 3)]).toEqual([20, 120, 200]);
    expect(await encodeImage(image)).toMatchObject({ contentType: 'image/jpeg', width: 20 });
    const smaller = await sharp(await reencode(bytes, 0.5, 90)).metadata();
    expect([smaller.format, smaller.width, smaller.height]).toEqual(['jpeg', 20, 15]);
    const mask = { data: Uint8Array.of(0, 1, 2, 255), width: 2, height: 2 };
    const { data } = await sharp(await encodeMask(mask))
      .raw()
      .toBuffer({ resolveWithObject: true });
    expect([...data.filter((_, at) => at % (data.length / 4) === 0)]).toEqual([0, 1, 2, 255]);
  });

  test.each([
    ['no bytes', 0, 'invalid_input'],
    ['more than 20 MB', 20 * 1024 * 1024 + 1, 'too_large'],
  ])('refuse %s', async (_case, length, code) => {
    await expect(readDescribedImage(new Uint8Array(length))).rejects.toMatchObject({ code });
  });
});

describe('the header of a WebP', () => {
  test.each([
    ['lossy', { quality: 50 }],
    ['lossless', { lossless: true }],
    ['with transparency', { alphaQuality: 90 }],
  ])('%s: size and orientation', async (_case, options) => {
    const turned = plain(33, 21).ensureAlpha(0.5).webp(options).withMetadata({ orientation: 6 });
    expect(await readImageHeader(await turned.toBuffer())).toMatchObject({
      format: 'webp',
      width: 33,
      height: 21,
      orientation: 6,
    });
    const upright = await plain(33, 21).webp(options).toBuffer();
    expect(await readImageHeader(upright)).toMatchObject({ width: 33, height: 21, orientation: 1 });
  });
});
