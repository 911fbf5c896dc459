// The figures that pycocotools gives, as others publish them.

import { expect, it } from 'vitest';
import type { PrecisionFigures } from '../../src/evaluation/average-precision.ts';
import { evaluateDetections } from '../../src/evaluation/evaluate-detections.ts';
import {
  cocoClassCount,
  detection,
  groundTruth,
  referenceImages,
  statsOf,
} from './reference-images.ts';

function expectStats(figures: PrecisionFigures, expected: readonly number[], digits: number) {
  for (const [place, figure] of statsOf(figures).entries()) {
    expect(figure, `figure ${place}`).toBeCloseTo(expected[place] ?? Number.NaN, digits);
  }
}

it('gives the figures of 100 images of COCO, crowds among them', () => {
  // faster-coco-eval, tests/test_cocoapi_fake_data.py; in three digits also the example of
  // pycocotools (PythonAPI/pycocoEvalDemo.ipynb).
  const { figures } = evaluateDetections(referenceImages('val2014'), cocoClassCount);
  expectStats(
    figures,
    [
      0.5045806987249628, 0.6969727247299577, 0.5729816669904824, 0.5856257209410443,
      0.5193996948036719, 0.5013978986347466, 0.38681277964578054, 0.5936795762842003,
      0.595352982877607, 0.6398109626113442, 0.5664205978994309, 0.5642905982905982,
    ],
    10,
  );
});

it('gives the figures of an image that is mostly one crowd', () => {
  // faster-coco-eval, tests/test_basic.py, test_ignore_coco_eval: detections from a score of 0.1.
  const images = referenceImages('crowd').map((image) => ({
    ...image,
    detections: image.detections.filter(({ score }) => score >= 0.1),
  }));
  const { figures } = evaluateDetections(images, cocoClassCount);
  expectStats(
    figures,
    [
      0.7099009900990099, 1, 0.8415841584158416, -1, 0.7099009900990099, -1, 0, 0.45384615384615384,
      0.7153846153846154, -1, 0.7153846153846154, -1,
    ],
    10,
  );
});

it('gives the figures of four images, and of each class', () => {
  // torchmetrics 0.11, tests/unittests/detection/test_map.py: the COCO images 42, 73, 74 and 133,
  // whose areas are those of the boxes.
  const images = [
    {
      groundTruths: [groundTruth(4, 214.15, 41.29, 562.41, 285.07)],
      detections: [detection(4, 0.236, 258.15, 41.29, 606.41, 285.07)],
    },
    {
      groundTruths: [
        groundTruth(2, 13, 22.75, 548.98, 632.42),
        groundTruth(2, 1.66, 3.32, 270.26, 275.23),
      ],
      detections: [
        detection(3, 0.318, 61, 22.75, 565, 632.42),
        detection(2, 0.726, 12.66, 3.32, 281.26, 275.23),
      ],
    },
    {
      groundTruths: [
        groundTruth(4, 61.87, 276.25, 358.29, 379.43),
        groundTruth(1, 2.75, 3.66, 162.15, 316.06),
        groundTruth(0, 295.55, 93.96, 313.97, 152.79),
        groundTruth(0, 326.94, 97.05, 340.49, 122.98),
        groundTruth(0, 356.62, 95.47, 372.33, 147.55),
        groundTruth(0, 462.08, 105.09, 493.74, 146.99),
        groundTruth(0, 277.11, 103.84, 292.44, 150.72),
      ],
      detections: [
        detection(4, 0.546, 87.87, 276.25, 384.29, 379.43),
        detection(1, 0.3, 0, 3.66, 142.15, 316.06),
        detection(0, 0.407, 296.55, 93.96, 314.97, 152.79),
        detection(0, 0.611, 328.94, 97.05, 342.49, 122.98),
        detection(0, 0.335, 356.62, 95.47, 372.33, 147.55),
        detection(0, 0.805, 464.08, 105.09, 495.74, 146.99),
        detection(0, 0.953, 276.11, 103.84, 291.44, 150.72),
      ],
    },
    {
      groundTruths: [groundTruth(5, 13.99, 2.87, 640, 421.52)],
      detections: [detection(5, 0.699, 0, 2.87, 601, 421.52)],
    },
  ];
  const { figures, classes } = evaluateDetections(images, 6);
  // Published in three digits.
  expectStats(
    figures,
    [0.706, 0.901, 0.846, 0.689, 0.8, 0.701, 0.592, 0.716, 0.716, 0.767, 0.8, 0.7],
    2.9,
  );
  const rounded = (figure: number | null) => Number((figure ?? -1).toFixed(3));
  expect(classes.map(({ figures: { ap } }) => rounded(ap))).toEqual([
    0.725, 0.8, 0.454, -1, 0.65, 0.9,
  ]);
  expect(classes.map(({ figures: { ar100 } }) => rounded(ar100))).toEqual([
    0.78, 0.8, 0.45, -1, 0.65, 0.9,
  ]);
});

it('gives the figure of the documentation of torchmetrics', () => {
  const images = [
    {
      groundTruths: [groundTruth(0, 214, 41, 562, 285)],
      detections: [detection(0, 0.536, 258, 41, 606, 285)],
    },
  ];
  const { figures } = evaluateDetections(images, 1);
  expectStats(figures, [0.6, 1, 1, -1, -1, 0.6, 0.6, 0.6, 0.6, -1, -1, 0.6], 10);
});
