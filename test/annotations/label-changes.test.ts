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

const none = { added: 0, removed: 0, moved: 0, renamed: 0 };

test.each([
  ['nothing', boxes(['a', 10, 10]), boxes(['a', 10, 10]), {}],
  ['another order', boxes(['a', 9, 9], ['b', 50, 50]), boxes(['b', 50, 50], ['a', 9, 9]), {}],
  ['what files round', boxes(['a', 10.001, 10]), boxes(['a', 10, 10]), {}],
  ['one moved', boxes(['a', 10, 10]), boxes(['a', 12, 10]), { a: { ...none, moved: 1 } }],
  ['one renamed', boxes(['a', 10, 10]), boxes(['b', 11, 10]), { a: { ...none, renamed: 1 } }],
  [
    'one gone and another drawn far away',
    boxes(['a', 10, 10]),
    boxes(['a', 90, 90]),
    { a: { ...none, added: 1, removed: 1 } },
  ],
  [
    'of two equal ones, one gone',
    boxes(['a', 10, 10], ['a', 10, 10]),
    boxes(['a', 10, 10]),
    { a: { ...none, removed: 1 } },
  ],
  ['the first box', undefined, boxes(['a', 10, 10]), { a: { ...none, added: 1 } }],
  ['marked as empty', boxes(['a', 10, 10]), boxes(), { a: { ...none, removed: 1 } }],
  [
    'a class with a name that objects have',
    boxes(),
    boxes(['__proto__', 10, 10]),
    Object.fromEntries([['__proto__', { ...none, added: 1 }]]),
  ],
])('%s', (_what, before, after, expected) => {
  expect(Object.entries(changes(before, after))).toEqual(Object.entries(expected));
});

test('classes of whole images are added and removed', () => {
  const before: Annotation = { kind: 'classification', labels: ['happy', 'old'] };
  const after: Annotation = { kind: 'classification', labels: ['sad', 'old'] };
  expect(changes(before, after)).toEqual({
    happy: { ...none, removed: 1 },
    sad: { ...none, added: 1 },
  });
});
