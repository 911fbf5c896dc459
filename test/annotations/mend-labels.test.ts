// Labels are mended by mistakes, and become what they were when that is taken back.

import { describe, expect, it } from 'vitest';
import { type Mend, mendLabels } from '../../src/annotations/mend-labels.ts';
import type { Box } from '../../src/imaging/box.ts';

function box(label: string, x: number, width = 10): Box {
  return { label, x, y: 20, width, height: 10 };
}

function mendOf(kind: Mend['kind'], label: Box | undefined, instead: Box): Mend {
  return { kind, label, instead, mendedPlace: undefined };
}

const once = { undo: false, isAsJudged: true };
const back = { undo: true, isAsJudged: true };

const others = [box('red', 10), box('blue', 40)];

const cases: readonly (readonly [string, Mend, readonly Box[], readonly Box[]])[] = [
  [
    'an overlooked object gets a label',
    mendOf('overlooked', undefined, box('red', 80)),
    others,
    [...others, box('red', 80)],
  ],
  [
    'a swapped label gets its class',
    mendOf('swapped', box('blue', 40), box('red', 41)),
    others,
    [box('red', 10), box('red', 40)],
  ],
  [
    'a label gets its place',
    mendOf('badly_placed', box('blue', 40), box('blue', 46, 12)),
    others,
    [box('red', 10), box('blue', 46, 12)],
  ],
  [
    'a second label goes',
    mendOf('duplicate', box('blue', 41), box('blue', 40)),
    [...others, box('blue', 41)],
    others,
  ],
  [
    'of two labels alike one goes',
    mendOf('duplicate', box('blue', 40), box('blue', 40)),
    [...others, box('blue', 40)],
    others,
  ],
];

describe.each(cases)('%s', (_name, mend, before, after) => {
  const done = [expect.any(Number)];
  const notDone = ['already'];

  it('once, and back', () => {
    expect(mendLabels(before, [mend], once)).toEqual({ boxes: after, outcomes: done });
    expect(mendLabels(after, [mend], once)).toEqual({ boxes: after, outcomes: notDone });
    expect(mendLabels(after, [mend], back)).toEqual({ boxes: before, outcomes: done });
    expect(mendLabels(before, [mend], back)).toEqual({ boxes: before, outcomes: notDone });
  });

  it('not again where it was mended, and somebody has put it back', () => {
    const again = { ...mend, mendedPlace: 2 };
    expect(mendLabels(before, [again], once)).toEqual({ boxes: before, outcomes: ['reverted'] });
  });
});

it('leaves a label that somebody has changed since', () => {
  const mend = mendOf('swapped', box('blue', 43), box('red', 43));
  expect(mendLabels(others, [mend], once)).toMatchObject({ boxes: others, outcomes: ['changed'] });
});

it('adds no label where somebody has added one', () => {
  const mend = mendOf('overlooked', undefined, box('red', 12));
  expect(mendLabels(others, [mend], once)).toMatchObject({ boxes: others, outcomes: ['changed'] });
});

it('adds no label to an image whose labels somebody has changed', () => {
  const mend = mendOf('overlooked', undefined, box('red', 80));
  const changed = { undo: false, isAsJudged: false };
  expect(mendLabels(others, [mend], changed)).toMatchObject({
    boxes: others,
    outcomes: ['changed'],
  });
});

it('replaces the class of an outline, and no outline by a box', () => {
  const outline: Box = {
    ...box('blue', 40),
    points: [
      [35, 15],
      [45, 15],
      [40, 25],
    ],
  };
  const swapped = mendOf('swapped', box('blue', 40), box('red', 40));
  const placed = mendOf('badly_placed', box('blue', 40), box('blue', 46));
  expect(mendLabels([outline], [swapped], once).boxes).toEqual([{ ...outline, label: 'red' }]);
  expect(mendLabels([outline], [placed], once)).toEqual({
    boxes: [outline],
    outcomes: ['outlined'],
  });
});

it('a second label does not come back where somebody has looked at the image since', () => {
  const mend = mendOf('duplicate', box('blue', 41), box('blue', 40));
  expect(mendLabels([box('red', 10)], [mend], { undo: true, isAsJudged: false })).toEqual({
    boxes: [box('red', 10)],
    outcomes: ['changed'],
  });
});

it('second labels come back to their places', () => {
  const labels = [box('blue', 41), box('red', 10), box('blue', 42), box('blue', 40)];
  const duplicates = [41, 42].map((x) => mendOf('duplicate', box('blue', x), box('blue', 40)));
  const { boxes, outcomes } = mendLabels(labels, duplicates, once);
  expect(boxes).toEqual([box('red', 10), box('blue', 40)]);
  const mended = duplicates.map((mend, at) => ({ ...mend, mendedPlace: Number(outcomes[at]) }));
  expect(mendLabels(boxes, mended, back).boxes).toEqual(labels);
});
