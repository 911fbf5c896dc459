// The panels of an evaluation of semantic segmentation: figures of pixels.

import { type FoveaError, invalidArgument } from '../../errors.ts';
import { rounded } from '../../evaluation/average-precision.ts';
import type { EvaluationFigures } from '../../evaluation/evaluation.ts';
import { type PixelFigures, pixelFigures } from '../../evaluation/pixels/pixel-figures.ts';

type Kept = Pick<EvaluationFigures, 'classes' | 'confusions' | 'each'>;

export function pixelsOf({ classes, confusions }: Omit<Kept, 'each'>): PixelFigures {
  return pixelFigures(confusions, classes.length);
}

/** Beside those that lists show. */
export function figuresOfPixels(kept: Kept) {
  const figures = pixelsOf(kept);
  return {
    meanIouOfClasses: rounded(figures.meanIouOfClasses),
    meanAccuracy: rounded(figures.meanAccuracy),
    frequencyWeightedIou: rounded(figures.frequencyWeightedIou),
  };
}

/** The weakest first; classes that are neither labelled nor found last. */
export function rowsOfPixels(kept: Kept) {
  const { each } = pixelsOf(kept);
  return kept.classes
    .map((name, place) => ({
      class: name,
      groundTruths: kept.each[place]?.figures.groundTruths ?? 0,
      ...sharesOf(each[place]),
    }))
    .toSorted((one, other) => (one.iou ?? 2) - (other.iou ?? 2));
}

/** Of one class. */
export function sharesOf(figures: PixelFigures['each'][number] | undefined) {
  const { labelled = 0, iou = null, precision = null, recall = null, f1 = null } = figures ?? {};
  return {
    pixels: labelled,
    iou: rounded(iou),
    precision: rounded(precision),
    recall: rounded(recall),
    f1: rounded(f1),
  };
}

/** Of a panel that pixels have not. */
export function ofObjects(panel: string): FoveaError {
  return invalidArgument('panel', `${panel} is of objects: the class of each pixel is judged here`);
}
