// Classes of an annotation are renamed, merged and removed.

import { expect, it } from 'vitest';
import type { Annotation } from '../../src/annotations/annotation.ts';
import { changeClasses, classTargets } from '../../src/annotations/class-change.ts';

const boxes = (...labels: readonly string[]): Annotation => ({
  kind: 'detection',
  boxes: labels.map((label, at) => ({ label, x: at, y: 1, width: 2, height: 3 })),
});
const classes = (...labels: readonly string[]): Annotation => ({ kind: 'classification', labels });

function changed(annotation: Annotation, rename: object, remove: readonly string[] = []) {
  const targets = classTargets({ rename: { ...rename }, remove });
  return changeClasses(annotation, targets);
}

it('renames and removes at once, and leaves all else of a box', () => {
  expect(changed(boxes('a', 'b', 'c', 'a'), { a: 'x' }, ['b'])).toEqual({
    annotation: {
      kind: 'detection',
      boxes: [
        { label: 'x', x: 0, y: 1, width: 2, height: 3 },
        { label: 'c', x: 2, y: 1, width: 2, height: 3 },
        { label: 'x', x: 3, y: 1, width: 2, height: 3 },
      ],
    },
    changed: 3,
  });
  const keypoints = [{ label: 'a', x: 1, y: 1, visibility: 2 }] as const;
  const points = [[0, 0]] as const;
  const whole = { label: 'a', x: 0, y: 0, width: 1, height: 1, points, keypoints };
  expect(changed({ kind: 'detection', boxes: [whole] }, { a: 'x' }).annotation).toEqual({
    kind: 'detection',
    boxes: [{ ...whole, label: 'x' }],
  });
});

it('changes the places of two classes', () => {
  expect(changed(boxes('a', 'b'), { a: 'b', b: 'a' })).toEqual({
    annotation: {
      kind: 'detection',
      boxes: [
        { label: 'b', x: 0, y: 1, width: 2, height: 3 },
        { label: 'a', x: 1, y: 1, width: 2, height: 3 },
      ],
    },
    changed: 2,
  });
});

it('says a class of the whole image once', () => {
  expect(changed(classes('a', 'b', 'c'), { a: 'c', b: 'c' })).toEqual({
    annotation: classes('c'),
    changed: 2,
  });
  expect(changed(classes('a'), {}, ['a'])).toEqual({ annotation: classes(), changed: 1 });
  expect(changed(classes('a'), { b: 'c' })).toEqual({ annotation: classes('a'), changed: 0 });
});

it('knows names that objects have', () => {
  expect(changed(boxes('constructor', 'toString'), { toString: 'a' }).changed).toBe(1);
});
