// Image files whose structure is checked and whose pixels are not decoded: cut off at every place,
// damaged in their structure or behind it, and of bytes that mean nothing.

import { readdir, readFile } from 'node:fs/promises';
import fc from 'fast-check';
import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import { FoveaError } from '../../src/errors.ts';
import { checkImageFile, readImageFile } from '../../src/imaging/image-file.ts';
import { checkImageFile as checkInPool } from '../../src/imaging/image-thread-pool.ts';
import { limits } from '../../src/limits.ts';
import { bmp24 } from '../fixtures/bmp-files.ts';
import { countSteps } from '../fixtures/count-steps.ts';

const noise = Buffer.from(Array.from({ length: 24 * 18 * 3 }, (_, at) => (at * 7919) >> 3));
const picture = () => sharp(noise, { raw: { width: 24, height: 18, channels: 3 } });

/** A TIFF whose directory stands before its pixels: rows of 24 grey pixels, one strip for each. */
function tiffOfStrips(): Buffer {
  const [width, height] = [24, 18];
  const places = 8 + 2 + 8 * 12 + 4;
  const pixels = places + 8 * height;
  const file = Buffer.alloc(pixels + width * height, 100);
  file.write('II*\0\x08\0\0\0\x08\0', 'latin1');
  const tags = [
    [256, 1, width],
    [257, 1, height],
    [258, 1, 8],
    [262, 1, 1],
    [273, height, places],
    [277, 1, 1],
    [278, 1, 1],
    [279, height, places + 4 * height],
  ] as const;
  for (const [index, [tag, count, value]] of tags.entries()) {
    const at = file.writeUInt16LE(4, file.writeUInt16LE(tag, 10 + 12 * index));
    file.writeUInt32LE(value, file.writeUInt32LE(count, at));
  }
  file.writeUInt32LE(0, places - 4);
  for (let row = 0; row < height; row += 1) {
    file.writeUInt32LE(pixels + width * row, places + 4 * row);
    file.writeUInt32LE(width, places + 4 * (height + row));
  }
  return file;
}

const tiled = { tile: true, tileWidth: 16, tileHeight: 16 } as const;

const files = {
  jpeg: await picture().jpeg().toBuffer(),
  'progressive jpeg': await picture().jpeg({ progressive: true }).toBuffer(),
  'jpeg with EXIF': await picture().jpeg().withMetadata({ orientation: 6 }).toBuffer(),
  png: await picture().png().toBuffer(),
  'interlaced png': await picture().png({ progressive: true }).toBuffer(),
  'png with a palette': await picture().png({ palette: true }).toBuffer(),
  webp: await picture().webp().toBuffer(),
  'lossless webp': await picture().ensureAlpha(0.5).webp({ lossless: true }).toBuffer(),
  'webp with EXIF': await picture().webp().withMetadata({ orientation: 6 }).toBuffer(),
  tiff: await picture().tiff({ compression: 'none' }).toBuffer(),
  'tiff of LZW': await picture().tiff({ compression: 'lzw' }).toBuffer(),
  'tiff of tiles': await picture().tiff(tiled).toBuffer(),
  'tiff with its pixels last': tiffOfStrips(),
  avif: await picture().avif({ effort: 0 }).toBuffer(),
  bmp: bmp24(24, 18, (x, y) => [x, y, 100]),
} as const;

const entries = Object.entries(files);

async function verdictOf(bytes: Uint8Array): Promise<string> {
  const outcome: unknown = await checkImageFile(bytes).then(
    ({ width, height }) => `${width} x ${height}`,
    (thrown: unknown) => thrown,
  );
  if (typeof outcome === 'string') return outcome;
  if (!(outcome instanceof FoveaError)) throw outcome;
  expect(outcome.problems.map(({ path }) => path)).toEqual(['file']);
  return outcome.code;
}

describe('a file that is whole', () => {
  test.each(entries)('is what a full decode says: %s', async (_name, bytes) => {
    const file = await checkImageFile(bytes);
    expect(file).toMatchObject({ width: 24, height: 18 });
    expect(file).toEqual(await readImageFile(bytes));
    expect(await checkInPool(bytes)).toEqual(file);
  });

  test('is accepted with bytes behind its end', async () => {
    for (const [name, whole] of entries) {
      const bytes = Buffer.concat([whole, Buffer.alloc(100, 3)]);
      expect([name, await verdictOf(bytes)]).toEqual([name, '24 x 18']);
    }
  });

  test('is what a full decode says: the sample', async () => {
    const folder = 'sample/blood-cells/JPEGImages';
    const images = await readdir(folder);
    expect(images).toHaveLength(12);
    for (const name of images) {
      const bytes = await readFile(`${folder}/${name}`);
      expect(await checkImageFile(bytes)).toEqual(await readImageFile(bytes));
    }
  });

  test('is read in a thread where it is large', async () => {
    const large = Buffer.concat([files.jpeg, Buffer.alloc(limits.imageReadHereBytesMax)]);
    expect(await checkInPool(large)).toMatchObject({ format: 'jpeg', width: 24, height: 18 });
    const cut = Buffer.concat([files.jpeg.subarray(0, -2), Buffer.alloc(2_000_000)]);
    await expect(checkInPool(cut)).rejects.toMatchObject({
      message: 'file: is a truncated or corrupt jpeg image: it ends within its pixels',
    });
  });
});

describe('a file that is cut off', () => {
  test.each(entries)('is refused wherever it ends: %s', async (_name, whole) => {
    const accepted: number[] = [];
    for (let length = 1; length < whole.length; length += 1) {
      const verdict = await verdictOf(whole.subarray(0, length));
      if (verdict === '24 x 18') accepted.push(length);
      else expect(verdict).toMatch(/^(invalid_input|unsupported_media)$/);
    }
    expect(accepted).toEqual([]);
  });

  test.each([
    ['jpeg', -2, 'jpeg image: it ends within its pixels'],
    ['progressive jpeg', -100, 'jpeg image: it ends within its pixels'],
    ['png', -4, 'png image: it ends within a chunk'],
    ['png', -12, 'png image: it ends before its last chunk'],
    ['webp', -1, 'webp image: it ends before the length that it gives'],
    ['tiff with its pixels last', -1, 'tiff image: it ends within its pixels'],
    ['tiff of tiles', -1, 'tiff image: it ends within its directory'],
    ['avif', -1, 'avif image: it ends within its pixels'],
  ] as const)('is refused in words: %s', async (name, end, words) => {
    await expect(checkImageFile(files[name].subarray(0, end))).rejects.toMatchObject({
      code: 'invalid_input',
      message: `file: is a truncated or corrupt ${words}`,
    });
  });
});

describe('damage in the structure', () => {
  const at = (bytes: Buffer, marker: string) => bytes.indexOf(Buffer.from(marker, 'hex'));
  const put = (bytes: Buffer, place: number, more: string) =>
    Buffer.concat([bytes.subarray(0, place), Buffer.from(more, 'hex'), bytes.subarray(place)]);
  const changed = (bytes: Buffer, place: number, value: number) => {
    const copy = Buffer.from(bytes);
    copy[place] = value;
    return copy;
  };
  const { jpeg } = files;
  const [frame, scan] = [at(jpeg, 'ffc0'), at(jpeg, 'ffda')];

  test.each([
    ['bytes between segments', put(jpeg, frame, 'aabb'), 'it has bytes between its segments'],
    ['an unknown segment', put(jpeg, frame, 'ff020004aaaa'), 'it has an unknown segment'],
    ['a second start', put(jpeg, frame, 'ffd8'), 'it has an unknown segment'],
    ['a segment of no length', put(jpeg, frame, 'fffe0000'), 'it has a segment of no length'],
    ['two frames', put(jpeg, scan, jpeg.toString('hex', frame, frame + 19)), 'it has two frames'],
    ['a scan of five colours', changed(jpeg, scan + 4, 5), 'it has a broken scan'],
    ['a scan too short', changed(jpeg, scan + 3, 11), 'it has a broken scan'],
    ['no pixels', changed(changed(jpeg, frame + 6, 0), frame + 8, 0), 'it has no pixels'],
    ['a sampling of 0', changed(jpeg, frame + 11, 0), 'it has a broken frame'],
    ['12 bits', changed(jpeg, frame + 4, 12), 'it has pixels of a kind that is not read'],
    ['a segment to beyond the end', changed(jpeg, 4, 0xff), 'it ends within a segment'],
  ])('of a JPEG is named: %s', async (_case, bytes, words) => {
    await expect(checkImageFile(bytes)).rejects.toMatchObject({
      code: 'invalid_input',
      message: `file: is a truncated or corrupt jpeg image: ${words}`,
    });
  });

  test.each([
    ['fill bytes', put(jpeg, frame, 'ffff')],
    ['a restart before the end', put(jpeg, jpeg.length - 2, 'ffd0')],
    ['a comment', put(jpeg, frame, 'fffe0004aaaa')],
    ['a comment behind the scan', put(jpeg, jpeg.length - 2, 'fffe0004aaaa')],
    ['tables between scans', put(jpeg, jpeg.length - 2, 'ffdd00040000')],
  ])('is not what decoders pass over: %s', async (_case, bytes) => {
    expect(await checkImageFile(bytes)).toEqual(await readImageFile(bytes));
  });

  test('of a PNG is found in every byte, but of what no decoder must understand', async () => {
    const start = files.png.indexOf('pHYs') - 4;
    const end = start + 12 + 9;
    expect(start).toBe(33);
    for (let place = 0; place < files.png.length; place += 1) {
      const verdict = await verdictOf(changed(files.png, place, (files.png[place] ?? 0) ^ 0x55));
      const isLength = place < start + 4;
      if (place < start || isLength || place >= end) expect(verdict).not.toBe('24 x 18');
      else expect(verdict).toMatch(/^(24 x 18|invalid_input)$/);
    }
  });

  test.each([
    ['webp', 4, 'invalid_input'],
    ['webp', 7, 'invalid_input'],
    ['webp', 12, 'invalid_input'],
    ['webp', 16, 'invalid_input'],
    ['webp', 19, 'invalid_input'],
    ['webp', 8, 'unsupported_media'],
    ['avif', 0, 'invalid_input'],
    ['avif', files.avif.indexOf('meta'), 'invalid_input'],
    ['avif', files.avif.indexOf('iloc'), 'invalid_input'],
    ['avif', files.avif.indexOf('iloc') + 18, 'invalid_input'],
    ['avif', files.avif.indexOf('iloc') + 23, 'invalid_input'],
    ['tiff with its pixels last', 5, 'invalid_input'],
    ['tiff with its pixels last', 8 + 2 + 96 + 4 + 2, 'invalid_input'],
  ] as const)('of %s at byte %i is found', async (name, place, code) => {
    const damaged = changed(files[name], place, (files[name][place] ?? 0) ^ 0x55);
    expect(await verdictOf(damaged)).toBe(code);
  });

  test.each([
    ['fewer strips than rows', 257, 19, 'it lacks part of its pixels'],
    ['strips of more bytes than there are', 279, 0, 'it ends within its pixels'],
  ])('of a TIFF is named: %s', async (_case, tag, value, words) => {
    const bytes = tiffOfStrips();
    const entry = bytes.indexOf(Buffer.from([tag & 255, tag >> 8, 4, 0]));
    bytes.writeUInt32LE(value, entry + 8);
    await expect(checkImageFile(bytes)).rejects.toMatchObject({
      message: `file: is a truncated or corrupt tiff image: ${words}`,
    });
  });
});

describe('a TIFF in a compression that is not read', () => {
  test('is refused before it is decoded', async () => {
    const bytes = Buffer.from(files.tiff);
    const entry = bytes.lastIndexOf(Buffer.from([259 & 255, 259 >> 8, 3, 0]));
    // ZSTD.
    bytes.writeUInt16LE(50_000, entry + 8);
    await expect(checkImageFile(bytes)).rejects.toMatchObject({
      message: 'file: is a truncated or corrupt tiff image: it has a compression that is not read',
    });
  });
});

describe('damage within the pixels', () => {
  test('is left to those who decode them', async () => {
    const bytes = Buffer.from(files.jpeg);
    bytes.fill(0x55, bytes.length - 300, bytes.length - 200);
    expect(await verdictOf(bytes)).toBe('24 x 18');
    await expect(readImageFile(bytes)).rejects.toMatchObject({ code: 'invalid_input' });
  });
});

describe('bytes that mean nothing', () => {
  const codes = /^(\d+ x \d+|invalid_input|unsupported_media|too_large)$/;

  test.each(entries)(
    'are accepted or refused in order behind a start of %s',
    async (_name, whole) => {
      const start = fc.integer({ min: 4, max: whole.length });
      const drawn = fc.asyncProperty(
        start,
        fc.uint8Array({ maxLength: 400 }),
        async (end, more) => {
          expect(await verdictOf(Buffer.concat([whole.subarray(0, end), more]))).toMatch(codes);
          const inside = Buffer.from(whole);
          inside.set(more.subarray(0, whole.length - end), end);
          expect(await verdictOf(inside)).toMatch(codes);
        },
      );
      await fc.assert(drawn, { numRuns: 60 });
    },
  );

  // What is read in the calling thread must hold it up for a few milliseconds only. Native searches
  // go through the file a fixed number of times.
  const length = 20_000;
  const starts = (['jpeg', 'jpeg with EXIF', 'png', 'webp with EXIF', 'bmp'] as const).flatMap(
    (name) => [16, 33, Math.max(40, files[name].length - 12)].map((end) => ({ name, end })),
  );

  test.each([
    'ff00',
    'ffda',
    'ffd0',
    'ffff',
    'ff01',
    'fffe0002',
    'ffe100084578696600',
    '45786966000049492a000800000000000000',
    '4578696600004d4d002a00000008ffff8769',
    '000000004944415435af061e',
    '00000000655849660000',
    '4558494600000000',
    '6162636400000000',
    '00',
  ])('take few steps in any number: %s', async (unit) => {
    const cases = starts.map(({ name, end }) => {
      const bytes = Buffer.alloc(length, Buffer.from(unit, 'hex'));
      files[name].copy(bytes, 0, 0, end);
      if (name === 'webp with EXIF') bytes.writeUInt32LE(length - 8, 4);
      return bytes;
    });
    const steps = await countSteps('/src/imaging/', async () => {
      for (const bytes of cases) await verdictOf(bytes);
    });
    expect(steps).toBeGreaterThan(100);
    expect(steps).toBeLessThan(6 * length * cases.length);
  });
});
