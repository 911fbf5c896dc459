// Whether copies of a picture are labelled alike.

import { expect, it } from 'vitest';
import type { Annotation } from '../../src/annotations/annotation.ts';
import { labelsAgree } from '../../src/annotations/pictures-labelled-alike.ts';

type Placed = readonly [label: string, x: number, y: number, side: number];

function picture(side: number, ...boxes: readonly Placed[]) {
  const annotation: Annotation = {
    kind: 'detection',
    boxes: boxes.map(([label, x, y, size]) => ({ label, x, y, width: size, height: size })),
  };
  return { width: side, height: side, annotation };
}

function labelled(...labels: readonly string[]) {
  const annotation: Annotation = { kind: 'classification', labels };
  return { width: 10, height: 10, annotation };
}

it.each([
  [
    'the same in another size and order',
    picture(100, ['cat', 20, 20, 10], ['dog', 70, 70, 20]),
    picture(50, ['dog', 35, 35, 10], ['cat', 10, 10, 5]),
    true,
  ],
  ['a little beside', picture(100, ['cat', 20, 20, 10]), picture(100, ['cat', 22, 20, 10]), true],
  ['far beside', picture(100, ['cat', 20, 20, 10]), picture(100, ['cat', 26, 20, 10]), false],
  ['another class', picture(100, ['cat', 20, 20, 10]), picture(100, ['dog', 20, 20, 10]), false],
  [
    'one more',
    picture(100, ['cat', 20, 20, 10]),
    picture(100, ['cat', 20, 20, 10], ['cat', 20, 20, 10]),
    false,
  ],
  ['nothing beside a box', picture(100), picture(100, ['cat', 20, 20, 10]), false],
  ['a box without area', picture(100, ['cat', 20, 20, 0]), picture(100), true],
  ['the same labels', labelled('a', 'b'), labelled('b', 'a'), true],
  ['other labels', labelled('a'), labelled('b'), false],
])('%s', (_what, one, other, agree) => {
  expect([labelsAgree(one, other), labelsAgree(other, one)]).toEqual([agree, agree]);
});
