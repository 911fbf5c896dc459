// Moves with chosen strengths: where a few points of an image go.

import { describe, expect, test } from 'vitest';
import type { AugmentationChoice } from '../../src/dataset-versions/augmentation-choice.ts';
import {
  chooseCrop,
  chooseFlip,
  chooseNinety,
  chooseRotate,
  chooseShear,
  composeTransforms,
} from '../../src/dataset-versions/geometric-augmentations.ts';
import { transformBoxes } from '../../src/dataset-versions/transform-boxes.ts';

/** Random numbers that are these, one after the other, and then the last one again. */
function drawing(...numbers: readonly number[]) {
  const rest = [...numbers];
  return () => (rest.length > 1 ? rest.shift() : rest[0]) ?? 0;
}

const size = { width: 100, height: 50 };

/** Where points of an image of 100 x 50 go; those that leave it end at its edge. */
function moved(
  choices: readonly (AugmentationChoice | undefined)[],
  points: readonly (readonly [number, number])[],
) {
  const transforms = choices.flatMap((choice) => choice?.geometricTransform ?? []);
  const { matrix, size: after } = composeTransforms(size, transforms);
  const keypoints = points.map(([x, y]) => ({ label: '', x, y, visibility: 2 }) as const);
  const box = { label: '', x: 50, y: 25, width: 2, height: 2, keypoints };
  const [found] = transformBoxes([box], matrix, after, 0);
  return found?.keypoints?.map(({ x, y }) => [Math.round(x * 10) / 10, Math.round(y * 10) / 10]);
}

describe('rotate', () => {
  test.each([
    [90, 1, 'rotate 90°', [60, 25], [50, 35]],
    [90, 0, 'rotate -90°', [60, 25], [50, 15]],
    [60, 0.75, 'rotate 30°', [60, 25], [58.7, 30]],
    [45, 0, 'rotate -45°', [60, 25], [57.1, 17.9]],
  ] as const)('up to %i, drawn %f: %s', (degrees, drawn, words, from, to) => {
    const choice = chooseRotate({ degrees }, drawing(drawn));
    expect(choice?.words).toBe(words);
    // Clockwise, as one sees it, around the middle.
    expect(moved([choice], [[50, 25], from])).toEqual([[50, 25], to]);
  });
});

describe('shear', () => {
  test.each([
    [{ horizontal: 45, vertical: 0 }, [1, 0.5], 'shear 45° 0°', [60, 35], [60, 25]],
    [{ horizontal: 45, vertical: 0 }, [0, 0.5], 'shear -45° 0°', [40, 35], [60, 25]],
    [{ horizontal: 0, vertical: 45 }, [0.5, 1], 'shear 0° 45°', [50, 35], [60, 35]],
    [{ horizontal: 45, vertical: 45 }, [0, 1], 'shear -45° 45°', [40, 25], [60, 35]],
    [{ horizontal: 45, vertical: 45 }, [1, 1], 'shear 45° 45°', [60, 45], [60, 35]],
  ] as const)('%j drawn %j: %s', (setting, drawn, words, below, right) => {
    const choice = chooseShear(setting, drawing(...drawn));
    expect(choice?.words).toBe(words);
    const points = [[50, 25] as const, [50, 35] as const, [60, 25] as const];
    expect(moved([choice], points)).toEqual([[50, 25], below, right]);
  });
});

describe('crop', () => {
  test.each([
    ['at the left and top', [1, 0, 0], [0, 0], [50, 25]],
    ['at the right and top', [1, 1, 0], [50, 0], [100, 25]],
    ['at the left and bottom', [1, 0, 1], [0, 25], [50, 50]],
    ['in between', [1, 0.5, 0.2], [25, 5], [75, 30]],
  ] as const)('of 75 percent %s', (_, drawn, first, last) => {
    const choice = chooseCrop({ min: 0, max: 75 }, drawing(...drawn));
    expect(choice?.words).toBe('crop 75 %');
    // Half of each side fills the image.
    expect(moved([choice], [first, last])).toEqual([
      [0, 0],
      [100, 50],
    ]);
  });

  test('takes at least min and at most max percent', () => {
    const words = (drawn: number) => chooseCrop({ min: 10, max: 30 }, drawing(drawn, 0))?.words;
    expect([words(0), words(0.5), words(1)]).toEqual(['crop 10 %', 'crop 20 %', 'crop 30 %']);
    expect(chooseCrop({ min: 0, max: 30 }, drawing(0))).toBeUndefined();
  });
});

describe('flip and ninety', () => {
  const both = { horizontal: true, vertical: true };
  const all = { clockwise: true, 'counter-clockwise': true, 'upside-down': true };

  test('even chances of each direction', () => {
    const flips = [
      [0.49, 0.49],
      [0.49, 0.5],
      [0.5, 0.49],
      [0.5, 0.5],
    ].map((drawn) => chooseFlip(both, drawing(...drawn))?.words);
    expect(flips).toEqual(['flip both ways', 'flip left-right', 'flip up-down', undefined]);
    const turns = [0, 0.25, 0.5, 0.75].map((drawn) => chooseNinety(all, drawing(drawn))?.words);
    expect(turns).toEqual([
      'turn clockwise',
      'turn counter-clockwise',
      'turn upside-down',
      undefined,
    ]);
    const one = [0.49, 0.5].map(
      (drawn) => chooseNinety({ clockwise: true }, drawing(drawn))?.words,
    );
    expect(one).toEqual(['turn clockwise', undefined]);
  });

  test('one after the other, with what follows in the turned image', () => {
    const turn = chooseNinety({ clockwise: true }, drawing(0));
    expect(
      moved(
        [turn],
        [
          [0, 0],
          [100, 50],
          [10, 5],
        ],
      ),
    ).toEqual([
      [50, 0],
      [0, 100],
      [45, 10],
    ]);
    const flip = chooseFlip({ horizontal: true }, drawing(0));
    expect(moved([flip, turn], [[10, 5]])).toEqual([[45, 90]]);
    expect(moved([turn, flip], [[10, 5]])).toEqual([[5, 10]]);
    const rotate = chooseRotate({ degrees: 90 }, drawing(1));
    // The turned image is 50 x 100; its middle is 25, 50.
    expect(
      moved(
        [turn, rotate],
        [
          [50, 25],
          [60, 25],
        ],
      ),
    ).toEqual([
      [25, 50],
      [15, 50],
    ]);
  });
});
