// Which boxes of an image repeat another one.

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { boxFromCorner, edgesOf, overlapOf } from '../../src/annotations/box-geometry.ts';
import { duplicateBoxes } from '../../src/annotations/duplicate-boxes.ts';

const cell = boxFromCorner('cell', 10, 10, 100, 100);

it.each([
  ['the same box', boxFromCorner('cell', 10, 10, 100, 100), [1]],
  ['one moved by a hundredth', boxFromCorner('cell', 11, 10, 100, 100), [1]],
  ['one that overlaps by 0.95', boxFromCorner('cell', 10, 10, 95, 100), [1]],
  ['one that overlaps by less', boxFromCorner('cell', 10, 10, 94, 100), []],
  ['one of another class', boxFromCorner('dish', 10, 10, 100, 100), []],
  ['one within it', boxFromCorner('cell', 10, 10, 50, 50), []],
])('%s', (_what, box, places) => {
  expect([...duplicateBoxes([cell, box])]).toEqual(places);
  expect([...duplicateBoxes([box, cell])]).toEqual(places);
});

it('counts each that comes after the first, and none without an area', () => {
  const flat = boxFromCorner('cell', 5, 5, 0, 10);
  expect([...duplicateBoxes([flat, cell, flat, cell, cell])].toSorted()).toEqual([3, 4]);
  expect(duplicateBoxes([])).toEqual(new Set());
});

it('finds what a comparison of all pairs finds', () => {
  const side = fc.integer({ min: 1, max: 40 });
  const box = fc
    .tuple(fc.constantFrom('a', 'b'), side, side, side, side)
    .map(([label, left, top, width, height]) => boxFromCorner(label, left, top, width, height));
  fc.assert(
    fc.property(fc.array(box, { maxLength: 60 }), (boxes) => {
      const all = boxes.flatMap((other, place) =>
        boxes
          .slice(0, place)
          .some(
            (one) => one.label === other.label && overlapOf(edgesOf(one), edgesOf(other)) >= 0.95,
          )
          ? [place]
          : [],
      );
      expect([...duplicateBoxes(boxes)].toSorted((a, b) => a - b)).toEqual(all);
    }),
  );
});
