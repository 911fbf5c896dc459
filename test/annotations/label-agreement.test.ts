// How far two people agree: figures that can be checked by hand.

import { expect, test } from 'vitest';
import type { Annotation } from '../../src/annotations/annotation.ts';
import {
  type AgreementCounts,
  f1Of,
  LabelAgreement,
} from '../../src/annotations/label-agreement.ts';

/** By upper left corners; all have 10 pixels a side. */
function boxes(...places: [label: string, left: number, top: number][]): Annotation {
  return {
    kind: 'detection',
    boxes: places.map(([label, left, top]) => ({
      label,
      x: left + 5,
      y: top + 5,
      width: 10,
      height: 10,
    })),
  };
}

test('counts what both have, of which class, and how near it is', () => {
  const agreement = new LabelAgreement();
  const one = boxes(['cat', 0, 0], ['cat', 50, 0], ['dog', 0, 50]);
  // The second cat is a dog for the other, who has one object more. IoU of 2 pixels aside: 80/120.
  const other = boxes(['dog', 50, 0], ['cat', 2, 0], ['dog', 0, 50], ['dog', 90, 90]);
  expect(agreement.add(one, other)).toEqual({ both: 2, one: 3, other: 4 });
  expect(f1Of(agreement.total)).toBeCloseTo(4 / 7);
  expect(agreement.byClass()).toEqual([
    { class: 'dog', both: 1, one: 1, other: 3 },
    { class: 'cat', both: 1, one: 2, other: 1 },
  ]);
  expect(agreement.meanIou).toBeCloseTo((1 + 80 / 120) / 2);
  // Three pairs: cat/cat, dog/dog, cat/dog. Agreed 2/3; by chance (2*1 + 1*2)/9.
  expect(agreement.kappa).toBeCloseTo((2 / 3 - 4 / 9) / (1 - 4 / 9));
});

test('an object is paired once, with the nearest of its class', () => {
  const agreement = new LabelAgreement();
  const one = boxes(['cat', 0, 0]);
  expect(agreement.add(one, boxes(['cat', 1, 0], ['cat', 0, 0]))).toEqual({
    both: 1,
    one: 1,
    other: 2,
  });
  expect(agreement.meanIou).toBe(1);
  // One class alone: agreement by chance is certain.
  expect(agreement.kappa).toBeUndefined();
});

test('boxes that overlap by less than half are two objects', () => {
  const agreement = new LabelAgreement();
  // 6/14 of overlap.
  expect(agreement.add(boxes(['cat', 0, 0]), boxes(['cat', 4, 0]))?.both).toBe(0);
  expect(agreement.meanIou).toBeUndefined();
});

test('two who both see nothing agree; one who sees something does not', () => {
  const agreement = new LabelAgreement();
  expect(counted(agreement.add(boxes(), boxes()))).toBe(1);
  expect(counted(agreement.add(boxes(), boxes(['cat', 0, 0])))).toBe(0);
});

test('boxes on one heap are not compared, nor counted', () => {
  const agreement = new LabelAgreement();
  const heap = boxes(...Array.from({ length: 200 }, (): [string, number, number] => ['cat', 0, 0]));
  expect(agreement.add(heap, heap)).toBeUndefined();
  expect(agreement.total).toEqual({ both: 0, one: 0, other: 0 });
});

function counted(counts: AgreementCounts | undefined): number {
  if (counts === undefined) throw new Error('The image was not compared.');
  return f1Of(counts);
}

test('classes of whole images: kappa of one class an image, F1 alone of several', () => {
  const named = (...labels: string[]): Annotation => ({ kind: 'classification', labels });
  const single = new LabelAgreement();
  for (const [one, other] of [
    ['a', 'a'],
    ['a', 'b'],
    ['b', 'b'],
    ['b', 'b'],
  ] as const) {
    single.add(named(one), named(other));
  }
  expect(f1Of(single.total)).toBe(0.75);
  // Agreed 12/16; by chance (2*1 + 2*3)/16.
  expect(single.kappa).toBe(0.5);
  const several = new LabelAgreement();
  several.add(named('a', 'b'), named('b'));
  expect(f1Of(several.total)).toBeCloseTo(2 / 3);
  expect(several.kappa).toBeUndefined();
});
