// Classes of whole images: the figures of the examples in the documentation of scikit-learn.

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { classMistakes } from '../../src/evaluation/class-mistakes.ts';
import { confusionOfClasses, evaluateClasses } from '../../src/evaluation/classification.ts';
import { pointAt } from '../../src/evaluation/confidence-sweep.ts';

const whole = { left: 0, top: 0, width: 64, height: 48 };

/** An image with these labels, and what was found with which score. */
function image(labels: readonly number[], found: readonly (readonly [number, number])[]) {
  return {
    groundTruths: labels.map((classIndex) => ({ ...whole, classIndex })),
    detections: found.map(([classIndex, score]) => ({ ...whole, classIndex, score })),
  };
}

const single = { confidence: undefined, isSingleLabel: true };
const several = { confidence: 0.5, isSingleLabel: false };

function judge(labels: readonly number[], answers: readonly number[]) {
  const images = labels.map((label, place) => image([label], [[answers[place] ?? 0, 0.9]]));
  return evaluateClasses(images, ['a', 'b', 'c'], single);
}

function matrixOf({ figures }: ReturnType<typeof evaluateClasses>) {
  const rows = Array.from({ length: 4 }, () => [0, 0, 0, 0]);
  for (const [truth, found, count] of figures.confusions) rows[truth]?.splice(found, 1, count);
  return rows;
}

it('gives the figures of classification_report', () => {
  const { figures, classification } = judge([0, 1, 2, 2, 2], [0, 0, 2, 2, 1]);
  expect(classification.accuracy).toBe(0.6);
  expect(classification.macro.precision).toBeCloseTo(0.5, 10);
  expect(classification.macro.recall).toBeCloseTo(5 / 9, 10);
  expect(classification.macro.f1).toBeCloseTo((2 / 3 + 0 + 0.8) / 3, 10);
  const points = figures.each.map(({ sweep }) => pointAt(sweep, figures.confidence));
  expect(points.map(({ precision }) => precision)).toEqual([0.5, 0, 1]);
  expect(points.map(({ recall }) => recall)).toEqual([1, 0, 2 / 3]);
  expect(points.map(({ f1 }) => f1)).toEqual([2 / 3, 0, 0.8]);
});

it('gives the matrix of confusion_matrix', () => {
  expect(matrixOf(judge([2, 0, 2, 2, 0, 1], [0, 0, 2, 2, 0, 2]))).toEqual([
    [2, 0, 0, 0],
    [0, 0, 1, 0],
    [1, 0, 2, 0],
    [0, 0, 0, 0],
  ]);
});

it('gives the means of f1_score', () => {
  const { figures, classification } = judge([0, 1, 2, 0, 1, 2], [0, 2, 1, 0, 0, 1]);
  expect(classification.macro.f1).toBeCloseTo(0.26666666666666666, 10);
  expect(pointAt(figures.all.sweep, figures.confidence).f1).toBeCloseTo(0.3333333333333333, 10);
});

it('gives the figures of several labels, of which all must be right', () => {
  // f1_score(y_true=[[0,0,0],[1,1,1],[0,1,1]], y_pred=[[0,0,0],[1,1,1],[1,1,0]], average=None)
  const images = [
    image([], []),
    image(
      [0, 1, 2],
      [
        [0, 0.9],
        [1, 0.8],
        [2, 0.7],
      ],
    ),
    image(
      [1, 2],
      [
        [0, 0.6],
        [1, 0.5],
        [2, 0.4],
      ],
    ),
  ];
  const { figures, classification } = evaluateClasses(images, ['a', 'b', 'c'], several);
  const points = figures.each.map(({ sweep }) => pointAt(sweep, figures.confidence));
  expect(points.map(({ f1 }) => f1)).toEqual([2 / 3, 1, 2 / 3]);
  expect(classification.accuracy).toBeCloseTo(2 / 3, 10);
  expect(confusionOfClasses(images, 3, several)).toEqual([
    [1, 0, 0, 0],
    [0, 2, 0, 0],
    [0, 0, 1, 1],
    [1, 0, 0, 0],
  ]);
});

it('counts no class for another where an image may have several', () => {
  const oneOfEach = [image([0], [[1, 0.9]])];
  expect(matrixOf(evaluateClasses(oneOfEach, ['a', 'b', 'c'], several))).toEqual([
    [0, 0, 0, 1],
    [0, 0, 0, 0],
    [0, 0, 0, 0],
    [0, 1, 0, 0],
  ]);
});

it('takes the surest class alone where an image has one, the first of equal ones', () => {
  const images = [
    image(
      [1],
      [
        [0, 0.3],
        [1, 0.4],
        [2, 0.3],
      ],
    ),
    image(
      [2],
      [
        [2, 0.5],
        [0, 0.5],
      ],
    ),
  ];
  const { figures, classification, outcomes } = evaluateClasses(images, ['a', 'b', 'c'], single);
  expect(classification.accuracy).toBe(1);
  expect(figures).toMatchObject({ confidence: 0, detections: 2 });
  expect(outcomes.flat()).toHaveLength(2);
});

it('counts an unsure answer as none, at a confidence', () => {
  const images = [image([1], [[1, 0.4]]), image([0], [[0, 0.9]])];
  const { classification, figures } = evaluateClasses(images, ['a', 'b'], {
    ...single,
    confidence: 0.5,
  });
  expect(classification.accuracy).toBe(0.5);
  expect(figures.confusions).toEqual([
    [0, 0, 1],
    [1, 2, 1],
  ]);
});

const anyClass = fc.nat(3);
const anyFound = fc.uniqueArray(fc.tuple(anyClass, fc.nat(1000)), {
  selector: ([, score]) => score,
  maxLength: 5,
});
const anyImages = fc.array(fc.tuple(fc.uniqueArray(anyClass), anyFound), { minLength: 1 });

it('does not depend on the order of images and of answers', () => {
  fc.assert(
    fc.property(anyImages, fc.boolean(), (parts, isSingleLabel) => {
      const images = parts.map(([labels, found]) =>
        image(
          labels,
          found.map(([index, score]) => [index, score / 1000] as const),
        ),
      );
      const turned = images
        .map(({ groundTruths, detections }) => ({
          groundTruths: groundTruths.toReversed(),
          detections: detections.toReversed(),
        }))
        .toReversed();
      const settings = { confidence: 0.3, isSingleLabel };
      const [one, other] = [images, turned].map((some) => {
        const { figures, classification } = evaluateClasses(some, ['a', 'b', 'c', 'd'], settings);
        return { classification, confusions: figures.confusions, sweep: figures.all.sweep };
      });
      expect(other).toEqual(one);
    }),
  );
});

it('finds labels that are possibly wrong: taken for another class, or beside the labels', () => {
  const images = [
    image(
      [0],
      [
        [1, 0.75],
        [0, 0.25],
      ],
    ),
    image([0], [[0, 0.9]]),
  ];
  expect(classMistakes(images, 0, single)).toMatchObject([
    [{ kind: 'swapped', score: 0.5625, label: { classIndex: 0 }, instead: { classIndex: 1 } }],
    [],
  ]);
  const more = [
    image(
      [0],
      [
        [0, 0.9],
        [1, 0.8],
        [2, 0.2],
      ],
    ),
  ];
  expect(classMistakes(more, 0.5, several)).toMatchObject([
    [{ kind: 'overlooked', score: 0.8, label: undefined, instead: { classIndex: 1 } }],
  ]);
});
