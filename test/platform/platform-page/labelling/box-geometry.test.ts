// What becomes of boxes that are drawn, moved and resized on the page.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  boxAt,
  boxBetween,
  fitted,
  handleAt,
  handlePoints,
  isSame,
  moved,
  resized,
} from '../../../../src/platform/platform-page/labelling/box-geometry.js';

const size = { width: 300, height: 200 };
const far = { min: -1e4, max: 1e4, noNaN: true };
const point = fc.record({ x: fc.double(far), y: fc.double(far) });
const box = fc.tuple(point, point).map(([one, other]) => boxBetween(one, other, size));

function expectInside({ left, top, width, height }: ReturnType<typeof boxBetween>) {
  for (const number of [left, top, width, height]) expect(Number.isInteger(number)).toBe(true);
  expect(Math.min(left, top)).toBeGreaterThanOrEqual(0);
  expect(Math.min(width, height)).toBeGreaterThanOrEqual(1);
  expect(left + width).toBeLessThanOrEqual(size.width);
  expect(top + height).toBeLessThanOrEqual(size.height);
}

test('every box is in whole pixels of its picture, wherever the pointer goes', () => {
  const handle = fc.nat({ max: 7 });
  fc.assert(
    fc.property(box, point, handle, (from, to, at) => {
      expectInside(from);
      expectInside(resized(from, at, to, size));
      expectInside(moved(from, to.x, to.y, size));
    }),
  );
});

test.each([
  [0, { left: 5, top: 7, width: 25, height: 33 }],
  [1, { left: 10, top: 7, width: 20, height: 33 }],
  [3, { left: 5, top: 20, width: 5, height: 20 }],
  [4, { left: 5, top: 7, width: 5, height: 13 }],
  [7, { left: 5, top: 20, width: 25, height: 20 }],
])('handle %i at another point moves its sides alone', (handle, wanted) => {
  const from = { left: 10, top: 20, width: 20, height: 20 };
  expect(resized(from, handle, { x: 5, y: 7 }, size)).toEqual(wanted);
});

test('a handle is met within reach, the nearest one where several are', () => {
  const small = { left: 10, top: 10, width: 4, height: 4 };
  for (const [at, { x, y }] of handlePoints(small).entries()) {
    expect(handleAt(small, { x, y }, 9)).toBe(at);
  }
  expect(handleAt(small, { x: 40, y: 40 }, 9)).toBeUndefined();
});

test('of boxes that lie in each other the smallest is met', () => {
  const boxes = [
    { left: 0, top: 0, width: 100, height: 100 },
    { left: 10, top: 10, width: 20, height: 20 },
    { left: 15, top: 15, width: 80, height: 80 },
  ];
  expect(boxAt(boxes, { x: 20, y: 20 })).toBe(1);
  expect(boxAt(boxes, { x: 50, y: 50 })).toBe(2);
  expect(boxAt(boxes, { x: 5, y: 5 })).toBe(0);
  expect(boxAt(boxes, { x: 150, y: 5 })).toBeUndefined();
});

test('outline and keypoints go along, and come back with their box', () => {
  const from = {
    class: 'bee',
    left: 10,
    top: 10,
    width: 20,
    height: 40,
    points: [
      [10, 10],
      [30, 10],
      [20, 50],
    ] as const,
    keypoints: [{ label: 'head', x: 15, y: 30, visibility: 2 }] as const,
  };
  const there = fitted(from, { left: 100, top: 50, width: 40, height: 20 });
  expect(there.points).toEqual([
    [100, 50],
    [140, 50],
    [120, 70],
  ]);
  expect(there.keypoints).toEqual([{ label: 'head', x: 110, y: 60, visibility: 2 }]);
  expect(isSame([fitted(there, from)], [from])).toBe(true);
  expect(isSame([there], [from])).toBe(false);
});
