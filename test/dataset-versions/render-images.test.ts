// Pixels and boxes after the steps of a version, held against drawn pictures and against sharp.

import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import { resizeFormats } from '../../src/contract/version-settings.ts';
import type { Box } from '../../src/imaging/box.ts';
import { decodeImage } from '../../src/imaging/image-file.ts';
import type { RawImage } from '../../src/imaging/raw-image.ts';
import { prepare, render } from './render-images.ts';

// A grey picture of 96 x 64 with a rectangle of its own colour, size and place for each label.
const colours = {
  red: [255, 0, 0],
  green: [0, 255, 0],
  blue: [0, 0, 255],
  yellow: [255, 255, 0],
} as const;

const boxes: readonly Box[] = [
  { label: 'red', x: 12, y: 8, width: 24, height: 16 },
  { label: 'green', x: 80, y: 10, width: 32, height: 20 },
  { label: 'blue', x: 14, y: 52, width: 28, height: 24 },
  { label: 'yellow', x: 72, y: 44, width: 20, height: 28 },
];

const stored = drawPicture();

function drawPicture(): Buffer {
  const data = Buffer.alloc(96 * 64 * 3, 128);
  for (const { label, x, y, width, height } of boxes) {
    for (let row = y - height / 2; row < y + height / 2; row++) {
      for (let column = x - width / 2; column < x + width / 2; column++) {
        data.set(colourOf(label), (row * 96 + column) * 3);
      }
    }
  }
  return data;
}

function colourOf(label: string): readonly number[] {
  return new Map<string, readonly number[]>(Object.entries(colours)).get(label) ?? [];
}

const picture = () => sharp(stored, { raw: { width: 96, height: 64, channels: 3 } });
const png = await picture().png().toBuffer();
const oriented = (orientation: number) => picture().png().withMetadata({ orientation }).toBuffer();

function pixelAt({ data, width }: RawImage, x: number, y: number): readonly number[] {
  const at = (Math.floor(y) * width + Math.floor(x)) * 3;
  return [...data.subarray(at, at + 3)];
}

function isColour(pixel: readonly number[], label: string): boolean {
  const wanted = colourOf(label);
  return pixel.every((value, channel) => Math.abs(value - (wanted[channel] ?? 0)) < 60);
}

/** Each box covers its colour up to its edges, and the colour ends where the box ends. */
function expectBoxesOnColours(image: RawImage, moved: readonly Box[], isMirrored = false): void {
  for (const { label, x, y, width, height } of moved) {
    const [left, right] = [x - width / 2, x + width / 2];
    const [top, bottom] = [y - height / 2, y + height / 2];
    const within = [
      [x, y],
      [left + 3, top + 3],
      [right - 3, top + 3],
      [left + 3, bottom - 3],
      [right - 3, bottom - 3],
    ] as const;
    for (const [px, py] of within) {
      expect({ label, px, py, ok: isColour(pixelAt(image, px, py), label) }).toMatchObject({
        ok: true,
      });
    }
    // At a mirrored edge a colour goes on beyond its box.
    if (isMirrored) continue;
    const beyond = [
      [left - 3, y],
      [right + 3, y],
      [x, top - 3],
      [x, bottom + 3],
    ] as const;
    for (const [px, py] of beyond) {
      if (px < 0 || py < 0 || px >= image.width || py >= image.height) continue;
      expect({ label, px, py, ok: isColour(pixelAt(image, px, py), label) }).toMatchObject({
        ok: false,
      });
    }
  }
}

const resize = (width: number, height: number, format: (typeof resizeFormats)[number]) => ({
  resize: { width, height, format },
});

/** All eight results of flips and quarter turns. */
const allTurns = {
  flip: { horizontal: true, vertical: true },
  ninety: { clockwise: true, 'counter-clockwise': true, 'upside-down': true },
  image: { versions: 50 },
};

describe('boxes stay on what they label', () => {
  test.each([
    [{ flip: { horizontal: true } }, 1],
    [{ flip: { vertical: true } }, 1],
    [{ flip: { horizontal: true, vertical: true } }, 3],
    [{ ninety: { clockwise: true } }, 1],
    [{ ninety: { 'counter-clockwise': true } }, 1],
    [{ ninety: { 'upside-down': true } }, 1],
    [{ ninety: { clockwise: true, 'counter-clockwise': true, 'upside-down': true } }, 3],
    [allTurns, 7],
  ])('in each result of %j', async (turns, results) => {
    const augmentation = { ...turns, image: { versions: 50 } };
    const [, ...copies] = await render(png, boxes, { augmentation });
    expect(copies).toHaveLength(results);
    for (const copy of copies) {
      expect(copy.boxes).toHaveLength(4);
      expectBoxesOnColours(await decodeImage(copy.bytes), copy.boxes);
    }
    const pictures = new Set(copies.map(({ bytes }) => Buffer.from(bytes).toString('base64')));
    expect(pictures.size).toBe(results);
  });

  test.each([1, 2, 3, 4, 5, 6, 7, 8])('EXIF orientation %i, as sharp applies it', async (n) => {
    const file = await oriented(n);
    const rendered = await prepare(file, boxes, { 'auto-orient': true });
    const wanted = await sharp(file).autoOrient().raw().toBuffer({ resolveWithObject: true });
    expect([rendered.width, rendered.height]).toEqual([wanted.info.width, wanted.info.height]);
    const { data, ...image } = await decodeImage(rendered.bytes);
    const farthest = wanted.data.reduce(
      (most, value, at) => Math.max(most, Math.abs(value - (data[at] ?? 0))),
      0,
    );
    expect(farthest).toBeLessThan(40);
    expect(rendered.boxes).toHaveLength(4);
    expectBoxesOnColours({ data, ...image }, rendered.boxes);
  });

  test.each(resizeFormats)('%s, wider, taller, smaller and larger', async (format) => {
    const counts: number[] = [];
    for (const [width, height] of [
      [96, 64],
      [200, 100],
      [100, 200],
      [70, 70],
      [61, 47],
    ] as const) {
      const rendered = await prepare(png, boxes, resize(width, height, format));
      const image = await decodeImage(rendered.bytes);
      expectBoxesOnColours(image, rendered.boxes, format.includes('reflect'));
      counts.push(rendered.boxes.length);
    }
    // A tall image shows only the middle of a wide one; reflected edges show boxes again.
    const expected = {
      'Fill (with center crop) in': [4, 4, 0, 4, 4],
      'Fit (reflect edges) in': [4, 7, 12, 8, 6],
    };
    const special = new Map<string, readonly number[]>(Object.entries(expected));
    expect(counts).toEqual(special.get(format) ?? [4, 4, 4, 4, 4]);
  });

  test('all steps together: every orientation, every format, every turn', async () => {
    for (const orientation of [1, 2, 3, 4, 5, 6, 7, 8]) {
      const file = await oriented(orientation);
      for (const format of resizeFormats) {
        const preprocessing = { 'auto-orient': true, ...resize(90, 75, format) };
        const images = await render(file, boxes, { preprocessing, augmentation: allTurns });
        expect(images).toHaveLength(8);
        for (const rendered of images) {
          const image = await decodeImage(rendered.bytes);
          expect([image.width, image.height]).toEqual([rendered.width, rendered.height]);
          expect(rendered.boxes.length).toBeGreaterThan(1);
          expectBoxesOnColours(image, rendered.boxes, format.includes('reflect'));
        }
      }
    }
  });

  test('outlines and keypoints move with the pixels', async () => {
    const points = [[0, 0] as const, [24, 0] as const, [24, 16] as const];
    const keypoints = [{ label: 'tip', x: 24, y: 0, visibility: 2 } as const];
    const box = { label: 'red', x: 12, y: 8, width: 24, height: 16, points, keypoints };
    const [, rendered] = await render(png, [box], {
      preprocessing: resize(192, 128, 'Stretch to'),
      augmentation: { ninety: { clockwise: true }, image: { versions: 2 } },
    });
    expect(rendered?.boxes).toEqual([
      {
        label: 'red',
        x: 112,
        y: 24,
        width: 32,
        height: 48,
        points: [
          [128, 0],
          [128, 48],
          [96, 48],
        ],
        keypoints: [{ label: 'tip', x: 128, y: 48, visibility: 2 }],
      },
    ]);
  });
});

describe('resize', () => {
  test.each([
    ['Stretch to', 48, 48, [48, 48], { x: 6, y: 6, width: 12, height: 12 }],
    ['Fit within', 48, 48, [48, 32], { x: 6, y: 4, width: 12, height: 8 }],
    ['Fit within', 48, 16, [24, 16], { x: 3, y: 2, width: 6, height: 4 }],
    ['Fit (black edges) in', 48, 48, [48, 48], { x: 6, y: 12, width: 12, height: 8 }],
    ['Fit (white edges) in', 48, 49, [48, 49], { x: 6, y: 12, width: 12, height: 8 }],
    ['Fit (grey edges) in', 48, 49, [48, 49], { x: 6, y: 12, width: 12, height: 8 }],
    ['Fill (with center crop) in', 32, 32, [32, 32], { x: 2, y: 4, width: 4, height: 8 }],
    // An odd pixel of edge is at the right; an odd pixel of crop is cut at the left.
    ['Fit (black edges) in', 49, 32, [49, 32], { x: 6, y: 4, width: 12, height: 8 }],
    ['Fill (with center crop) in', 31, 32, [31, 32], { x: 1.5, y: 4, width: 3, height: 8 }],
  ] as const)('%s %i x %i', async (format, width, height, size, red) => {
    const rendered = await prepare(png, boxes.slice(0, 1), resize(width, height, format));
    expect([rendered.width, rendered.height]).toEqual(size);
    expect(rendered.boxes).toEqual([{ label: 'red', ...red }]);
    expect(rendered.contentType).toBe('image/jpeg');
    const image = await decodeImage(rendered.bytes);
    expect([image.width, image.height]).toEqual(size);
  });

  test('reflected edges show the picture and its boxes again', async () => {
    const rendered = await prepare(
      png,
      boxes.slice(0, 1),
      resize(96, 128, 'Fit (reflect edges) in'),
    );
    // The picture lies 32 pixels down; its first row is the mirror.
    expect(rendered.boxes).toEqual([
      { label: 'red', x: 12, y: 40, width: 24, height: 16 },
      { label: 'red', x: 12, y: 24, width: 24, height: 16 },
    ]);
  });

  test('fills the edges with black, white or grey', async () => {
    for (const [format, value] of [
      ['Fit (black edges) in', 0],
      ['Fit (white edges) in', 255],
      ['Fit (grey edges) in', 114],
    ] as const) {
      const { bytes } = await prepare(png, [], resize(96, 128, format));
      const image = await decodeImage(bytes);
      for (const y of [2, 28, 100, 126]) {
        for (const channel of pixelAt(image, 48, y)) {
          expect(Math.abs(channel - value)).toBeLessThan(12);
        }
      }
      expect(Math.abs((pixelAt(image, 48, 64)[0] ?? 0) - 128)).toBeLessThan(12);
    }
  });

  test('a very long image can be filled, fitted and reflected', async () => {
    const raw = { width: 2, height: 5000, channels: 3 } as const;
    const long = await sharp(Buffer.alloc(2 * 5000 * 3), { raw })
      .png()
      .toBuffer();
    for (const format of resizeFormats) {
      const { width, height } = await prepare(long, [], resize(64, 64, format));
      expect([width, height]).toEqual(format === 'Fit within' ? [1, 64] : [64, 64]);
    }
  });

  test('drops what the crop cuts away, and clips what it cuts into', async () => {
    const filled = async (width: number) =>
      (await prepare(png, boxes, resize(width, 64, 'Fill (with center crop) in'))).boxes;
    expect(await filled(60)).toEqual([
      { label: 'red', x: 3, y: 8, width: 6, height: 16 },
      { label: 'green', x: 53, y: 10, width: 14, height: 20 },
      { label: 'blue', x: 5, y: 52, width: 10, height: 24 },
      { label: 'yellow', x: 52, y: 44, width: 16, height: 28 },
    ]);
    expect(await filled(32)).toEqual([]);
  });
});

describe('bytes', () => {
  test('are copied when no step changes a pixel, with all boxes as labelled', async () => {
    const odd: Box = { label: 'red', x: 500, y: 500, width: 10, height: 10 };
    for (const preprocessing of [
      {},
      { 'auto-orient': true, ...resize(96, 64, 'Stretch to') },
      { ...resize(96, 64, 'Fit (black edges) in'), 'static-crop': whole },
      { tile: { rows: 1, columns: 1 } },
    ]) {
      const [rendered, ...others] = await render(png, [...boxes, odd], { preprocessing });
      expect(rendered?.bytes).toBe(png);
      expect(rendered?.contentType).toBe('image/png');
      expect([rendered?.width, rendered?.height]).toEqual([96, 64]);
      expect(rendered?.boxes).toEqual([...boxes, odd]);
      expect(others).toEqual([]);
    }
  });

  test('of the original are kept beside copies that change it', async () => {
    const augmentation = { flip: { horizontal: true }, image: { versions: 2 } };
    const [first, second] = await render(png, boxes, { augmentation });
    expect(first?.bytes).toBe(png);
    expect(second?.contentType).toBe('image/jpeg');
  });

  test('without auto-orient are the stored pixels', async () => {
    const file = await oriented(6);
    const augmentation = { flip: { horizontal: true }, image: { versions: 2 } };
    const [stored, flipped] = await render(file, boxes, { augmentation });
    expect([stored?.width, stored?.height]).toEqual([96, 64]);
    expect([flipped?.width, flipped?.height]).toEqual([96, 64]);
    if (flipped) expectBoxesOnColours(await decodeImage(flipped.bytes), flipped.boxes);
  });

  test('are upright once and for all: no EXIF is left', async () => {
    const { bytes } = await prepare(await oriented(6), [], { 'auto-orient': true });
    expect((await sharp(bytes).metadata()).orientation).toBeUndefined();
  });

  test('are the same every time, and others for another seed', async () => {
    const settings = {
      preprocessing: resize(50, 40, 'Fit (white edges) in'),
      augmentation: { rotate: { degrees: 20 }, noise: { percent: 5 }, image: { versions: 3 } },
    };
    const first = await render(png, boxes, settings);
    expect(await render(png, boxes, settings)).toEqual(first);
    const other = await render(png, boxes, settings, { seed: '1' });
    expect(other[0]).toEqual(first[0]);
    expect(other[1]?.words).not.toEqual(first[1]?.words);
  });

  test('of grey, transparent and BMP images become colour JPEG', async () => {
    const grey = await picture().greyscale().toColourspace('b-w').png().toBuffer();
    const clear = await picture().ensureAlpha(0).png().toBuffer();
    for (const bytes of [grey, clear]) {
      const rendered = await prepare(bytes, [], resize(48, 32, 'Stretch to'));
      const { format, channels } = await sharp(rendered.bytes).metadata();
      expect([format, channels]).toEqual(['jpeg', 3]);
    }
    const seen = await prepare(clear, boxes, resize(96, 128, 'Stretch to'));
    expectBoxesOnColours(await decodeImage(seen.bytes), seen.boxes);
  });

  test('that are corrupt are refused, by the place of their source', async () => {
    const jpeg = await picture().jpeg().toBuffer();
    const cut = jpeg.subarray(0, Math.floor(jpeg.length / 2));
    await expect(prepare(cut, [], resize(48, 32, 'Stretch to'))).rejects.toMatchObject({
      at: 0,
      cause: { code: 'invalid_input' },
    });
    await expect(prepare(Buffer.from('text'), [], {})).rejects.toMatchObject({
      at: 0,
      cause: { code: 'unsupported_media' },
    });
  });
});

const whole = { x_min: 0, x_max: 100, y_min: 0, y_max: 100 };
