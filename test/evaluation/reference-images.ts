// The images that scripts/test-reference/coco_boxes.py made, as they are evaluated.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PrecisionFigures } from '../../src/evaluation/average-precision.ts';
import type {
  Detection,
  EvaluatedImage,
  GroundTruth,
} from '../../src/evaluation/evaluated-image.ts';

type Row = readonly number[];

type Images = readonly {
  readonly ground_truth: readonly Row[];
  readonly detections: readonly Row[];
}[];

/** -1 where there is no ground truth. */
export interface Expected {
  readonly figures: readonly number[];
  readonly ap_of_classes: readonly number[];
  readonly ar_of_classes: readonly number[];
}

type Part = 'usual' | 'crowded';

interface Written
  extends Readonly<Record<Part, { readonly images: Images; readonly expected: Expected }>> {
  readonly classes: number;
  readonly together: Expected;
}

const file: Written = JSON.parse(
  readFileSync(join(import.meta.dirname, '../fixtures/coco-boxes.json'), 'utf8'),
);

export const referenceClassCount = file.classes;

export function referenceImages(part: Part): readonly EvaluatedImage[] {
  return file[part].images.map(({ ground_truth, detections }) => ({
    groundTruths: ground_truth.map(readGroundTruth),
    detections: detections.map(readDetection),
  }));
}

export function expectedOf(part: Part | 'together'): Expected {
  return part === 'together' ? file.together : file[part].expected;
}

function readGroundTruth(row: Row): GroundTruth {
  const [classIndex = 0, left = 0, top = 0, width = 0, height = 0, area, crowd] = row;
  return { classIndex, left, top, width, height, area, isCrowd: crowd === 1 };
}

function readDetection(row: Row): Detection {
  const [classIndex = 0, left = 0, top = 0, width = 0, height = 0, score = 0] = row;
  return { classIndex, left, top, width, height, score };
}

/** By its corners. */
export function groundTruth(classIndex: number, ...corners: Corners): GroundTruth {
  const [left, top, right, bottom] = corners;
  return { classIndex, left, top, width: right - left, height: bottom - top };
}

/** By its corners. */
export function detection(classIndex: number, score: number, ...corners: Corners): Detection {
  return { ...groundTruth(classIndex, ...corners), score };
}

type Corners = readonly [left: number, top: number, right: number, bottom: number];

/** In the order of pycocotools, which says -1 where there is no ground truth. */
export function statsOf(figures: PrecisionFigures): readonly number[] {
  const { ap, ap50, ap75, small, medium, large, ar1, ar10, ar100 } = figures;
  const sizes = [small, medium, large];
  const precisions = [ap, ap50, ap75, ...sizes.map((size) => size.ap)];
  const recalls = [ar1, ar10, ar100, ...sizes.map((size) => size.ar)];
  return [...precisions, ...recalls].map((figure) => figure ?? -1);
}
