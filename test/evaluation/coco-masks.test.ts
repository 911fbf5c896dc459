// Masks as pycocotools makes and compares them, on what scripts/test-reference/coco_masks.py made.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { evaluateDetections } from '../../src/evaluation/evaluate-detections.ts';
import {
  boxOfMask,
  commonPixels,
  maskOf,
  sketchOf,
  unite,
} from '../../src/evaluation/masks/mask.ts';
import { createMaskReader } from '../../src/evaluation/masks/mask-reader.ts';
import { overlapOf } from '../../src/evaluation/match-detections.ts';
import { statsOf } from './reference-images.ts';

interface Written {
  readonly height: number;
  readonly width: number;
  readonly images: number;
  readonly outlines: readonly { readonly outline: readonly number[]; readonly counts: string }[];
  readonly annotations: readonly {
    readonly image_id: number;
    readonly category_id: number;
    readonly area: number;
    readonly iscrowd: number;
    readonly segmentation: unknown;
  }[];
  readonly results: readonly {
    readonly image_id: number;
    readonly category_id: number;
    readonly score: number;
    readonly segmentation: unknown;
  }[];
  readonly figures: readonly number[];
}

const path = join(import.meta.dirname, '../fixtures/coco-masks.json');
const made: Written = JSON.parse(readFileSync(path, 'utf8'));
const reader = createMaskReader();
const masked = (segmentation: unknown) => {
  const mask = reader.ofSegmentation(segmentation, made, '');
  return { mask, ...boxOfMask(mask) };
};

it('takes the pixels of an outline that pycocotools takes, at edges and outside of the image', () => {
  expect(made.outlines.length).toBeGreaterThan(40);
  for (const { outline, counts } of made.outlines) {
    const { mask } = masked({ size: [made.height, made.width], counts });
    expect(reader.ofOutline(outline, made), JSON.stringify(outline)).toEqual(mask);
  }
});

it('gives the figures of pycocotools: polygons, runs, crowds and equal scores', () => {
  const images = Array.from({ length: made.images }, (_, place) => ({
    groundTruths: made.annotations
      .filter(({ image_id }) => image_id === place + 1)
      .map(({ category_id, area, iscrowd, segmentation }) => ({
        classIndex: category_id - 1,
        area,
        isCrowd: iscrowd === 1,
        ...masked(segmentation),
      })),
    detections: made.results
      .filter(({ image_id }) => image_id === place + 1)
      .map(({ category_id, score, segmentation }) => {
        const shape = masked(segmentation);
        return { classIndex: category_id - 1, score, area: shape.mask.pixels, ...shape };
      }),
  }));
  const { figures } = evaluateDetections(images, 3);
  for (const [place, figure] of statsOf(figures).entries()) {
    expect(figure, `figure ${place}`).toBeCloseTo(made.figures[place] ?? Number.NaN, 10);
  }
});

const height = 7;
const width = 9;
const anyPixels = fc
  .array(fc.nat(height * width - 1), { maxLength: 60 })
  .map((pixels) => new Set(pixels));

function maskOfPixels(pixels: ReadonlySet<number>) {
  const ascending = [...pixels].sort((one, other) => one - other);
  return maskOf(
    ascending.flatMap((pixel) => [pixel, pixel + 1]),
    height,
  );
}

function common(one: ReadonlySet<number>, other: ReadonlySet<number>) {
  return [...one].filter((pixel) => other.has(pixel));
}

it('counts the pixels that two masks have in common, and unites them', () => {
  fc.assert(
    fc.property(anyPixels, anyPixels, (one, other) => {
      const masks = [maskOfPixels(one), maskOfPixels(other)] as const;
      expect(masks[0].pixels).toBe(one.size);
      expect(commonPixels(...masks)).toBe(common(one, other).length);
      expect(commonPixels(masks[1], masks[0])).toBe(common(one, other).length);
      expect(unite(masks, height)).toEqual(maskOfPixels(new Set([...one, ...other])));
    }),
  );
});

it('finds the box of a mask, and an outline within it', () => {
  fc.assert(
    fc.property(anyPixels, (pixels) => {
      fc.pre(pixels.size > 0);
      const mask = maskOfPixels(pixels);
      const box = boxOfMask(mask);
      const columns = [...pixels].map((pixel) => Math.floor(pixel / height));
      const isWhole = mask.runs.every((from, at) => {
        const last = (mask.runs[at + 1] ?? 1) - 1;
        return at % 2 === 1 || Math.floor(from / height) === Math.floor(last / height);
      });
      const rows = isWhole ? [...pixels].map((pixel) => pixel % height) : [0, height - 1];
      expect(box).toEqual({
        left: Math.min(...columns),
        top: Math.min(...rows),
        width: Math.max(...columns) - Math.min(...columns) + 1,
        height: Math.max(...rows) - Math.min(...rows) + 1,
      });
      for (const [x, y] of sketchOf(mask)) {
        expect(x).toBeGreaterThan(box.left);
        expect(x).toBeLessThan(box.left + box.width);
        expect(y).toBeGreaterThanOrEqual(box.top);
        expect(y).toBeLessThanOrEqual(box.top + box.height);
      }
    }),
  );
});

it('overlaps as much as its pixels do; with a crowd, as much of the detection as lies in it', () => {
  const shape = (pixels: ReadonlySet<number>) => {
    const mask = maskOfPixels(pixels);
    return { mask, ...boxOfMask(mask) };
  };
  fc.assert(
    fc.property(anyPixels, anyPixels, (found, known) => {
      const both = common(found, known).length;
      const overlap = overlapOf(shape(found), shape(known));
      expect(overlap).toBe(both === 0 ? 0 : both / new Set([...found, ...known]).size);
      const inCrowd = overlapOf(shape(found), { ...shape(known), isCrowd: true });
      expect(inCrowd).toBe(both === 0 ? 0 : both / found.size);
    }),
  );
});

it.each([
  ['boxes', undefined, 'must be polygons or a run-length encoding'],
  ['a polygon of two corners', [[1, 1, 2, 2]], '[0]: must be [x, y, x, y, …]'],
  ['half a point', [[1, 1, 5, 1, 5, 5, 1]], '[0]: must be [x, y, x, y, …]'],
  ['no number', [[1, 1, 5, 1, 5, null]], '[0]: must be [x, y, x, y, …]'],
  ['a far place', [[1, 1, 1e300, 1, 5, 5]], '[0]: must be [x, y, x, y, …]'],
  ['another size', { size: [9, 7], counts: [63] }, '.size: must be [7, 9], the height and width'],
  ['no size', { counts: [63] }, '.size: must be [7, 9]'],
  ['no counts', { size: [7, 9] }, '.counts: must be whole numbers of pixels'],
  ['a negative count', { size: [7, 9], counts: [-1, 64] }, '.counts[0]: must be whole numbers'],
  ['too few pixels', { size: [7, 9], counts: [3, 4] }, '.counts: has 7 pixels, and the image 63'],
  ['too many pixels', { size: [7, 9], counts: [60, 4] }, '.counts: has 64 pixels'],
  ['cut text', { size: [7, 9], counts: 'o' }, '.counts: is no compressed text at character 2'],
  ['foreign text', { size: [7, 9], counts: '1é' }, '.counts: is no compressed text at character 2'],
  ['an endless count', { size: [7, 9], counts: 'o'.repeat(99) }, 'at character 8'],
  ['a run below zero', { size: [7, 9], counts: 'O' }, '.counts: has a run of -1 pixels'],
])('refuses %s', (_what, segmentation, words) => {
  expect(() => createMaskReader().ofSegmentation(segmentation, { height, width }, '')).toThrow(
    `predictions${words.startsWith('.') || words.startsWith('[') ? words : ''}`,
  );
  expect(() => createMaskReader().ofSegmentation(segmentation, { height, width }, '')).toThrow(
    words,
  );
});

it('refuses an outline that crosses the image too often, before it is drawn', () => {
  const size = { height: 4, width: 20_000 };
  const zigzag = Array.from({ length: 4_000 }, (_, at) =>
    at % 4 === 0 ? -1e6 : at % 4 === 2 ? 1e6 : at,
  );
  expect(() => createMaskReader().ofOutline(zigzag, size)).toThrow('too much memory');
});

it('reads runs of which some are empty', () => {
  const { runs } = createMaskReader().ofSegmentation(
    { size: [7, 9], counts: [0, 3, 0, 2, 5, 0, 4, 1, 48] },
    { height, width },
    '',
  );
  expect([...runs]).toEqual([0, 5, 14, 15]);
});
