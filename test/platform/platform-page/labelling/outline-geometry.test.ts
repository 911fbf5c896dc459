// What a pointer meets of outlines on the page, and what becomes of their points.

import { expect, test } from 'vitest';
import type { Outline } from '../../../../src/platform/platform-page/boxes.ts';
import {
  edgeAt,
  isInOutline,
  outlined,
  outlinePointAt,
  withNewPoint,
  withoutPoint,
  withPointAt,
} from '../../../../src/platform/platform-page/labelling/outline-geometry.js';

const size = { width: 100, height: 60 };

/** Like a horseshoe: its middle is outside. */
const bow: Outline = [
  [10, 10],
  [50, 10],
  [50, 50],
  [40, 50],
  [40, 20],
  [20, 20],
  [20, 50],
  [10, 50],
];

const box = outlined({ class: 'bow', left: 0, top: 0, width: 0, height: 0 }, bow);

test('a box holds its outline', () => {
  expect(box).toEqual({ class: 'bow', left: 10, top: 10, width: 40, height: 40, points: bow });
  const flat = outlined(box, [
    [5, 5],
    [5, 5],
    [5, 9],
  ]);
  expect(flat).toMatchObject({ left: 5, top: 5, width: 1, height: 4 });
});

test('an outline is met where it is filled', () => {
  expect(isInOutline(bow, { x: 30, y: 15 })).toBe(true);
  expect(isInOutline(bow, { x: 30, y: 40 })).toBe(false);
  expect(isInOutline(bow, { x: 45, y: 45 })).toBe(true);
  expect(isInOutline(bow, { x: 55, y: 15 })).toBe(false);
});

test('the nearest point and edge are met, within reach', () => {
  expect(outlinePointAt(bow, { x: 52, y: 11 }, 5)).toBe(1);
  expect(outlinePointAt(bow, { x: 60, y: 11 }, 5)).toBeUndefined();
  expect(edgeAt(bow, { x: 30, y: 8 }, 5)).toBe(0);
  // The last edge leads back to the first point.
  expect(edgeAt(bow, { x: 9, y: 30 }, 5)).toBe(7);
  expect(edgeAt(bow, { x: 70, y: 30 }, 5)).toBeUndefined();
});

test('points stay inside of the picture, in whole pixels, and are three at least', () => {
  const moved = withPointAt(box, 1, { x: 140.4, y: -7 }, size);
  expect(moved.points?.[1]).toEqual([100, 0]);
  expect(moved).toMatchObject({ left: 10, top: 0, width: 90, height: 50 });
  const longer = withNewPoint(box, 7, { x: 9.6, y: 30.4 }, size);
  expect(longer.points?.[8]).toEqual([10, 30]);
  expect(withoutPoint(longer, 8)).toEqual(box);
  const triangle = outlined(box, bow.slice(0, 3));
  expect(withoutPoint(triangle, 0)).toBeUndefined();
});
