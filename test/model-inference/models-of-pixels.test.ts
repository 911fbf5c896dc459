// Models that give the class of each pixel: which are known, what of an image has a class, and the
// pieces that labels can keep.

import { spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { findPython } from '../../scripts/test-reference/find-python.ts';
import {
  blue,
  constantModel,
  pixelClasses,
  pixelPainter,
  red,
  type Square,
  squaresOn,
} from '../fixtures/onnx-models.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';
import { modelsOfAFile } from './models-of-a-file.ts';

const shared = modelsOfAFile();

async function seenBy(file: Uint8Array, image: Uint8Array, confidence = 0.2) {
  const labeller = await shared.labellerOf(file);
  const signal = new AbortController().signal;
  const options = { confidence, overlap: 0.5, wantsRegions: true, signal };
  return { task: labeller.task, ...(await labeller.detect(image, options)) };
}

type Seen = Awaited<ReturnType<typeof seenBy>>;

/** The class of each pixel, row by row: its number, and 9 where there is none. */
function mapOf({ width, height, regions = [] }: Seen) {
  const map = Array<number>(width * height).fill(9);
  for (const { classIndex, runs } of regions) {
    for (let run = 0; run < runs.length; run += 2) {
      for (let at = runs[run] ?? 0; at < (runs[run + 1] ?? 0); at++) {
        map[(at % height) * width + Math.floor(at / height)] = classIndex;
      }
    }
  }
  return map;
}

/** What the map of an image with these rectangles is, later ones above. */
function painted(width: number, height: number, squares: readonly (Square & { value: number })[]) {
  const map = Array<number>(width * height).fill(9);
  for (const { left, top, width: across = 16, height: down = 16, value } of squares) {
    for (let y = top; y < top + down; y++)
      map.fill(value, y * width + left, y * width + left + across);
  }
  return map;
}

const black = { r: 0, g: 0, b: 0 };
const ring = [
  { left: 8, top: 8, width: 32, height: 32, colour: red, value: 1 },
  { left: 16, top: 16, colour: black, value: 9 },
  { left: 44, top: 44, colour: blue, value: 2 },
];

describe.each([
  ['scores of each class', false],
  ['a class map', true],
])('%s', (_name, isMap) => {
  it('say the class of each pixel, with holes, and pieces as outlines', async () => {
    const seen = await seenBy(pixelPainter(isMap), await squaresOn(64, 64, ring));
    expect(seen.task).toBe('semantic');
    expect(mapOf(seen)).toEqual(painted(64, 64, ring));
    expect(seen.regions?.map(({ classIndex, pixels }) => [classIndex, pixels])).toEqual([
      [1, 32 * 32 - 16 * 16],
      [2, 16 * 16],
    ]);
    expect(seen.detections).toMatchObject([
      { label: 'red', x: 24, y: 24, width: 32, height: 32, isCut: true },
      { label: 'blue', x: 52, y: 52, width: 16, height: 16 },
    ]);
    const share = Math.E / (Math.E + Math.exp(0.5) + Math.exp(-1));
    expect(seen.detections[1]?.confidence).toBeCloseTo(isMap ? 1 : share, 5);
  });

  it('come back from the canvas to a larger image of another shape', async () => {
    // 256 x 128 is 64 x 32 in the middle of the canvas: each cell has 8 x 8 pixels.
    const wide = [
      { left: 0, top: 0, width: 64, height: 64, colour: red, value: 1 },
      { left: 192, top: 64, width: 64, height: 64, colour: blue, value: 2 },
    ];
    const seen = await seenBy(pixelPainter(isMap), await squaresOn(256, 128, wide));
    const [right, all] = [painted(256, 128, wide), mapOf(seen)];
    // Scaled down, the edges of squares are a mixture: a cell of them may be of either class.
    const wrong = all.filter((value, at) => value !== right[at]).length;
    expect(wrong).toBeLessThan(4 * 64 * 8);
    expect(all[0]).toBe(1);
    expect(all.at(-1)).toBe(2);
    expect(all[128]).toBe(9);
    expect(seen.detections.map(({ label }) => label)).toEqual(['red', 'blue']);
  });
});

it('leaves out pieces that are not sure enough, and none of the pixels', async () => {
  const seen = await seenBy(pixelPainter(), await squaresOn(64, 64, ring), 0.9);
  expect(seen.detections).toEqual([]);
  expect(mapOf(seen)).toEqual(painted(64, 64, ring));
});

it('has no background where none is named so', async () => {
  const metadata = { names: "['sky', 'red', 'blue']" };
  const seen = await seenBy(pixelPainter(false, metadata), await squaresOn(64, 64, ring));
  expect(seen.regions?.map(({ classIndex }) => classIndex)).toEqual([0, 1, 2]);
  expect(seen.detections.map(({ label }) => label)).toEqual(['sky', 'red', 'sky', 'blue']);
});

it.each([
  ["['red', 'blue']", 'gives 3 scores for each pixel, and has 2 names of classes'],
  ["['a', 'b', 'c', 'd']", 'gives 3 scores for each pixel, and has 4 names of classes'],
])('refuses other numbers of names: %s', async (names, message) => {
  await expect(shared.labellerOf(pixelPainter(false, { names }))).rejects.toMatchObject({
    code: 'invalid_input',
    message: `model: ${message}`,
    hint: expect.stringContaining('the background among them'),
  });
});

it('refuses one score for each pixel, which may be a logit or a share', async () => {
  const one = constantModel([1, 1, 2, 2], [0.4, 0.4, 0.6, 0.6], { names: "['red']" });
  await expect(shared.labellerOf(one)).rejects.toMatchObject({
    message: 'model: gives 1 scores for each pixel, and has 1 names of classes',
  });
});

it('gives no answer for numbers that mean no class', async () => {
  const image = await squaresOn(64, 64, ring);
  const broken = constantModel([1, 3, 2, 2], Array(12).fill(Number.NaN), pixelClasses);
  await expect(seenBy(broken, image)).rejects.toMatchObject({
    code: 'upstream_failed',
    message: expect.stringMatching(/^The model gives scores of pixels that are no numbers/),
  });
  const fewer = pixelPainter(true, { names: "['background', 'red']" });
  await expect(seenBy(fewer, image)).rejects.toMatchObject({
    message: expect.stringMatching(/^The model gives the class number 2 for a pixel, and its 2/),
  });
});

const python = findPython(['torch', 'onnx', 'PIL']);
const skipped = python === undefined ? ' (skipped: no Python with torch, onnx and Pillow)' : '';

it.skipIf(python === undefined)(`equals torch on a model of torch${skipped}`, async () => {
  const folder = await temporaryFolder();
  const [model, picture] = [join(folder, 'pixels.onnx'), join(folder, 'noise.png')];
  const noise = { type: 'gaussian', mean: 128, sigma: 60 } as const;
  const create = { width: 64, height: 40, channels: 3 as const, background: black, noise };
  await sharp({ create }).blur(3).normalise().png().toFile(picture);
  const script = 'test/model-inference/torch-pixels.py';
  const { stdout, stderr } = spawnSync(python ?? '', [script, model, picture], {
    encoding: 'utf8',
  });
  expect(stderr).not.toContain('Error');
  const expected: readonly number[] = JSON.parse(stdout);
  const seen = await seenBy(await readFile(model), await readFile(picture));
  expect(new Set(expected).size).toBe(4);
  expect(mapOf(seen)).toEqual(expected.map((value) => (value === 0 ? 9 : value)));
});
