// Headers that are read without sharp, beside what sharp says of the same files.

import fc from 'fast-check';
import sharp, { type Sharp } from 'sharp';
import { describe, expect, test } from 'vitest';
import { readHeader } from '../../src/imaging/image-header.ts';
import { readJpegFile } from '../../src/imaging/jpeg-file.ts';
import { readPngHeader } from '../../src/imaging/png-file.ts';

const sides = fc.record({
  width: fc.integer({ min: 1, max: 40 }),
  height: fc.integer({ min: 1, max: 40 }),
});
const orientations = fc.option(fc.integer({ min: 1, max: 8 }));

function picture(width: number, height: number, channels: 1 | 2 | 3 | 4): Sharp {
  const data = Buffer.from(Array.from({ length: width * height * channels }, (_, at) => at * 37));
  return sharp(data, { raw: { width, height, channels } });
}

function turned(image: Sharp, orientation: number | null): Sharp {
  return orientation === null ? image : image.withMetadata({ orientation });
}

/** What sharp says, in our words. */
async function bySharp(bytes: Buffer) {
  const { width, height, channels, depth, isProgressive, orientation } =
    await sharp(bytes).metadata();
  const bytesPerSample = depth === 'ushort' ? 2 : 1;
  return { width, height, channels, bytesPerSample, isProgressive, orientation: orientation ?? 1 };
}

const runs = { numRuns: 60 };

describe('the header of a JPEG', () => {
  const kinds = ['b-w', 'srgb', 'cmyk'] as const;

  test('says what sharp says', async () => {
    const options = fc.record({
      progressive: fc.boolean(),
      chromaSubsampling: fc.constantFrom('4:2:0', '4:4:4'),
      mozjpeg: fc.boolean(),
    });
    const kind = fc.constantFrom(...kinds);
    const files = fc.asyncProperty(sides, kind, options, orientations, async (...drawn) => {
      const [{ width, height }, space, jpeg, orientation] = drawn;
      const image = picture(width, height, space === 'b-w' ? 1 : 3).toColourspace(space);
      const bytes = await turned(image.jpeg(jpeg), orientation).toBuffer();
      const { isProgressive } = readJpegFile(bytes, 100);
      expect({ ...(await readHeader(bytes, 'jpeg')), isProgressive }).toMatchObject(
        await bySharp(bytes),
      );
    });
    await fc.assert(files, runs);
  });

  test.each([
    ['one scan of three samples', { chromaSubsampling: '4:4:4' }, [1, false, 3]],
    ['one scan of half the colours', { chromaSubsampling: '4:2:0' }, [1, false, 1.5]],
    ['many scans', { progressive: true }, [expect.any(Number), true, 1.5]],
  ])('counts %s', async (_case, options, expected) => {
    const bytes = await picture(40, 30, 3).jpeg(options).toBuffer();
    const { scans, hasManyScans, samplesPerPixel } = readJpegFile(bytes, 100);
    expect([scans, hasManyScans, samplesPerPixel]).toEqual(expected);
  });

  test('reads no more scans than it is told', () => {
    const scans = Buffer.alloc(200_000, Buffer.from('ffda0008010100003f00', 'hex'));
    const frame = Buffer.from('ffd8ffc0000b080010001001011100', 'hex');
    expect(readJpegFile(Buffer.concat([frame, scans]), 100).scans).toBe(101);
  });
});

describe('the header of a PNG', () => {
  test('says what sharp says', async () => {
    const channels = fc.constantFrom(1, 2, 3, 4);
    const options = fc.record({
      progressive: fc.boolean(),
      palette: fc.boolean(),
      colours: fc.constantFrom(2, 4, 16, 256),
    });
    const isDeep = fc.boolean();
    const files = fc.asyncProperty(
      sides,
      channels,
      isDeep,
      options,
      orientations,
      async (...all) => {
        const [{ width, height }, channelCount, deep, png, orientation] = all;
        const image = picture(width, height, channelCount);
        const grey = channelCount < 3;
        const space = deep ? (grey ? 'grey16' : 'rgb16') : grey ? 'b-w' : 'srgb';
        const file = turned(image.toColourspace(space).png(png), orientation);
        // sharp cannot write some pictures in few colours.
        const bytes = await file.toBuffer().catch(() => undefined);
        if (bytes === undefined) return fc.pre(false);
        const { isInterlaced } = readPngHeader(bytes);
        expect({
          ...(await readHeader(bytes, 'png')),
          isProgressive: isInterlaced,
        }).toMatchObject(await bySharp(bytes));
      },
    );
    await fc.assert(files, runs);
  });
});

describe('the header of a WebP', () => {
  test('says what sharp says, but of more channels where it has fewer', async () => {
    const options = fc.record({ lossless: fc.boolean() });
    const channels = fc.constantFrom(3, 4);
    const files = fc.asyncProperty(sides, channels, options, orientations, async (...drawn) => {
      const [{ width, height }, channelCount, webp, orientation] = drawn;
      const image = picture(width, height, channelCount).webp(webp);
      const bytes = await turned(image, orientation).toBuffer();
      const { channels: ofSharp, isProgressive: _, ...expected } = await bySharp(bytes);
      const header = await readHeader(bytes, 'webp');
      expect(header).toMatchObject(expected);
      expect(header.channels).toBeGreaterThanOrEqual(ofSharp);
    });
    await fc.assert(files, runs);
  });
});
