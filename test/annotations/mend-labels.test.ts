// Labels are mended by mistakes, and become what they were when that is taken back.

import { describe, expect, it } from 'vitest';
import { type Mend, mendLabels } from '../../src/annotations/mend-labels.ts';
import type { Box } from '../../src/imaging/box.ts';

function box(label: string, x: number, width = 10): Box {
  return { label, x, y: 20, width, height: 10 };
}

const once = { undo: false, isAsJudged: true };
const back = { undo: true, isAsJudged: true };

const others = [box('red', 10), box('blue', 40)];

const cases: readonly (readonly [string, Mend, readonly Box[], readonly Box[]])[] = [
  [
    'an overlooked object gets a label',
    { kind: 'overlooked', label: undefined, instead: box('red', 80) },
    others,
    [...others, box('red', 80)],
  ],
  [
    'a swapped label gets its class',
    { kind: 'swapped', label: box('blue', 40), instead: box('red', 41) },
    others,
    [box('red', 10), box('red', 40)],
  ],
  [
    'a label gets its place',
    { kind: 'badly_placed', label: box('blue', 40), instead: box('blue', 46, 12) },
    others,
    [box('red', 10), box('blue', 46, 12)],
  ],
  [
    'a second label goes',
    { kind: 'duplicate', label: box('blue', 41), instead: box('blue', 40) },
    [...others, box('blue', 41)],
    others,
  ],
  [
    'of two labels alike one goes',
    { kind: 'duplicate', label: box('blue', 40), instead: box('blue', 40) },
    [...others, box('blue', 40)],
    others,
  ],
];

describe.each(cases)('%s', (_name, mend, before, after) => {
  const done = { mended: 1, changed: 0, outlined: 0, already: 0 };
  const notDone = { mended: 0, changed: 0, outlined: 0, already: 1 };

  it('once, and back', () => {
    expect(mendLabels(before, [mend], once)).toEqual({ boxes: after, counts: done });
    expect(mendLabels(after, [mend], once)).toEqual({ boxes: after, counts: notDone });
    expect(mendLabels(after, [mend], back)).toEqual({ boxes: before, counts: done });
    expect(mendLabels(before, [mend], back)).toEqual({ boxes: before, counts: notDone });
  });
});

it('leaves a label that somebody has changed since', () => {
  const mend: Mend = { kind: 'swapped', label: box('blue', 43), instead: box('red', 43) };
  expect(mendLabels(others, [mend], once)).toMatchObject({ boxes: others, counts: { changed: 1 } });
});

it('adds no label where somebody has added one', () => {
  const mend: Mend = { kind: 'overlooked', label: undefined, instead: box('red', 12) };
  expect(mendLabels(others, [mend], once)).toMatchObject({ boxes: others, counts: { changed: 1 } });
});

it('adds no label to an image whose labels somebody has changed', () => {
  const mend: Mend = { kind: 'overlooked', label: undefined, instead: box('red', 80) };
  const changed = { undo: false, isAsJudged: false };
  expect(mendLabels(others, [mend], changed)).toMatchObject({
    boxes: others,
    counts: { mended: 0, changed: 1 },
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
  const swapped: Mend = { kind: 'swapped', label: box('blue', 40), instead: box('red', 40) };
  const placed: Mend = { kind: 'badly_placed', label: box('blue', 40), instead: box('blue', 46) };
  expect(mendLabels([outline], [swapped], once).boxes).toEqual([{ ...outline, label: 'red' }]);
  expect(mendLabels([outline], [placed], once)).toEqual({
    boxes: [outline],
    counts: { mended: 0, changed: 0, outlined: 1, already: 0 },
  });
});

it('a second label does not come back where somebody has looked at the image since', () => {
  const mend: Mend = { kind: 'duplicate', label: box('blue', 41), instead: box('blue', 40) };
  expect(mendLabels([box('red', 10)], [mend], { undo: true, isAsJudged: false })).toEqual({
    boxes: [box('red', 10)],
    counts: { mended: 0, changed: 1, outlined: 0, already: 0 },
  });
});
