// Where objects are between two labelled frames.

import { expect, test } from 'vitest';
import type { Box } from '../../../../src/platform/platform-page/boxes.ts';
import { boxesBetween } from '../../../../src/platform/platform-page/labelling/boxes-between.js';

function box(name: string, left: number, top: number, width = 20, height = 10): Box {
  return { class: name, left, top, width, height };
}

test('each object is on a straight line to its counterpart, in whole pixels', () => {
  const before = [box('car', 0, 0), box('van', 100, 0), box('car', 50, 50)];
  // In another order.
  const after = [box('car', 60, 50, 40, 20), box('car', 30, 10), box('van', 101, 0)];
  expect(boxesBetween(before, after, 1 / 3)).toEqual([
    box('car', 10, 3),
    box('van', 100, 0),
    box('car', 53, 50, 27, 13),
  ]);
  expect(boxesBetween(before, after, 0)).toEqual(before);
  expect(boxesBetween(after, before, 0)).toEqual(after);
});

test('what has no counterpart of its class is left out', () => {
  const before = [box('car', 0, 0), box('car', 40, 0), box('bus', 0, 0)];
  expect(boxesBetween(before, [box('car', 50, 0), box('van', 0, 0)], 0.5)).toEqual([
    box('car', 45, 0),
  ]);
  expect(boxesBetween([], before, 0.5)).toEqual([]);
});

test('outlines go along whichever corner they begin at, and whichever way round they go', () => {
  const corners: [number, number][] = [
    [0, 0],
    [30, 0],
    [30, 20],
    [0, 20],
  ];
  const drawn = (left: number, start: number, isReversed = false): Box => {
    const moved = corners.map(([x, y]): [number, number] => [x + left, y]);
    const turned = [...moved.slice(start), ...moved.slice(0, start)];
    return {
      ...box('leaf', left, 0, 30, 20),
      points: isReversed ? turned.toReversed() : turned,
    };
  };
  for (const start of [0, 1, 2, 3]) {
    for (const isReversed of [false, true]) {
      const found = boxesBetween([drawn(0, 0)], [drawn(40, start, isReversed)], 0.5);
      expect({ start, isReversed, found }).toEqual({ start, isReversed, found: [drawn(20, 0)] });
    }
  }
});

test('points of outlines and keypoints go along; others are those of the nearer frame', () => {
  const corner = (left: number): Box => ({
    ...box('leaf', left, 0, 10, 10),
    points: [
      [left, 0],
      [left + 10, 0],
      [left + 10, 10],
    ],
  });
  expect(boxesBetween([corner(0)], [corner(20)], 0.5)).toEqual([corner(10)]);
  expect(boxesBetween([corner(0)], [box('leaf', 20, 0, 10, 10)], 0.25)).toEqual([corner(5)]);
  const bee = (left: number, x: number): Box => ({
    ...box('bee', left, 0),
    keypoints: [
      { label: 'head', x, y: 5, visibility: 2 },
      { label: 'sting', x: 0, y: 0, visibility: 0 },
    ],
  });
  expect(boxesBetween([bee(0, 2)], [bee(10, 20)], 0.5)).toEqual([bee(5, 11)]);
});
