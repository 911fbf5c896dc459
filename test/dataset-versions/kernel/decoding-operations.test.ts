// The JPEG decoder of the kernel beside libjpeg, as sharp has it: the same pixels or none.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import sharp, { type JpegOptions } from 'sharp';
import { describe, expect, it } from 'vitest';
import { createKernel } from '../../../src/dataset-versions/kernel/kernel.ts';
import { decodeImage } from '../../../src/imaging/image-file.ts';
import type { RawImage } from '../../../src/imaging/raw-image.ts';
import { randomFrom } from '../../../src/seeded-random.ts';
import { noise } from './images.ts';

const sample = 'sample/blood-cells/JPEGImages';
const files = join(import.meta.dirname, 'files');
const kernel = createKernel();

describe('the pixels of libjpeg', () => {
  it.each(readdirSync(sample))('of %s', async (name) => {
    await expectSame(readFileSync(join(sample, name)));
  });

  // Made with Pillow 9.4 (4:2:2), and with OpenCV 4.6 (a restart marker after each two groups).
  it.each(readdirSync(files))('of %s', async (name) => {
    await expectSame(readFileSync(join(files, name)));
  });

  it.each([
    [5, 1],
    [5, 40],
    [8, 8],
    [16, 16],
    [17, 33],
    [31, 9],
    [40, 15],
    [211, 157],
  ])('of noise and a slope of %i by %i pixels, in each way to store them', async (...size) => {
    for (const image of [noise(...size), slope(...size)]) {
      for (const chromaSubsampling of ['4:4:4', '4:2:0']) {
        for (const quality of [1, 40, 90, 100]) {
          await expectSame(await encoded(image, { quality, chromaSubsampling }));
          await expectSame(
            await encoded(image, { quality, chromaSubsampling, optimiseCoding: false }),
          );
        }
      }
    }
  });

  it('of one pixel without subsampling', async () => {
    await expectSame(await encoded(noise(1, 1), { chromaSubsampling: '4:4:4' }));
  });

  it('of what the kernel encodes', async () => {
    const mark = kernel.mark();
    const file = kernel.encodeJpeg(kernel.load(noise(61, 35)), 95);
    kernel.release(mark);
    await expectSame(file);
  });
});

describe('left to other decoders', () => {
  it.each<[string, () => Promise<Uint8Array>]>([
    ['progressive', () => encoded(noise(40, 30), { progressive: true })],
    ['grey', () => whole(noise(40, 30)).toColourspace('b-w').jpeg().toBuffer()],
    ['CMYK', () => whole(noise(40, 30)).toColourspace('cmyk').jpeg().toBuffer()],
    ['with a colour profile', () => whole(noise(40, 30)).withIccProfile('p3').jpeg().toBuffer()],
    ['narrow, with chrominance of half the size', () => encoded(noise(4, 9), {})],
    ['a PNG', () => whole(noise(40, 30)).png().toBuffer()],
    ['nothing', async () => new Uint8Array()],
  ])('%s', async (_name, file) => {
    expect(decoded(await file())).toBeUndefined();
  });

  it('YCbCr under the name of RGB', async () => {
    const file = readFileSync(join(files, 'restart-markers.jpg'));
    const transform = Buffer.from('ffee000e41646f6265006400000000', 'hex');
    const adobe = Buffer.concat([file.subarray(0, 2), transform, Buffer.of(0), file.subarray(2)]);
    expect(decoded(adobe)).toBeUndefined();
    adobe[17] = 1;
    await expectSame(adobe);
  });
});

describe('damaged files', () => {
  const file = readFileSync(join(files, 'restart-markers.jpg'));

  it('larger than so many bytes may be: no memory is taken', () => {
    const huge = Buffer.from(file);
    const frame = huge.indexOf(Buffer.of(0xff, 0xc0));
    huge.fill(0x70, frame + 5, frame + 9);
    const before = memoryBytes();
    expect(decoded(huge)).toBeUndefined();
    expect(memoryBytes()).toBe(before);
  });

  it('cut off anywhere', () => {
    for (let length = 0; length < file.length; length += 1) {
      expect(decoded(file.subarray(0, length)), `${length} bytes`).toBeUndefined();
    }
  });

  it('with bytes left out', () => {
    for (let at = 0; at < file.length - 2; at += 5) {
      const without = Buffer.concat([file.subarray(0, at), file.subarray(at + 2)]);
      expect(decoded(without)?.width ?? 67, `at ${at}`).toBe(67);
    }
  });

  it('with other bits: an image of that size or none, and the next is whole again', async () => {
    const random = randomFrom('bits');
    const scan = file.indexOf(Buffer.of(0xff, 0xda));
    let made = 0;
    for (let round = 0; round < 500; round += 1) {
      const changed = Buffer.from(file);
      const at = scan + Math.floor(random() * (file.length - scan));
      changed[at] = Math.floor(random() * 256);
      const image = decoded(changed);
      if (image === undefined) continue;
      made += 1;
      expect([image.width, image.height]).toEqual([67, 45]);
    }
    expect(made).toBeGreaterThan(50);
    await expectSame(file);
  });
});

function memoryBytes(): number {
  const mark = kernel.mark();
  const pixels = kernel.blank({ width: 1, height: 1 }, [0, 0, 0]);
  kernel.release(mark);
  return kernel.bytes(pixels).buffer.byteLength;
}

function decoded(file: Uint8Array): RawImage | undefined {
  const mark = kernel.mark();
  try {
    const pixels = kernel.decodeJpeg(file);
    return pixels && kernel.read(pixels);
  } finally {
    kernel.release(mark);
  }
}

async function expectSame(file: Uint8Array): Promise<void> {
  const ours = decoded(file);
  const theirs = await decodeImage(file);
  expect(ours && [ours.width, ours.height]).toEqual([theirs.width, theirs.height]);
  expect(ours && Buffer.compare(ours.data, theirs.data)).toBe(0);
}

function encoded(image: RawImage, options: JpegOptions): Promise<Buffer> {
  return whole(image).jpeg(options).toBuffer();
}

function whole({ data, width, height }: RawImage) {
  return sharp(data, { raw: { width, height, channels: 3 } });
}

function slope(width: number, height: number): RawImage {
  const data = new Uint8Array(width * height * 3);
  for (let at = 0; at < width * height; at += 1) {
    const [x, y] = [at % width, Math.trunc(at / width)];
    data.set([x * 2, 255 - y, (x * y) >> 2], at * 3);
  }
  return { data, width, height };
}
