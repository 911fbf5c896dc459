// The figures that pycocotools gives, on what scripts/test-reference/coco_boxes.py made.

import { expect, it } from 'vitest';
import { evaluateDetections } from '../../src/evaluation/evaluate-detections.ts';
import type { EvaluatedImage } from '../../src/evaluation/evaluated-image.ts';
import {
  detection,
  type Expected,
  expectedOf,
  groundTruth,
  referenceClassCount,
  referenceImages,
  statsOf,
} from './reference-images.ts';

function expectFigures(images: readonly EvaluatedImage[], expected: Expected) {
  const { figures, classes } = evaluateDetections(images, referenceClassCount);
  expectClose(statsOf(figures), expected.figures);
  expectClose(
    classes.map((one) => one.figures.ap ?? -1),
    expected.ap_of_classes,
  );
  expectClose(
    classes.map((one) => one.figures.ar100 ?? -1),
    expected.ar_of_classes,
  );
}

function expectClose(given: readonly number[], expected: readonly number[]) {
  expect(given).toHaveLength(expected.length);
  for (const [place, figure] of given.entries()) {
    expect(figure, `figure ${place}`).toBeCloseTo(expected[place] ?? Number.NaN, 10);
  }
}

it('gives the figures of objects of all sizes and of each class', () => {
  const images = referenceImages('usual');
  expectFigures(images, expectedOf('usual'));
  const labels = images.flatMap(({ groundTruths }) => groundTruths);
  const found = images.flatMap(({ detections }) => detections);
  // What makes the figures worth comparing.
  expect(labels.filter(({ isCrowd }) => isCrowd).length).toBeGreaterThan(5);
  expect(labels.filter(({ area }) => area === 32 ** 2 || area === 96 ** 2)).toHaveLength(20);
  expect(images.filter(({ groundTruths }) => groundTruths.length === 0).length).toBeGreaterThan(5);
  expect(new Set(found.map(({ score }) => score)).size).toBeLessThan(found.length / 2);
});

it('gives the figures of an image with a crowd and more detections than count', () => {
  const images = referenceImages('crowded');
  expect(images[0]?.detections.length).toBeGreaterThan(100);
  expectFigures(images, expectedOf('crowded'));
});

it('gives the figures of both together', () => {
  expectFigures(
    [...referenceImages('usual'), ...referenceImages('crowded')],
    expectedOf('together'),
  );
});

it('gives the figures of one box, worked out by hand', () => {
  // 100 x 100 pixels each, 10 apart: 90 columns in common, 110 in all, 0.82. It counts up to 0.80.
  const images = [
    {
      groundTruths: [groundTruth(0, 50, 50, 150, 150)],
      detections: [detection(0, 0.5, 60, 50, 160, 150)],
    },
  ];
  const { figures } = evaluateDetections(images, 1);
  expectClose(statsOf(figures), [0.7, 1, 1, -1, -1, 0.7, 0.7, 0.7, 0.7, -1, -1, 0.7]);
});
