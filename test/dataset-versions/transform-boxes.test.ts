// Turns as matrices, and boxes, outlines and keypoints moved by them.

import { describe, expect, test } from 'vitest';
import { composeTurns, exifTurn, turns } from '../../src/dataset-versions/orientation.ts';
import {
  compose,
  identity,
  scaling,
  transformBoxes,
  translation,
  turning,
} from '../../src/dataset-versions/transform-boxes.ts';
import type { Box } from '../../src/imaging/box.ts';

const size = { width: 48, height: 32 };
const turned = { width: 32, height: 48 };
const box: Box = { label: 'a', x: 10, y: 5, width: 4, height: 2 };

describe('turns', () => {
  test.each([
    ['horizontal', size, { x: 38, y: 5, width: 4, height: 2 }],
    ['vertical', size, { x: 10, y: 27, width: 4, height: 2 }],
    ['upside-down', size, { x: 38, y: 27, width: 4, height: 2 }],
    ['clockwise', turned, { x: 27, y: 10, width: 2, height: 4 }],
    ['counter-clockwise', turned, { x: 5, y: 38, width: 2, height: 4 }],
  ] as const)('%s moves a box', (name, after, wanted) => {
    const matrix = turning(turns[name], size);
    expect(transformBoxes([box], matrix, after)).toEqual([{ label: 'a', ...wanted }]);
  });

  test.each([
    [1, [10, 5]],
    [2, [38, 5]],
    [3, [38, 27]],
    [4, [10, 27]],
    [5, [5, 10]],
    [6, [27, 10]],
    [7, [27, 38]],
    [8, [5, 38]],
    [0, [10, 5]],
    [9, [10, 5]],
  ])('EXIF orientation %i moves a box', (orientation, wanted) => {
    const turn = exifTurn(orientation);
    const after = turn.quarters % 2 === 0 ? size : turned;
    const [moved] = transformBoxes([box], turning(turn, size), after);
    expect([moved?.x, moved?.y]).toEqual(wanted);
  });

  test('one after the other are one turn', () => {
    for (const first of [1, 2, 3, 4, 5, 6, 7, 8].map(exifTurn)) {
      for (const second of [1, 2, 3, 4, 5, 6, 7, 8].map(exifTurn)) {
        const between = first.quarters % 2 === 0 ? size : turned;
        const steps = compose(turning(first, size), turning(second, between));
        const whole = turning(composeTurns(first, second), size);
        expect(whole.map((n) => n + 0)).toEqual(steps.map((n) => n + 0));
      }
    }
  });
});

describe('boxes at the edge', () => {
  const shifted = (given: Partial<Box>, x: number, y = 0) =>
    transformBoxes([{ ...box, ...given }], translation(x, y), size);

  test('stay as they are when they are inside', () => {
    expect(transformBoxes([box], identity, size)).toEqual([box]);
  });

  test('are clipped', () => {
    expect(shifted({ width: 10 }, -7)).toEqual([{ label: 'a', x: 4, y: 5, width: 8, height: 2 }]);
    expect(shifted({ height: 10, y: 28 }, 0, 2)).toEqual([
      { label: 'a', x: 10, y: 28.5, width: 4, height: 7 },
    ]);
  });

  test('stay when a fifth is visible, and go when less is', () => {
    expect(shifted({ width: 10 }, -13)).toEqual([{ label: 'a', x: 1, y: 5, width: 2, height: 2 }]);
    expect(shifted({ width: 10 }, -13.01)).toEqual([]);
    expect(shifted({}, 100)).toEqual([]);
  });

  test('without an area stay while their centre is inside', () => {
    const point = { width: 0, height: 0 };
    expect(shifted(point, 38)).toEqual([{ label: 'a', x: 48, y: 5, width: 0, height: 0 }]);
    expect(shifted(point, 38.01)).toEqual([]);
    expect(shifted(point, -10)).toEqual([{ label: 'a', x: 0, y: 5, width: 0, height: 0 }]);
    const line = { width: 0, height: 20 };
    expect(shifted(line, 0)).toEqual([{ label: 'a', x: 10, y: 7.5, width: 0, height: 15 }]);
    expect(shifted(line, 0, -6)).toEqual([]);
  });

  test('with an outline are measured and drawn by it', () => {
    const points = [[0, 0] as const, [10, 0] as const, [10, 10] as const, [0, 10] as const];
    const outlined = { x: 5, y: 5, width: 10, height: 10, points };
    expect(shifted(outlined, -4)).toEqual([
      {
        label: 'a',
        x: 3,
        y: 5,
        width: 6,
        height: 10,
        points: [
          [0, 0],
          [6, 0],
          [6, 10],
          [0, 10],
        ],
      },
    ]);
    const triangle = { ...outlined, points: [[0, 0] as const, [10, 0] as const, [0, 10] as const] };
    // Of 50 square pixels 18 are left, then 12.5, then 8.
    expect(shifted(triangle, -4)).toEqual([
      {
        label: 'a',
        x: 3,
        y: 3,
        width: 6,
        height: 6,
        points: [
          [0, 0],
          [6, 0],
          [0, 6],
        ],
      },
    ]);
    expect(shifted(triangle, -5)).toHaveLength(1);
    expect(shifted(triangle, -6)).toEqual([]);
  });

  test('take their keypoints along; one that leaves counts as not labelled', () => {
    const keypoints = [
      { label: 'left', x: 9, y: 5, visibility: 2 } as const,
      { label: 'right', x: 11, y: 5, visibility: 1 } as const,
    ];
    expect(shifted({ keypoints }, -10)[0]?.keypoints).toEqual([
      { label: 'left', x: 0, y: 5, visibility: 0 },
      { label: 'right', x: 1, y: 5, visibility: 1 },
    ]);
  });
});

test('scaling and shifting compose in order', () => {
  const matrix = compose(scaling(2, 3), translation(1, 1));
  expect(transformBoxes([box], matrix, { width: 100, height: 100 })).toEqual([
    { label: 'a', x: 21, y: 16, width: 8, height: 6 },
  ]);
});
