// How good a model is, on images whose boxes are known.

import { type Candidate, suppress } from '../../annotations/non-maximum-suppression.ts';
import { pointAt } from '../../evaluation/confidence-sweep.ts';
import { evaluateDetections } from '../../evaluation/evaluate-detections.ts';
import type { Corners } from '../../imaging/letterbox-resize.ts';
import { boxNumbers, candidateOf } from './boxes-of-cells.ts';
import { gridSide } from './features.ts';
import type { Example } from './fit.ts';
import { CellPass, type Network, padded } from './network.ts';

export interface Quality {
  /** Mean of the average precisions of the classes at an IoU of 0.5, by the COCO protocol. */
  readonly map50: number;
  /** Of the boxes that reach the usual least confidence, the share that is right. */
  readonly precision: number;
  /** Of the boxes that are there, the share that these find. */
  readonly recall: number;
}

/** Classes without a box in the images do not count. */
export function qualityOf(network: Network, examples: readonly Example[]): Quality {
  const images = examples.map(({ maps, boxes }) => ({
    groundTruths: boxes.map((box) => ({ ...regionOf(box), classIndex: box.classIndex })),
    detections: detect(network, maps).map((candidate) => ({
      ...regionOf(candidate),
      classIndex: candidate.classIndex,
      score: candidate.score,
    })),
  }));
  const { figures, sweep } = evaluateDetections(images, network.outputs - boxNumbers);
  const { precision, recall } = pointAt(sweep, confidence);
  return { map50: figures.ap50 ?? 0, precision: precision ?? 0, recall: recall ?? 0 };
}

/** The default of the runtime. */
const confidence = 0.4;
const overlapMin = 0.5;
const scoreMin = 0.01;
const boxesMax = 300;

function regionOf({ left, top, right, bottom }: Corners) {
  return { left, top, width: right - left, height: bottom - top };
}

function detect(network: Network, maps: Float32Array): readonly Candidate[] {
  const pass = new CellPass(network);
  const bordered = padded(maps, { across: false, down: false });
  const candidates: Candidate[] = [];
  for (let row = 0; row < gridSide; row++) {
    for (let column = 0; column < gridSide; column++) {
      pass.forward(bordered, row, column);
      const candidate = candidateOf(pass.output, row, column);
      if (candidate.score >= scoreMin) candidates.push(candidate);
    }
  }
  return suppress(candidates, overlapMin, boxesMax);
}
