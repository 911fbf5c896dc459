// Proof by many random images and settings: labels move exactly as the pixels under them.

import fc from 'fast-check';
import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import { resizeFormats, type VersionSettings } from '../../src/contract/version-settings.ts';
import type { RenderedImage } from '../../src/dataset-versions/render-images.ts';
import type { Box } from '../../src/imaging/box.ts';
import type { RawImage } from '../../src/imaging/raw-image.ts';
import { cornerNames, drawMarked, findMarker, type Marked } from './corner-markers.ts';
import { render, renderJob } from './render-images.ts';

// The same cases in every run; FOVEA_PROPERTY_SEED gives others.
fc.configureGlobal({ seed: Number(process.env.FOVEA_PROPERTY_SEED ?? 1) });

type Augmentation = VersionSettings['augmentation'];
type Preprocessing = VersionSettings['preprocessing'];

const side = fc.integer({ min: 64, max: 160 });
const share = fc.double({ min: 0, max: 1, noNaN: true });

/**
 * An image of random size with a box somewhere on it, each corner under a marker. Far enough from
 * the edges and from each other that markers stay apart when the image is made small or mirrored.
 */
const marked: fc.Arbitrary<Marked> = fc
  .tuple(side, side, fc.tuple(share, share, share, share))
  .map(([width, height, [x, y, w, h]]) => {
    const boxWidth = 28 + Math.floor(w * (width - 24 - 28));
    const boxHeight = 28 + Math.floor(h * (height - 24 - 28));
    const left = 12 + Math.floor(x * (width - 24 - boxWidth));
    const top = 12 + Math.floor(y * (height - 24 - boxHeight));
    return drawMarked({ width, height }, { left, top, width: boxWidth, height: boxHeight });
  });

const percent = (most: number) => fc.double({ min: 0, max: most, noNaN: true });

const moves: fc.Arbitrary<Augmentation> = fc.record(
  {
    flip: fc.constantFrom({ horizontal: true }, { vertical: true }, bothWays()),
    ninety: fc.constantFrom({ clockwise: true }, { 'counter-clockwise': true }, allTurns()),
    crop: fc.tuple(percent(60), percent(60)).map(([a, b]) => ({
      min: Math.min(a, b),
      max: Math.max(a, b),
    })),
    rotate: fc.record({ degrees: percent(180) }),
    shear: fc.record({ horizontal: percent(40), vertical: percent(40) }),
  },
  { requiredKeys: [] },
);

function bothWays() {
  return { horizontal: true, vertical: true };
}

function allTurns() {
  return { clockwise: true, 'counter-clockwise': true, 'upside-down': true };
}

const newSize = fc.integer({ min: 48, max: 200 });

const resize = (formats: readonly (typeof resizeFormats)[number][]) =>
  fc.record({ width: newSize, height: newSize, format: fc.constantFrom(...formats) });

/** A marker that is cut lies at an edge, and is left out; so nothing may be put around it then. */
const cuts: fc.Arbitrary<Preprocessing> = fc.record(
  {
    'auto-orient': fc.boolean(),
    resize: resize(['Stretch to', 'Fit within', 'Fill (with center crop) in']),
    'static-crop': fc
      .tuple(percent(40), percent(40))
      .map(([x, y]) => ({ x_min: x, x_max: x + 60, y_min: y, y_max: y + 60 })),
    tile: fc.record({ rows: count(), columns: count() }),
  },
  { requiredKeys: [] },
);

const frames: fc.Arbitrary<Preprocessing> = fc.record(
  { 'auto-orient': fc.boolean(), resize: resize(resizeFormats) },
  { requiredKeys: [] },
);

/** Nothing is cut, so that a later turn brings no cut marker into the middle. */
const whole: fc.Arbitrary<Preprocessing> = fc.record({
  'auto-orient': fc.boolean(),
  resize: resize(['Stretch to', 'Fit within', 'Fit (black edges) in', 'Fit (grey edges) in']),
});

const padding = fc.constantFrom(...(['black', 'white', 'grey', 'reflect'] as const));

const paddedTiles: fc.Arbitrary<Preprocessing> = fc.record({
  'auto-orient': fc.boolean(),
  tile: fc.oneof(
    fc.record({
      mode: fc.constant('fixed_size' as const),
      tileWidth: newSize,
      tileHeight: newSize,
      overlap: percent(50),
      padding,
    }),
    fc.record({
      mode: fc.constant('fixed_aspect' as const),
      aspectRatio: fc.double({ min: 0.5, max: 2, noNaN: true }),
      span: fc.constantFrom(...(['width', 'height'] as const)),
      overlap: percent(50),
      padding,
    }),
  ),
});

const parts = fc.oneof(cuts, frames, paddedTiles);

function count() {
  return fc.integer({ min: 1, max: 3 });
}

const orientation = fc.integer({ min: 1, max: 8 });

interface Found {
  points: number;
  boxes: number;
}

describe('labels go where the pixels go', () => {
  test('augmentations: each corner within one pixel of its marker', async () => {
    const found: Found = { points: 0, boxes: 0 };
    await fc.assert(
      fc.asyncProperty(marked, moves, async (image, augmentation) => {
        const settings = { augmentation: { ...augmentation, image: { versions: 4 } } };
        const images = await renderPixels(image, settings, 1);
        for (const rendered of images) checkMarkers(rendered, found);
      }),
      { numRuns: 150 },
    );
    expect(found.points).toBeGreaterThan(800);
    expect(found.boxes).toBeGreaterThan(150);
  });

  test('preprocessing: each corner within one pixel of its marker', async () => {
    const found: Found = { points: 0, boxes: 0 };
    await fc.assert(
      fc.asyncProperty(marked, parts, orientation, async (image, preprocessing, turn) => {
        const images = await renderPixels(image, { preprocessing }, turn);
        for (const rendered of images) checkMarkers(rendered, found);
      }),
      { numRuns: 150 },
    );
    expect(found.points).toBeGreaterThan(400);
    expect(found.boxes).toBeGreaterThan(80);
  });

  test('both together', async () => {
    const found: Found = { points: 0, boxes: 0 };
    await fc.assert(
      fc.asyncProperty(
        marked,
        whole,
        moves,
        orientation,
        async (image, preprocessing, own, turn) => {
          const settings = { preprocessing, augmentation: { ...own, image: { versions: 3 } } };
          const images = await renderPixels(image, settings, turn);
          for (const rendered of images) checkMarkers(rendered, found);
        },
      ),
      { numRuns: 100 },
    );
    expect(found.points).toBeGreaterThan(400);
    expect(found.boxes).toBeGreaterThan(60);
  });
});

/** Raw pixels of all images of a source whose EXIF says that orientation. */
async function renderPixels(
  { pixels, box }: Marked,
  settings: Partial<VersionSettings>,
  turn: number,
): Promise<readonly RenderedImage[]> {
  const { data, width, height } = pixels;
  const bytes = await sharp(data, { raw: { width, height, channels: 3 } })
    .withMetadata({ orientation: turn })
    .png({ compressionLevel: 1 })
    .toBuffer();
  return render(bytes, [box], settings, { output: 'pixels' });
}

/** Every corner that is well within the image lies under its marker; so do outline and box. */
function checkMarkers(rendered: RenderedImage, found: Found): void {
  const image: RawImage = { ...rendered, data: rendered.bytes };
  // Where edges are reflected, a mirror image of the box is another box.
  for (const box of rendered.boxes) {
    const places = (box.keypoints ?? []).map((point) => ({
      point,
      marker: point.visibility === 0 ? undefined : findMarker(image, point),
    }));
    for (const { point, marker } of places) {
      if (marker === undefined) continue;
      found.points++;
      expect(Math.hypot(marker.x - point.x, marker.y - point.y)).toBeLessThanOrEqual(1);
    }
    const markers = places.flatMap(({ marker }) => marker ?? []);
    if (markers.length < cornerNames.length) continue;
    found.boxes++;
    const xs = markers.map(({ x }) => x);
    const ys = markers.map(({ y }) => y);
    expect(Math.abs(box.x - box.width / 2 - Math.min(...xs))).toBeLessThanOrEqual(1);
    expect(Math.abs(box.x + box.width / 2 - Math.max(...xs))).toBeLessThanOrEqual(1);
    expect(Math.abs(box.y - box.height / 2 - Math.min(...ys))).toBeLessThanOrEqual(1);
    expect(Math.abs(box.y + box.height / 2 - Math.max(...ys))).toBeLessThanOrEqual(1);
    for (const [index, [x, y]] of (box.points ?? []).entries()) {
      expect(Math.hypot((xs[index] ?? 0) - x, (ys[index] ?? 0) - y)).toBeLessThanOrEqual(1);
    }
  }
}

const anyBox: fc.Arbitrary<Box> = fc
  .tuple(percent(200), percent(200), percent(120), percent(120), fc.boolean())
  .map(([x, y, width, height, isOutlined]) => {
    const [left, top, right, bottom] = [
      x - width / 2,
      y - height / 2,
      x + width / 2,
      y + height / 2,
    ];
    const points = [[left, top] as const, [right, y] as const, [x, bottom] as const];
    const keypoints = [{ label: 'middle', x, y, visibility: 2 } as const];
    return { label: 'a', x, y, width, height, ...(isOutlined && { points, keypoints }) };
  });

const insideBoxes: fc.Arbitrary<Augmentation> = fc.record(
  {
    bbflip: fc.constant(bothWays()),
    bbninety: fc.constant(allTurns()),
    bbcrop: fc.constant({ min: 0, max: 80 }),
    bbrotate: fc.constant({ degrees: 90 }),
    bbshear: fc.constant({ horizontal: 40, vertical: 40 }),
    bbbrightness: fc.constant({ brighten: true, darken: true, percent: 60 }),
    bbexposure: fc.constant({ percent: 60 }),
    bbblur: fc.constant({ pixels: 3 }),
    bbnoise: fc.constant({ percent: 30 }),
  },
  { requiredKeys: [] },
);

describe('whatever is asked for', () => {
  test('no label reaches out of a changed image', async () => {
    let boxes = 0;
    await fc.assert(
      fc.asyncProperty(
        marked,
        fc.array(anyBox, { maxLength: 6 }),
        parts,
        fc.tuple(moves, insideBoxes, fc.boolean()),
        async ({ pixels }, labelled, preprocessing, [own, inside, mosaic]) => {
          const augmentation = { ...own, ...inside, mosaic, cutout, image: { versions: 3 } };
          const images = await renderPixels2(pixels, labelled, { preprocessing, augmentation });
          for (const { copy, boxes: left, width, height } of images) {
            if (copy === 0) continue;
            for (const box of left) {
              boxes++;
              expectInside(box, width, height);
            }
          }
        },
      ),
      { numRuns: 100 },
    );
    expect(boxes).toBeGreaterThan(500);
  });

  test('flips and turns undo themselves, to the byte', async () => {
    const pairs = [
      ['flip left-right', { flip: { horizontal: true } }],
      ['flip up-down', { flip: { vertical: true } }],
      ['turn upside-down', { ninety: { 'upside-down': true } }],
    ] as const;
    await fc.assert(
      fc.asyncProperty(marked, fc.constantFrom(...pairs), async ({ pixels, box }, [words, own]) => {
        const augmentation = { ...own, image: { versions: 2 } };
        const [, once] = await renderPixels2(pixels, [box], { augmentation });
        if (once === undefined) throw new Error('no copy was made');
        expect(once.words).toEqual([words]);
        expect(once.boxes).not.toEqual([box]);
        const [, twice] = await renderPixels2({ ...once, data: once.bytes }, once.boxes, {
          augmentation,
        });
        expect(Buffer.from(twice?.bytes ?? []).equals(pixels.data)).toBe(true);
        expect(twice?.boxes).toEqual([box]);
      }),
      { numRuns: 40 },
    );
  });

  test('`bb` keys change nothing around the boxes, and leave the boxes', async () => {
    let changed = 0;
    await fc.assert(
      fc.asyncProperty(marked, insideBoxes, async ({ pixels, box }, inside) => {
        const plain: Box = { label: 'a', x: box.x, y: box.y, width: box.width, height: box.height };
        const augmentation = { ...inside, image: { versions: 2 } };
        const [before, after] = await renderPixels2(pixels, [plain], { augmentation });
        if (before === undefined || after === undefined) return;
        expect(after.boxes).toEqual([plain]);
        for (let at = 0; at < before.bytes.length; at++) {
          if (before.bytes[at] === after.bytes[at]) continue;
          changed++;
          const [x, y] = [Math.floor(at / 3) % before.width, Math.floor(at / 3 / before.width)];
          expect(Math.abs(x + 0.5 - box.x)).toBeLessThan(box.width / 2);
          expect(Math.abs(y + 0.5 - box.y)).toBeLessThan(box.height / 2);
        }
      }),
      { numRuns: 60 },
    );
    expect(changed).toBeGreaterThan(1000);
  });

  test('colour, blur, noise and cutout leave every label where it is', async () => {
    const paints = { hue: { degrees: 90 }, saturation: { percent: 80 }, exposure: { percent: 50 } };
    const more = { blur: { pixels: 4 }, noise: { percent: 20 }, rgrayscale: { percent: 50 } };
    const brightness = { brighten: true, darken: true, percent: 50 };
    await fc.assert(
      fc.asyncProperty(marked, async ({ pixels, box }) => {
        const augmentation = { ...paints, ...more, brightness, cutout, image: { versions: 3 } };
        const images = await renderPixels2(pixels, [box], { augmentation });
        expect(images).toHaveLength(3);
        for (const image of images) expect(image.boxes).toEqual([box]);
      }),
      { numRuns: 20 },
    );
  });
});

const cutout = { count: 3, percent: 20 };

function expectInside(box: Box, width: number, height: number): void {
  const tolerance = 1e-5;
  expect(box.x - box.width / 2).toBeGreaterThanOrEqual(-tolerance);
  expect(box.y - box.height / 2).toBeGreaterThanOrEqual(-tolerance);
  expect(box.x + box.width / 2).toBeLessThanOrEqual(width + tolerance);
  expect(box.y + box.height / 2).toBeLessThanOrEqual(height + tolerance);
  const keypoints = (box.keypoints ?? []).map(({ x, y }) => [x, y] as const);
  for (const [x, y] of [...(box.points ?? []), ...keypoints]) {
    expect(Math.abs(x - width / 2)).toBeLessThanOrEqual(width / 2 + tolerance);
    expect(Math.abs(y - height / 2)).toBeLessThanOrEqual(height / 2 + tolerance);
  }
}

async function renderPixels2(
  { data, width, height }: RawImage,
  boxes: readonly Box[],
  settings: Partial<VersionSettings>,
): Promise<readonly RenderedImage[]> {
  const raw = { width, height, channels: 3 } as const;
  const bytes = await sharp(data, { raw }).png({ compressionLevel: 1 }).toBuffer();
  return renderJob(
    { sources: [{ bytes, hash: 'source', split: 'train', boxes }], output: 'pixels' },
    settings,
  );
}
