// What became of labels: boxes that are new, gone, moved or renamed, by class.

import { expect, test } from 'vitest';
import type { Annotation } from '../../src/annotations/annotation.ts';
import { LabelChanges } from '../../src/annotations/label-changes.ts';

type Row = readonly [label: string, x: number, y: number, size?: number];

function boxes(...rows: readonly Row[]): Annotation {
  const made = rows.map(([label, x, y, size = 20]) => ({ label, x, y, width: size, height: size }));
  return { kind: 'detection', boxes: made };
}

function changes(before: Annotation | undefined, after: Annotation | undefined) {
  const counted = new LabelChanges();
  counted.add(before, after);
  return counted.byClass();
}

test.each([
  ['nothing', boxes(['a', 10, 10]), boxes(['a', 10, 10]), {}],
  ['another order', boxes(['a', 9, 9], ['b', 50, 50]), boxes(['b', 50, 50], ['a', 9, 9]), {}],
  ['what files round', boxes(['a', 10.001, 10]), boxes(['a', 10, 10]), {}],
  ['one moved', boxes(['a', 10, 10]), boxes(['a', 12, 10]), { a: { moved: 1 } }],
  [
    'one renamed',
    boxes(['a', 10, 10]),
    boxes(['b', 11, 10]),
    { a: { moved: 1, renamed: { b: 1 } } },
  ],
  [
    'one renamed where it stands',
    boxes(['a', 9, 9]),
    boxes(['b', 9, 9]),
    { a: { renamed: { b: 1 } } },
  ],
  [
    'one renamed, and its neighbour of that class gone',
    boxes(['a', 10, 10], ['b', 14, 10]),
    boxes(['a', 14, 10]),
    { a: { removed: 1 }, b: { renamed: { a: 1 } } },
  ],
  [
    'the nearest is the same',
    boxes(['a', 10, 10]),
    boxes(['a', 16, 10], ['a', 11, 10]),
    { a: { added: 1, moved: 1 } },
  ],
  [
    'one gone and another drawn far away',
    boxes(['a', 10, 10]),
    boxes(['a', 90, 90]),
    { a: { added: 1, removed: 1 } },
  ],
  [
    'of two equal ones, one gone',
    boxes(['a', 10, 10], ['a', 10, 10]),
    boxes(['a', 10, 10]),
    { a: { removed: 1 } },
  ],
  ['the first box', undefined, boxes(['a', 10, 10]), { a: { added: 1 } }],
  ['marked as empty', boxes(['a', 10, 10]), boxes(), { a: { removed: 1 } }],
  [
    'a class with a name that objects have',
    boxes(),
    boxes(['__proto__', 10, 10]),
    Object.fromEntries([['__proto__', { added: 1 }]]),
  ],
])('%s', (_what, before, after, expected) => {
  const told = Object.entries(changes(before, after)).toSorted();
  expect(told).toEqual(Object.entries(expected));
});

test('a keypoint that is hidden now has not moved', () => {
  const person = (visibility: 1 | 2, y = 10, label = 'person'): Annotation => {
    const keypoints = [{ label: 'nose', x: 10, y, visibility }];
    return {
      kind: 'detection',
      boxes: [{ label, x: 10, y: 10, width: 20, height: 20, keypoints }],
    };
  };
  expect(changes(person(2), person(1))).toEqual({ person: { visibility: 1 } });
  expect(changes(person(2), person(1, 12))).toEqual({ person: { moved: 1 } });
  expect(changes(person(2), person(1, 10, 'child'))).toEqual({
    person: { visibility: 1, renamed: { child: 1 } },
  });
});

test('classes of whole images are added and removed', () => {
  const before: Annotation = { kind: 'classification', labels: ['happy', 'old'] };
  const after: Annotation = { kind: 'classification', labels: ['sad', 'old'] };
  expect(changes(before, after)).toEqual({
    happy: { removed: 1 },
    sad: { added: 1 },
  });
});

test('an image without annotation that is marked as empty has changed', () => {
  expect(new LabelChanges().add(undefined, boxes())).toBe(true);
  expect(new LabelChanges().add(undefined, undefined)).toBe(false);
});

test('of many classes those with most changes are told', () => {
  const counted = new LabelChanges();
  counted.add(
    boxes(['a', 10, 10], ['b', 50, 50], ['b', 90, 90]),
    boxes(['c', 50, 50], ['d', 90, 90]),
  );
  expect(counted.byClass(1)).toEqual({ b: { renamed: { c: 1 }, renamedToOthers: 1 } });
  expect(counted.classCount).toBe(2);
});
