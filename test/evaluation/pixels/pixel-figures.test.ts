// Figures of semantic segmentation: counted by hand, and by the definitions of others in numpy.

import { execFileSync } from 'node:child_process';
import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import * as z from 'zod';
import { findPython } from '../../../scripts/test-reference/find-python.ts';
import { confusedPixels, sumOfPixels } from '../../../src/evaluation/pixels/confused-pixels.ts';
import { pixelFigures } from '../../../src/evaluation/pixels/pixel-figures.ts';
import { randomFrom } from '../../../src/seeded-random.ts';

const map = (text: string) => Uint8Array.from(text.replaceAll(/\s/g, ''), Number);

it('counts pairs, with the background behind the classes', () => {
  const truth = map('0011 0011 0022 0000');
  const found = map('0011 0012 0022 1000');
  expect(confusedPixels(truth, found, 2)).toEqual([
    [2, 2, 9],
    [2, 0, 1],
    [0, 0, 3],
    [0, 1, 1],
    [1, 1, 2],
  ]);
});

it('gives the figures of the field', () => {
  const cells = sumOfPixels([confusedPixels(map('0011 0022'), map('0111 0020'), 3)], 3);
  // Class 1: 2 right of 2 labelled and 3 found; class 2: 1 of 2 and 1; 3: nowhere.
  expect(pixelFigures(cells, 3)).toMatchObject({
    pixelAccuracy: 6 / 8,
    meanIou: (2 / 3 + 1 / 2 + 3 / 5) / 3,
    meanIouOfClasses: (2 / 3 + 1 / 2) / 2,
    meanAccuracy: (1 + 1 / 2 + 3 / 4) / 3,
    frequencyWeightedIou: (2 * (2 / 3) + 2 * (1 / 2) + 4 * (3 / 5)) / 8,
    each: [
      { labelled: 2, found: 3, right: 2, iou: 2 / 3, precision: 2 / 3, recall: 1, f1: 4 / 5 },
      { labelled: 2, found: 1, right: 1, iou: 1 / 2, precision: 1, recall: 1 / 2, f1: 2 / 3 },
      { labelled: 0, found: 0, iou: null, precision: null, recall: null, f1: null },
      { labelled: 4, found: 4, right: 3, iou: 3 / 5 },
    ],
  });
});

it('says nothing of nothing', () => {
  expect(pixelFigures([], 1)).toMatchObject({ pixelAccuracy: null, meanIou: null });
});

const random = randomFrom('pixels');
const picture = (classes: number) =>
  Uint8Array.from({ length: 600 }, () => Math.floor(random() * (classes + 1)));
const pairs = Array.from({ length: 12 }, () => [picture(4), picture(4)] as const);

it('does not depend on the order of images, nor on how pixels are split among them', () => {
  const cells = (parts: readonly (readonly [Uint8Array, Uint8Array])[]) =>
    sumOfPixels(
      parts.map(([truth, found]) => confusedPixels(truth, found, 4)),
      4,
    );
  const halves = pairs.flatMap(([truth, found]) => [
    [truth.subarray(0, 100), found.subarray(0, 100)] as const,
    [truth.subarray(100), found.subarray(100)] as const,
  ]);
  expect(cells(pairs.toReversed())).toEqual(cells(pairs));
  expect(cells(halves)).toEqual(cells(pairs));
});

const python = findPython(['numpy']);
const skipped = python === undefined ? ' (skipped: no Python with numpy)' : '';

const figuresSchema = z.object({
  pixelAccuracy: z.number(),
  meanIou: z.number(),
  meanAccuracy: z.number(),
  frequencyWeightedIou: z.number(),
  iou: z.array(z.number().nullable()),
});

it.skipIf(python === undefined)(`equals the definitions of mmseg in numpy${skipped}`, () => {
  // The fifth class is found, and never labelled.
  const given = pairs.map(([truth, found]) => [
    [...truth].map((value) => (value === 4 ? 0 : value)),
    [...found],
  ]);
  const script = resolve('scripts/test-reference/pixel_figures.py');
  const input = JSON.stringify({ classes: 5, pairs: given });
  const said = execFileSync(python ?? '', ['-B', script], { input, encoding: 'utf8' });
  const expected = figuresSchema.parse(JSON.parse(said));
  const cells = sumOfPixels(
    given.map(([truth = [], found = []]) =>
      confusedPixels(Uint8Array.from(truth), Uint8Array.from(found), 5),
    ),
    5,
  );
  const figures = pixelFigures(cells, 5);
  expect(figures.pixelAccuracy).toBeCloseTo(expected.pixelAccuracy, 12);
  expect(figures.meanIou).toBeCloseTo(expected.meanIou, 12);
  expect(figures.meanAccuracy).toBeCloseTo(expected.meanAccuracy, 12);
  expect(figures.frequencyWeightedIou).toBeCloseTo(expected.frequencyWeightedIou, 12);
  const ofClasses = [...figures.each.slice(-1), ...figures.each.slice(0, -1)].map(({ iou }) => iou);
  expect(ofClasses.map((iou) => iou === null)).toEqual(expected.iou.map((iou) => iou === null));
  for (const [place, iou] of expected.iou.entries()) {
    expect(ofClasses[place] ?? 0).toBeCloseTo(iou ?? 0, 12);
  }
});
