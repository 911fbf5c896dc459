// Image files that hide what reading them takes: in EXIF that leads in circles, behind a crop, in
// sizes of odd types, in one strip, and behind chunks of no meaning.

import { describe, expect, test } from 'vitest';
import {
  bigTiff,
  croppedAvif,
  oneStripTiff,
  tiffTypes,
  webpBehindChunks,
} from '../../scripts/attacks/disguised-images.ts';
import {
  chainedExif,
  exifEntriesInJpeg,
  exifPointers,
  nestedExif,
  selfPointingExif,
  withExif,
} from '../../scripts/attacks/exif-bytes.ts';
import { FoveaError } from '../../src/errors.ts';
import { readImageFile, readImageHeader } from '../../src/imaging/image-file.ts';

async function refusal(bytes: Uint8Array): Promise<{ code: string; message: string }> {
  const thrown: unknown = await readImageHeader(bytes).then(
    (file) => file,
    (error: unknown) => error,
  );
  if (!(thrown instanceof FoveaError)) throw new Error('was not refused');
  expect(thrown.problems.map(({ path }) => path)).toEqual(['file']);
  return { code: thrown.code, message: thrown.message };
}

describe.each(['jpeg', 'png', 'webp', 'avif'] as const)('EXIF of %s', (format) => {
  const tooMany = { code: 'too_large', message: expect.stringContaining('EXIF entries') };

  // The headers of EXIF and of each directory count too.
  test('may have nearly 1,000 entries', async () => {
    const bytes = await withExif(format, chainedExif(990));
    expect(await readImageFile(bytes)).toMatchObject({ format, width: 64, height: 64 });
  });

  test('may have nearly 1,000 entries in two directories', async () => {
    const chained = await withExif(format, chainedExif(490, 490));
    const nested = await withExif(format, nestedExif(490, 490, exifPointers[0]));
    for (const bytes of [chained, nested]) {
      expect(await readImageFile(bytes)).toMatchObject({ format, width: 64, height: 64 });
    }
  });

  test('is refused with more entries in one directory', async () => {
    expect(await refusal(await withExif(format, chainedExif(1_001)))).toEqual(tooMany);
  });

  test('is refused with more entries in two directories, one behind the other', async () => {
    expect(await refusal(await withExif(format, chainedExif(600, 600)))).toEqual(tooMany);
  });

  test.each(exifPointers)('is refused with more entries where tag %i leads', async (pointer) => {
    expect(await refusal(await withExif(format, nestedExif(600, 600, pointer)))).toEqual(tooMany);
  });

  test.each(exifPointers)('is refused where tag %i leads in a circle', async (pointer) => {
    for (const entries of [40, exifEntriesInJpeg]) {
      const bytes = await withExif(format, selfPointingExif(entries, pointer));
      expect(await refusal(bytes)).toEqual(tooMany);
    }
  });
});

describe('a size that is hidden', () => {
  test('behind the crop of an AVIF counts', async () => {
    expect((await refusal(croppedAvif())).code).toBe('too_large');
  });

  test.each(['long', 'long8'] as const)('in tiles of a BigTIFF as %s counts', async (type) => {
    expect(await refusal(bigTiff({ side: 4_096, type: tiffTypes[type] }))).toEqual({
      code: 'too_large',
      message: expect.stringContaining('16384 x 10880 pixels'),
    });
  });

  test.each([
    ['a number that is not whole', { type: tiffTypes.float }],
    ['two numbers', { type: tiffTypes.short, count: 2 }],
    ['no number', { type: tiffTypes.long8, count: 0 }],
  ])('in tiles of a BigTIFF as %s is damage', async (_case, odd) => {
    expect((await refusal(bigTiff({ side: 4_096, ...odd }))).code).toBe('invalid_input');
  });

  test('in one strip of a TIFF that is a JPEG counts', async () => {
    expect(await refusal(await oneStripTiff(5_600))).toEqual({
      code: 'too_large',
      message: expect.stringContaining('5600 x 5600 pixels'),
    });
  });

  test('in one strip that fits is read', async () => {
    expect(await readImageFile(await oneStripTiff(1_600))).toMatchObject({ width: 1_600 });
  });

  test('behind many chunks of a WebP is damage', async () => {
    const bytes = await webpBehindChunks(64, 64, 1_001, { lossless: true });
    expect((await refusal(bytes)).code).toBe('invalid_input');
  });

  test('behind few chunks of a WebP is found', async () => {
    const bytes = await webpBehindChunks(64, 64, 3, { lossless: true });
    expect(await readImageFile(bytes)).toMatchObject({ format: 'webp', width: 64, height: 64 });
  });
});
