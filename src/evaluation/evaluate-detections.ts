// How good detections are, judged by ground truth: the COCO protocol and a confidence sweep.

import {
  detectionsMax,
  figuresOfClass,
  meanOfClasses,
  type PrecisionFigures,
} from './average-precision.ts';
import { matchClasses } from './class-matches.ts';
import { type Sweep, sweepOf } from './confidence-sweep.ts';
import type { EvaluatedImage } from './evaluated-image.ts';

export interface DetectionFigures {
  readonly figures: PrecisionFigures;
  readonly sweep: Sweep;
  /** One for each class. */
  readonly classes: readonly { readonly figures: PrecisionFigures; readonly sweep: Sweep }[];
}

/**
 * The same images in the same order give the same figures. Class indexes: below `classCount`.
 * `most`: detections of an image and class that count.
 */
export function evaluateDetections(
  images: readonly EvaluatedImage[],
  classCount: number,
  most: number = detectionsMax.ofRegions,
): DetectionFigures {
  const matches = matchClasses(images, classCount);
  const classes = matches.map((one) => ({
    figures: figuresOfClass(one, most),
    sweep: sweepOf([one]),
  }));
  return {
    figures: meanOfClasses(classes.map(({ figures }) => figures)),
    sweep: sweepOf(matches),
    classes,
  };
}
