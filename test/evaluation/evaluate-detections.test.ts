// What must hold for any images, and what a sweep, a confusion matrix and an image say.

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { matchClasses } from '../../src/evaluation/class-matches.ts';
import { bestOf, pointsOf, sweepOf } from '../../src/evaluation/confidence-sweep.ts';
import { confusionMatrix } from '../../src/evaluation/confusion-matrix.ts';
import { evaluateDetections } from '../../src/evaluation/evaluate-detections.ts';
import type { EvaluatedImage } from '../../src/evaluation/evaluated-image.ts';
import { outcomeOf } from '../../src/evaluation/image-outcome.ts';
import {
  detection,
  groundTruth,
  referenceClassCount,
  referenceImages,
} from './reference-images.ts';

const classCount = 3;
const side = fc.integer({ min: 1, max: 120 });
const region = fc.record({ left: side, top: side, width: side, height: side });
const classIndex = fc.nat(classCount - 1);
const anyGroundTruths = fc.array(
  fc
    .tuple(region, classIndex, fc.boolean())
    .map(([box, index, isCrowd]) => ({ ...box, classIndex: index, isCrowd })),
  { maxLength: 6 },
);
const anyDetections = fc.array(
  fc.tuple(region, classIndex).map(([box, index]) => ({ ...box, classIndex: index })),
  { maxLength: 8 },
);

/** No score twice: with ties, the order of what was given decides. */
const anyImages = fc
  .array(fc.tuple(anyGroundTruths, anyDetections), { minLength: 1, maxLength: 6 })
  .chain((parts) => {
    const count = parts.reduce((sum, [, detections]) => sum + detections.length, 0);
    const scores = Array.from({ length: count }, (_, place) => (place + 1) / (count + 1));
    return fc
      .shuffledSubarray(scores, { minLength: count, maxLength: count })
      .map((shuffled): readonly EvaluatedImage[] => {
        const left = [...shuffled];
        return parts.map(([groundTruths, detections]) => ({
          groundTruths,
          detections: detections.map((one) => ({ ...one, score: left.pop() ?? 0 })),
        }));
      });
  });

it('does not depend on the order of images and of detections', () => {
  const ordered = anyImages.chain((images) =>
    fc.tuple(
      fc.constant(images),
      fc.shuffledSubarray([...images], { minLength: images.length, maxLength: images.length }),
    ),
  );
  fc.assert(
    fc.property(ordered, ([images, shuffled]) => {
      const turned = shuffled.map(({ groundTruths, detections }) => ({
        groundTruths,
        detections: detections.toReversed(),
      }));
      expect(evaluateDetections(turned, classCount)).toEqual(
        evaluateDetections(images, classCount),
      );
      expect(confusionMatrix(turned, classCount, 0.3)).toEqual(
        confusionMatrix(images, classCount, 0.3),
      );
    }),
  );
});

it('does not depend on which class stands in the same image', () => {
  fc.assert(
    fc.property(anyImages, (images) => {
      const split = images.flatMap(({ groundTruths, detections }) =>
        [0, 1, 2].map((index) => ({
          groundTruths: groundTruths.filter((one) => one.classIndex === index),
          detections: detections.filter((one) => one.classIndex === index),
        })),
      );
      expect(evaluateDetections(split, classCount)).toEqual(evaluateDetections(images, classCount));
    }),
  );
});

it('counts the same in parts as in one', () => {
  fc.assert(
    fc.property(anyImages, fc.nat(6), fc.nat(100), (images, at, percent) => {
      const confidence = percent / 100;
      const parts = [images.slice(0, at), images.slice(at)];
      const counts = (some: readonly EvaluatedImage[]) => {
        const point = pointsOf(sweepOf(matchClasses(some, classCount)))[percent];
        const cells = confusionMatrix(some, classCount, confidence).flat();
        return [
          point?.truePositives ?? 0,
          point?.falsePositives ?? 0,
          point?.misses ?? 0,
          ...cells,
        ];
      };
      const [one = [], other = []] = parts.map(counts);
      expect(one.map((count, place) => count + (other[place] ?? 0))).toEqual(counts(images));
      const outcomes = images.map((image) => outcomeOf(image, confidence));
      const sum = (count: (outcome: (typeof outcomes)[number]) => number) =>
        outcomes.reduce((total, outcome) => total + count(outcome), 0);
      expect([
        sum(({ truePositives }) => truePositives.length),
        sum(({ falsePositives }) => falsePositives.length),
        sum(({ misses }) => misses.length),
      ]).toEqual(counts(images).slice(0, 3));
    }),
  );
});

it('gives 1 for detections that are the ground truth', () => {
  const images = referenceImages('usual').map(({ groundTruths }) => ({
    groundTruths,
    detections: groundTruths
      .filter(({ isCrowd }) => isCrowd !== true)
      .map(({ left, top, width, height, classIndex: index }, place) => ({
        left,
        top,
        width,
        height,
        classIndex: index,
        score: 1 - place / 1000,
      })),
  }));
  const { figures, sweep } = evaluateDetections(images, referenceClassCount);
  expect(figures).toMatchObject({ ap: 1, ap50: 1, ap75: 1, ar100: 1 });
  expect(bestOf(sweep)).toMatchObject({ precision: 1, recall: 1, f1: 1, misses: 0 });
  const matrix = confusionMatrix(images, referenceClassCount, 0);
  expect(matrix.flatMap((row, place) => row.filter((_, column) => column !== place)).join('')).toBe(
    '0'.repeat((referenceClassCount + 1) * referenceClassCount),
  );
});

/** Two reds, a blue: one red found, one taken for blue, the blue missed, one found in nothing. */
const image: EvaluatedImage = {
  groundTruths: [
    groundTruth(0, 0, 0, 10, 10),
    groundTruth(0, 20, 0, 30, 10),
    groundTruth(1, 40, 0, 50, 10),
    { ...groundTruth(1, 100, 100, 200, 200), isCrowd: true },
  ],
  detections: [
    detection(0, 0.9, 0, 0, 10, 10),
    detection(0, 0.8, 0, 0, 10, 11),
    detection(1, 0.7, 20, 0, 30, 10),
    detection(1, 0.6, 110, 110, 120, 120),
    detection(0, 0.2, 40, 0, 50, 10),
  ],
};

it('says at each confidence what is right, wrong and missing', () => {
  const { sweep, classes } = evaluateDetections([image], 2);
  const points = pointsOf(sweep);
  expect(points[50]).toEqual({
    confidence: 0.5,
    truePositives: 1,
    falsePositives: 2,
    misses: 2,
    precision: 1 / 3,
    recall: 1 / 3,
    f1: 1 / 3,
  });
  expect(points[95]).toMatchObject({ precision: null, recall: 0, f1: 0 });
  // From 0.81 to 0.90 only the red that is right is left; the middle is taken.
  expect(bestOf(sweep)).toMatchObject({ confidence: 0.85, truePositives: 1, falsePositives: 0 });
  const [, blue] = classes;
  expect(blue && bestOf(blue.sweep)).toBeUndefined();
  expect(outcomeOf(image, 0.5)).toEqual({
    truePositives: [image.detections[0]],
    falsePositives: [image.detections[1], image.detections[2]],
    misses: [image.groundTruths[1], image.groundTruths[2]],
  });
});

it('says which classes are taken for which, with background', () => {
  expect(confusionMatrix([image], 2, 0.5)).toEqual([
    [1, 1, 0],
    [0, 0, 1],
    [1, 0, 0],
  ]);
  expect(confusionMatrix([image], 2, 0.1)).toEqual([
    [1, 1, 0],
    [1, 0, 0],
    [1, 0, 0],
  ]);
});

it('takes equal scores in the order in which they are given', () => {
  const right = detection(0, 0.5, 0, 0, 10, 10);
  const wrong = detection(0, 0.5, 50, 50, 60, 60);
  const groundTruths = [groundTruth(0, 0, 0, 10, 10)];
  const ap = (detections: EvaluatedImage['detections']) =>
    evaluateDetections([{ groundTruths, detections }], 1).figures.ap;
  expect(ap([right, wrong])).toBeCloseTo(1, 12);
  expect(ap([wrong, right])).toBeCloseTo(0.5, 12);
});

it('looks at a hundred detections of an image and class, the highest scores', () => {
  const wrong = Array.from({ length: 100 }, () => detection(0, 0.5, 50, 50, 60, 60));
  const groundTruths = [groundTruth(0, 0, 0, 10, 10)];
  const ar = (score: number) => {
    const detections = [...wrong, detection(0, score, 0, 0, 10, 10)];
    return evaluateDetections([{ groundTruths, detections }], 1).figures.ar100;
  };
  expect(ar(0.6)).toBe(1);
  expect(ar(0.4)).toBe(0);
});

it('has no figures without ground truth, and 0 where nothing is found', () => {
  const found = { groundTruths: [], detections: [detection(0, 0.5, 0, 0, 10, 10)] };
  expect(evaluateDetections([found], 1).figures).toMatchObject({ ap: null, ar100: null });
  expect(bestOf(evaluateDetections([found], 1).sweep)).toBeUndefined();
  const missed = { groundTruths: [groundTruth(0, 0, 0, 10, 10)], detections: [] };
  expect(evaluateDetections([missed], 1).figures).toMatchObject({ ap: 0, ar100: 0 });
});

it('counts what lies beyond the hundred detections at which AP ends', () => {
  const places = [...Array(150).keys()];
  const image: EvaluatedImage = {
    groundTruths: places.map((place) => groundTruth(0, place * 20, 0, place * 20 + 10, 10)),
    detections: places.map((place) => detection(0, 0.5, place * 20, 0, place * 20 + 10, 10)),
  };
  const { figures, sweep } = evaluateDetections([image], 1);
  expect(figures.ar100).toBeCloseTo(100 / 150);
  expect(bestOf(sweep)).toMatchObject({ truePositives: 150, falsePositives: 0, misses: 0, f1: 1 });
  expect(confusionMatrix([image], 1, 0.5)).toEqual([
    [150, 0],
    [0, 0],
  ]);
  expect(outcomeOf(image, 0.5).truePositives).toHaveLength(150);
});
