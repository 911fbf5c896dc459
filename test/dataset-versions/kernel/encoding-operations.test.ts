// The JPEG encoder of the kernel beside libjpeg-turbo, as sharp has it.

import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { createKernel } from '../../../src/dataset-versions/kernel/kernel.ts';
import type { RawImage } from '../../../src/imaging/raw-image.ts';
import { refusal } from './images.ts';

const folder = 'sample/blood-cells/JPEGImages';
const kernel = createKernel();

describe('beside libjpeg-turbo at the same quality', () => {
  it.each(readdirSync(folder))('%s is as near and as small', async (name) => {
    const { data, info } = await sharp(readFileSync(join(folder, name)))
      .toColourspace('srgb')
      .raw()
      .toBuffer({ resolveWithObject: true });
    const image = { data, width: info.width, height: info.height };
    for (const quality of [50, 95]) await expectAsGood(image, quality, 0.1);
  });

  it.each<[string, RawImage]>([
    ['a gradient', made(160, 120, (x, y) => [x * 1.6, y * 2, (x + y) * 0.9])],
    ['noise', noise(160, 120, 256)],
    ['noise of black, white and pure colours', noise(160, 120, 2)],
    ['black and white, pixel by pixel', made(160, 120, (x, y) => grey(((x + y) & 1) * 255))],
    ['black and white blocks', made(160, 120, (x, y) => grey((((x >> 3) + (y >> 3)) & 1) * 255))],
    ['red and cyan, line by line', made(160, 120, (_, y) => (y & 1 ? [255, 0, 0] : [0, 255, 255]))],
  ])('%s is as near and as small', async (_name, image) => {
    for (const quality of [10, 75, 95, 100]) await expectAsGood(image, quality, 0.25);
  });
});

describe('what a decoder gets back', () => {
  it.each([
    [1, 1],
    [7, 9],
    [8, 8],
    [17, 33],
    [1, 40],
    [40, 1],
  ])('%i by %i pixels of a slope, within 3 levels', async (width, height) => {
    const image = made(width, height, (x, y) => [90 + x * 2, 200 - y * 3, 50 + x + y]);
    expect(furthest(image, await decoded(encode(image, 100)))).toBeLessThanOrEqual(3);
  });

  it.each([
    [0, 0, 0],
    [255, 255, 255],
    [128, 128, 128],
    [3, 3, 3],
  ])('grey of one level exactly: %i', async (...level) => {
    const image = made(20, 20, () => level);
    expect(await decoded(encode(image, 95))).toEqual(image);
  });

  it('no coefficient overflows: the largest and smallest of each frequency', async () => {
    for (const colour of [
      [255, 255, 255],
      [255, 0, 0],
      [0, 0, 255],
      [0, 255, 0],
    ]) {
      const image = frequencies(colour);
      expect(furthest(image, await decoded(encode(image, 100)))).toBeLessThanOrEqual(3);
    }
  });

  it('a baseline file without subsampling, as JFIF', async () => {
    const file = encode(noise(17, 9, 256), 95);
    const { format, width, height, chromaSubsampling, isProgressive, density } =
      await sharp(file).metadata();
    expect({ format, width, height, chromaSubsampling, isProgressive, density }).toEqual({
      format: 'jpeg',
      width: 17,
      height: 9,
      chromaSubsampling: '4:4:4',
      isProgressive: false,
      density: 72,
    });
    expect(Buffer.from(file.subarray(0, 20)).toString('latin1')).toBe(
      '\xff\xd8\xff\xe0\x00\x10JFIF\x00\x01\x01\x00\x00\x01\x00\x01\x00\x00',
    );
  });

  it('noise at quality 100, which takes three times the bytes of its pixels', async () => {
    const image = noise(640, 3, 256);
    const file = encode(image, 100);
    expect(file.length).toBeGreaterThan(15_000);
    expect((await decoded(file)).width).toBe(640);
  });
});

describe('the same bytes everywhere', () => {
  it.each([
    [95, 'd04af0311706de3c462ad4eaa5375505f691c89783d3e1fbeebe7e7e5e416310'],
    [100, '26bd04da1e6cb9c0fee8b71407142a4e1e5b350fe73cf18be1c41f0ab8bf7f27'],
    [30, '2cec18f30db8900633ead3e39b13cf81a7c05dae343bfdb65a9da07274bb56de'],
  ])('quality %i', (quality, expected) => {
    const images = [
      noise(61, 35, 256),
      noise(64, 32, 2),
      made(70, 50, (x, y) => [x * 3, y * 5, (x * y) >> 4]),
    ];
    const hash = createHash('sha256');
    for (const image of images) hash.update(encode(image, quality));
    expect(hash.digest('hex')).toBe(expected);
  });

  it('whatever was encoded before', () => {
    const image = noise(30, 20, 256);
    const first = encode(image, 95);
    encode(noise(50, 50, 2), 20);
    expect(encode(image, 95)).toEqual(first);
  });
});

describe('refusals', () => {
  it.each([0, 101, 95.5, Number.NaN])('quality %d', (quality) => {
    expect(() =>
      encode(
        made(1, 1, () => grey(0)),
        quality,
      ),
    ).toThrow(refusal('invalid_input', 'quality'));
  });

  it('an image without pixels', () => {
    expect(() => encode({ data: new Uint8Array(), width: 0, height: 4 }, 95)).toThrow(
      refusal('invalid_input', 'pixels'),
    );
  });
});

type Level = readonly number[];

function grey(level: number): Level {
  return [level, level, level];
}

function made(width: number, height: number, colour: (x: number, y: number) => Level): RawImage {
  const data = new Uint8Array(width * height * 3);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) data.set(colour(x, y), (y * width + x) * 3);
  }
  return { data, width, height };
}

/** Of so many levels from 0 to 255, evenly; always the same (Numerical Recipes' generator). */
function noise(width: number, height: number, levels: number): RawImage {
  let state = 1;
  const next = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.trunc(((state >>> 16) * levels) / 65536) * Math.trunc(255 / (levels - 1));
  };
  return made(width, height, () => [next(), next(), next()]);
}

/** For each of 64 frequencies the block whose coefficient is the largest, and its negative. */
function frequencies(colour: Level): RawImage {
  const wave = (place: number, frequency: number) =>
    Math.cos((((place & 7) * 2 + 1) * frequency * Math.PI) / 16);
  return made(128, 64, (x, y) => {
    const upwards = wave(x, (x >> 3) & 7) * wave(y, y >> 3) >= 0;
    return colour.map((level) => (upwards === x < 64 ? level : 255 - level));
  });
}

function encode(image: RawImage, quality: number): Uint8Array {
  const mark = kernel.mark();
  try {
    return kernel.encodeJpeg(kernel.load(image), quality);
  } finally {
    kernel.release(mark);
  }
}

async function decoded(file: Uint8Array): Promise<RawImage> {
  const { data, info } = await sharp(file, { failOn: 'warning' })
    .raw()
    .toBuffer({ resolveWithObject: true });
  return { data: new Uint8Array(data), width: info.width, height: info.height };
}

async function expectAsGood(image: RawImage, quality: number, worseDb: number): Promise<void> {
  const { data, width, height } = image;
  const theirs = await sharp(data, { raw: { width, height, channels: 3 } })
    .jpeg({ quality, chromaSubsampling: '4:4:4', optimiseCoding: false })
    .toBuffer();
  const ours = encode(image, quality);
  expect(ours.length).toBeLessThan(theirs.length * 1.03);
  const decibels = decibelsOf(image, await decoded(ours));
  expect(decibels).toBeGreaterThan(decibelsOf(image, await decoded(theirs)) - worseDb);
}

/** Peak signal-to-noise ratio; 99 for equal images. */
function decibelsOf(image: RawImage, other: RawImage): number {
  let sum = 0;
  for (const [at, level] of image.data.entries()) sum += (level - (other.data[at] ?? -1000)) ** 2;
  return sum === 0 ? 99 : 10 * Math.log10((255 ** 2 * image.data.length) / sum);
}

function furthest(image: RawImage, other: RawImage): number {
  expect([other.width, other.height]).toEqual([image.width, image.height]);
  let most = 0;
  for (const [at, level] of image.data.entries()) {
    most = Math.max(most, Math.abs(level - (other.data[at] ?? -1000)));
  }
  return most;
}
