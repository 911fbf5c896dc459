// Masks that take too long to be compared are refused before.

import { expect, it } from 'vitest';
import { checkComparisons } from '../../src/evaluation/masks/comparison-bound.ts';

/** So many labels, and as many predictions, each of a mask with 10,000 runs. */
function image(objects: number, beside: number) {
  const mask = { runs: new Uint32Array(20_000), height: 2_000, pixels: 10_000 };
  const shape = { top: 0, width: 100, height: 100, classIndex: 0, mask };
  return {
    groundTruths: Array.from({ length: objects }, () => ({ ...shape, left: 0 })),
    detections: Array.from({ length: objects }, () => ({ ...shape, left: beside, score: 0.5 })),
  };
}

it('refuses hundreds of ragged masks on each other, in one image or in several', () => {
  expect(() => checkComparisons([image(400, 0)])).toThrow('too many points to be compared');
  expect(() => checkComparisons(Array.from({ length: 10 }, () => image(110, 50)))).toThrow();
});

it('takes masks beside each other, and fewer on each other', () => {
  expect(() => checkComparisons([image(400, 100), image(100, 0)])).not.toThrow();
});
