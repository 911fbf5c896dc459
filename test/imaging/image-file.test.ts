// Image files of every format: good, cut short, damaged, too large, and odd BMP files.

import { crc32 } from 'node:zlib';
import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import { FoveaError } from '../../src/errors.ts';
import { decodeImage, readImageFile } from '../../src/imaging/image-file.ts';
import { bmp24 } from '../fixtures/bmp-files.ts';

/** 40 x 30 pixels of noise that compresses badly, so that every part of a file matters. */
const noise = Buffer.from(Array.from({ length: 40 * 30 * 3 }, (_, at) => (at * 7919) >> 3));
const noiseAt = (x: number, y: number): readonly [number, number, number] => {
  const at = (y * 40 + x) * 3;
  return [noise[at] ?? 0, noise[at + 1] ?? 0, noise[at + 2] ?? 0];
};
const picture = () => sharp(noise, { raw: { width: 40, height: 30, channels: 3 } });

const files = {
  jpeg: await picture().jpeg().toBuffer(),
  png: await picture().png().toBuffer(),
  webp: await picture().webp().toBuffer(),
  tiff: await picture().tiff().toBuffer(),
  avif: await picture().avif({ effort: 0 }).toBuffer(),
  bmp: bmp24(40, 30, noiseAt),
} as const;

const contentTypes = {
  jpeg: 'image/jpeg',
  png: 'image/png',
  webp: 'image/webp',
  tiff: 'image/tiff',
  avif: 'image/avif',
  bmp: 'image/bmp',
} as const;

const formats = ['jpeg', 'png', 'webp', 'tiff', 'avif', 'bmp'] as const;

async function refused(bytes: Uint8Array): Promise<{ code: string; message: string }> {
  const thrown: unknown = await readImageFile(bytes).then(
    (file) => file,
    (error: unknown) => error,
  );
  if (!(thrown instanceof FoveaError)) throw new Error('was not refused');
  expect(thrown.problems.map(({ path }) => path)).toEqual(['file']);
  return { code: thrown.code, message: thrown.message };
}

describe('readImageFile', () => {
  test.each(formats)('reads %s by its content', async (format) => {
    expect(await readImageFile(files[format])).toEqual({
      format,
      contentType: contentTypes[format],
      width: 40,
      height: 30,
      orientation: 1,
    });
  });

  test('gives stored pixels and the orientation apart', async () => {
    const turned = await picture().jpeg().withMetadata({ orientation: 6 }).toBuffer();
    const { width, height, orientation } = await readImageFile(turned);
    expect([width, height, orientation]).toEqual([40, 30, 6]);
  });

  test.each(formats)('refuses %s that is cut off', async (format) => {
    const bytes = files[format];
    for (const share of [0.1, 0.5, 0.9]) {
      const { code, message } = await refused(bytes.subarray(0, Math.floor(bytes.length * share)));
      expect(code).toBe('invalid_input');
      expect(message).toMatch(/truncated or corrupt|cut off|ends within its header/);
    }
  });

  test('refuses a JPEG that lacks its last 20 bytes, in words', async () => {
    expect(await refused(files.jpeg.subarray(0, -20))).toEqual({
      code: 'invalid_input',
      message: 'file: is a truncated or corrupt jpeg image: its pixels cannot be read',
    });
  });

  test('refuses a PNG with damaged pixels', async () => {
    const damaged = Buffer.from(files.png);
    damaged.fill(0x55, 300, 330);
    expect((await refused(damaged)).code).toBe('invalid_input');
  });

  test.each([
    ['a GIF image', 'GIF89a\x01\0\x01\0\0\0\0;'],
    ['an SVG or XML document', '<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"/>'],
    ['an SVG or XML document', '\xef\xbb\xbf<?xml version="1.0"?><svg/>'],
    ['a PDF document', '%PDF-1.7'],
    ['a HEIC image', '\0\0\0\x18ftypheic\0\0\0\0mif1heic'],
    ['a video', '\0\0\0\x18ftypisom\0\0\0\0isommp42'],
    ['a web page', '<!DOCTYPE html><html>'],
    ['not an image', 'just text'],
    ['not an image', 'RIFF\0\0\0\0WAVE'],
    ['not an image', '\xff'],
  ])('refuses %s: %j', async (what, content) => {
    expect(await refused(Buffer.from(content, 'latin1'))).toEqual({
      code: 'unsupported_media',
      message: `file: is ${what}; accepted are JPEG, PNG, WebP, BMP, TIFF and AVIF`,
    });
  });

  test('refuses no bytes', async () => {
    expect(await refused(new Uint8Array())).toEqual({
      code: 'invalid_input',
      message: 'file: is empty',
    });
  });

  test('refuses 20 MB and a byte', async () => {
    expect((await refused(new Uint8Array(20 * 1024 * 1024 + 1))).code).toBe('too_large');
  });

  test('refuses 20,000 x 20,000 pixels by the header', async () => {
    const png = Buffer.from(files.png);
    png.writeUInt32BE(20_000, 16);
    png.writeUInt32BE(20_000, 20);
    png.writeUInt32BE(crc32(png.subarray(12, 29)), 29);
    const bmp = Buffer.from(files.bmp);
    bmp.writeUInt32LE(20_000, 18);
    bmp.writeUInt32LE(20_000, 22);
    for (const bytes of [png, bmp]) {
      expect(await refused(bytes)).toEqual({
        code: 'too_large',
        message:
          'file: has 20000 x 20000 pixels; at most 178760000 in all and 16400 on a side are accepted',
      });
    }
  });
});

describe('decodeImage', () => {
  test.each(['png', 'tiff', 'bmp'] as const)('gives the pixels of %s', async (format) => {
    const bytes =
      format === 'tiff' ? await picture().tiff({ compression: 'lzw' }).toBuffer() : files[format];
    const { data, width, height } = await decodeImage(bytes);
    expect([width, height]).toEqual([40, 30]);
    expect(Buffer.from(data).equals(noise)).toBe(true);
  });

  test('leaves an EXIF orientation alone', async () => {
    const turned = await picture().png().withMetadata({ orientation: 3 }).toBuffer();
    const { data } = await decodeImage(turned);
    expect(Buffer.from(data).equals(noise)).toBe(true);
  });

  test('makes three channels of grey, transparent and 16-bit images', async () => {
    const grey = Buffer.from([10, 200]);
    const greyPng = sharp(grey, { raw: { width: 2, height: 1, channels: 1 } }).png();
    expect([...(await decodeImage(await greyPng.toBuffer())).data]).toEqual([
      10, 10, 10, 200, 200, 200,
    ]);
    const clear = Buffer.from([1, 2, 3, 0, 4, 5, 6, 255]);
    const clearPng = sharp(clear, { raw: { width: 2, height: 1, channels: 4 } }).png();
    expect([...(await decodeImage(await clearPng.toBuffer())).data]).toEqual([1, 2, 3, 4, 5, 6]);
    const deep = await picture().toColourspace('rgb16').png().toBuffer();
    expect(Buffer.from((await decodeImage(deep)).data).equals(noise)).toBe(true);
  });
});

describe('BMP', () => {
  // Two rows of three pixels: red, green, blue over white, black, grey.
  const colours = [
    [255, 0, 0, 0, 255, 0, 0, 0, 255],
    [255, 255, 255, 0, 0, 0, 128, 128, 128],
  ];
  const expected = colours.flat();

  function bmp(bits: number, height: number, rows: readonly number[][], palette: number[] = []) {
    const row = Math.ceil((3 * bits) / 32) * 4;
    const bytes = Buffer.alloc(54 + palette.length + row * rows.length);
    bytes.write('BM');
    bytes.writeUInt32LE(54 + palette.length, 10);
    bytes.writeUInt32LE(40, 14);
    bytes.writeInt32LE(3, 18);
    bytes.writeInt32LE(height, 22);
    bytes.writeUInt16LE(1, 26);
    bytes.writeUInt16LE(bits, 28);
    bytes.set(palette, 54);
    for (const [index, content] of rows.entries()) {
      bytes.set(content, 54 + palette.length + index * row);
    }
    return bytes;
  }

  /** Blue before green before red, and a fourth byte that means nothing. */
  const bgr = (rgb: readonly number[], rest: number[]) =>
    [0, 3, 6].flatMap((at) => [rgb[at + 2] ?? 0, rgb[at + 1] ?? 0, rgb[at] ?? 0, ...rest]);
  const [top = [], bottom = []] = colours;
  const palette = [...bgr(top, [0]), ...bgr(bottom, [0]), ...Array.from({ length: 1000 }, () => 9)];

  test.each([
    ['24 bits', bmp(24, 2, [bgr(bottom, []), bgr(top, [])])],
    ['24 bits from the top', bmp(24, -2, [bgr(top, []), bgr(bottom, [])])],
    ['32 bits with an empty fourth byte', bmp(32, 2, [bgr(bottom, [0]), bgr(top, [0])])],
    [
      '8 bits with a palette',
      bmp(
        8,
        2,
        [
          [3, 4, 5],
          [0, 1, 2],
        ],
        palette,
      ),
    ],
  ])('reads %s', async (_case, bytes) => {
    expect([...(await decodeImage(bytes)).data]).toEqual(expected);
  });

  test('reads 1 bit with a palette', async () => {
    const bytes = bmp(1, 2, [[0b010_00000], [0b101_00000]], [1, 2, 3, 0, 4, 5, 6, 0]);
    expect([...(await decodeImage(bytes)).data]).toEqual([
      6, 5, 4, 3, 2, 1, 6, 5, 4, 3, 2, 1, 6, 5, 4, 3, 2, 1,
    ]);
  });

  test('refuses other kinds by their numbers', async () => {
    expect((await refused(bmp(16, 2, [[], []]))).message).toBe(
      'file: the BMP has 16 bits per pixel in compression 0; ' +
        'uncompressed BMP of 1, 8, 24 or 32 bits is read',
    );
    const packed = bmp(8, 2, [[], []], palette);
    packed.writeUInt32LE(1, 30);
    expect((await refused(packed)).message).toContain('8 bits per pixel in compression 1');
  });

  test.each([
    ['no pixels', 18, 0],
    ['no rows', 22, 0],
    ['an OS/2 header', 14, 12],
    ['a header beyond the file', 14, 4_000_000_000],
    ['pixels beyond the file', 10, 4_000_000_000],
    ['more rows than there are', 22, 100],
    ['pixels within the header', 10, 0],
  ])('refuses %s', async (_case, offset, value) => {
    const bytes = bmp(24, 2, [bgr(bottom, []), bgr(top, [])]);
    bytes.writeUInt32LE(value, offset);
    expect((await refused(bytes)).code).toBe('invalid_input');
  });
});
