// Labels are mended by mistakes, and become what they were when that is taken back.

import { describe, expect, it } from 'vitest';
import { type Mend, mendLabels } from '../../src/annotations/mend-labels.ts';
import type { Box } from '../../src/imaging/box.ts';

function box(label: string, x: number, width = 10): Box {
  return { label, x, y: 20, width, height: 10 };
}

function mendOf(kind: Mend['kind'], label: Box | undefined, instead: Box): Mend {
  return { kind, label, instead, mendedPlace: undefined, isAsMended: false };
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
    const [made] = mendLabels(before, [mend], once).outcomes;
    const mended = { ...mend, mendedPlace: Number(made), isAsMended: true };
    expect(mendLabels(after, [mended], back)).toEqual({ boxes: before, outcomes: done });
    expect(mendLabels(before, [mended], back)).toEqual({ boxes: before, outcomes: notDone });
  });

  it('is not taken back where it was never made, or somebody saved labels since', () => {
    expect(mendLabels(after, [mend], back)).toEqual({ boxes: after, outcomes: notDone });
    const saved = { ...mend, mendedPlace: 2, isAsMended: false };
    expect(mendLabels(after, [saved], back)).toEqual({ boxes: after, outcomes: ['changed'] });
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

it('second labels come back to their places', () => {
  const labels = [box('blue', 41), box('red', 10), box('blue', 42), box('blue', 40)];
  const duplicates = [41, 42].map((x) => mendOf('duplicate', box('blue', x), box('blue', 40)));
  const { boxes, outcomes } = mendLabels(labels, duplicates, once);
  expect(boxes).toEqual([box('red', 10), box('blue', 40)]);
  const mended = duplicates.map((mend, at) => ({
    ...mend,
    mendedPlace: Number(outcomes[at]),
    isAsMended: true,
  }));
  expect(mendLabels(boxes, mended, back).boxes).toEqual(labels);
});
