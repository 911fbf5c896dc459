// Pictures without the native sharp: which sharp is taken, and what the one in WebAssembly does.
// The files are made by the native one, which another name reaches.

import { createRequire } from 'node:module';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';

const native: typeof import('sharp')['default'] = createRequire(import.meta.url)('sharp');

/** 40 x 30 pixels of a soft slope, which no format spoils. */
const slope = Buffer.from(
  Array.from({ length: 40 * 30 * 3 }, (_, at) => 60 + (at % 3) * 40 + Math.floor(at / 120)),
);
const picture = () => native(slope, { raw: { width: 40, height: 30, channels: 3 } });

const formats = ['jpeg', 'png', 'webp', 'tiff', 'avif'] as const;

beforeEach(() => {
  vi.resetModules();
});

afterEach(() => {
  vi.doUnmock('sharp');
});

/** What `import('sharp')` finds beside Fovea. */
function beside(makeSharp: () => { readonly default: unknown }): void {
  vi.doMock('sharp', makeSharp);
}

function broken(): never {
  throw new Error('Could not load the "sharp" module using the linux-x64 runtime');
}

describe('the sharp that is taken', () => {
  const inWebAssembly = { isNative: false, version: native.versions.sharp };

  test('is the native one where it works', async () => {
    const { findSharpBuild } = await import('../../src/imaging/load-sharp.ts');
    expect(await findSharpBuild()).toEqual({
      isNative: true,
      version: native.versions.sharp,
      refusal: undefined,
    });
  });

  test.each([
    ['cannot be loaded', broken, 'it cannot be loaded'],
    ['is something else', () => ({ default: undefined }), 'it cannot be loaded'],
    [
      'is older',
      () => ({ default: { versions: { sharp: '0.34.5' } } }),
      'it is another version than 0.35',
    ],
    [
      'is newer',
      () => ({ default: { versions: { sharp: '1.0.0' } } }),
      'it is another version than 0.35',
    ],
    [
      'lacks its native part',
      () => ({ default: { versions: { sharp: '0.35.5', emscripten: '6.0.10' } } }),
      'its native part is missing',
    ],
  ])('is the one in WebAssembly where the other %s', async (_case, makeSharp, refusal) => {
    beside(makeSharp);
    const { findSharpBuild } = await import('../../src/imaging/load-sharp.ts');
    expect(await findSharpBuild()).toEqual({ ...inWebAssembly, refusal });
  });
});

describe('in WebAssembly', () => {
  beforeEach(() => beside(broken));

  test.each(formats)('reads %s as the native one does', async (format) => {
    const { decodeImage, readImageFile } = await import('../../src/imaging/image-file.ts');
    const bytes = await picture().toFormat(format).toBuffer();
    expect(await readImageFile(bytes)).toMatchObject({ format, width: 40, height: 30 });
    const { data, width, height } = await decodeImage(bytes);
    expect([width, height, data.length]).toEqual([40, 30, slope.length]);
    const expected = await native(bytes).removeAlpha().toColourspace('srgb').raw().toBuffer();
    // So versions have the same bytes either way.
    expect(largestDifference(data, expected)).toBe(0);
  });

  test.each(formats)('writes %s', async (format) => {
    const { openRaw } = await import('../../src/imaging/image-file.ts');
    const pixels = await openRaw({ data: slope, width: 40, height: 30 });
    const bytes = await pixels.toFormat(format, { quality: 90 }).toBuffer();
    const { data, info } = await native(bytes).raw().toBuffer({ resolveWithObject: true });
    expect([info.width, info.height]).toEqual([40, 30]);
    expect(largestDifference(data, slope)).toBeLessThanOrEqual(12);
  });

  test('refuses what is cut off, and a drawing in disguise, and goes on reading', async () => {
    const { readImageFile } = await import('../../src/imaging/image-file.ts');
    const { loadSharp } = await import('../../src/imaging/load-sharp.ts');
    const whole = await picture().png().toBuffer();
    for (const share of [0.2, 0.6, 0.9]) {
      const part = whole.subarray(0, Math.floor(whole.length * share));
      await expect(readImageFile(part)).rejects.toMatchObject({ code: 'invalid_input' });
    }
    const drawing = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="4" height="4"/>');
    const sharp = await loadSharp();
    await expect(sharp(drawing).png().toBuffer()).rejects.toThrow(/unsupported image format/);
    expect(await readImageFile(whole)).toMatchObject({ format: 'png', width: 40 });
  });

  test('draws a contact sheet', async () => {
    const { createCanvas } = await import('../../src/imaging/drawing-canvas.ts');
    const { contactSheet, scaleToCell } = await import('../../src/imaging/contact-sheet.ts');
    const { encodeImage } = await import('../../src/imaging/encode-image.ts');
    const image = await scaleToCell(createCanvas(64, 48, [0, 200, 0]), 160);
    const cell = { image, width: 64, height: 48, boxes: [], title: 'a.jpg', words: '' };
    const texts = { title: 'Preview', subtitle: '', note: '' };
    const sheet = await contactSheet({ ...texts, rows: [[cell]], counted: 'first_of_row' });
    const { bytes, width, height } = await encodeImage(sheet);
    expect(await native(bytes).metadata()).toMatchObject({ format: 'jpeg', width, height });
  });
});

function largestDifference(one: Uint8Array, other: Uint8Array): number {
  expect(one.length).toBe(other.length);
  return one.reduce((most, value, at) => Math.max(most, Math.abs(value - (other[at] ?? 0))), 0);
}
