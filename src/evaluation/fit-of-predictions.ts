// Whether predictions lie where labels are, whatever their classes: where hardly one does, they may
// be of other images.

import type { EvaluatedImage } from './evaluated-image.ts';
import { overlapOf } from './match-detections.ts';

export interface Fit {
  /** Images that have predictions. */
  readonly images: number;
  /** Predictions that were compared: of each image the surest, as many as it has labels. */
  readonly surest: number;
  /** Those that lie on a label. */
  readonly onLabels: number;
}

/** As an outcome counts a detection as right. */
const overlapMin = 0.5;

export function fitOf(images: readonly EvaluatedImage[]): Fit {
  let [withSome, surest, onLabels] = [0, 0, 0];
  for (const { groundTruths, detections } of images) {
    if (detections.length > 0) withSome += 1;
    const some = detections
      .toSorted((one, other) => other.score - one.score)
      .slice(0, groundTruths.length);
    surest += some.length;
    onLabels += some.filter((one) =>
      groundTruths.some((label) => overlapOf(one, label) >= overlapMin),
    ).length;
  }
  return { images: withSome, surest, onLabels };
}

/** Fewer say nothing. */
const surestLeast = 10;
const shareLeast = 0.1;

/** Undefined: the figures say something of the model. */
export function doubtOf(fit: Fit, detections: number, images: number): string | undefined {
  if (detections === 0) {
    return '0 predictions: unless the model finds nothing at all, the file lacks what it found';
  }
  const { surest, onLabels } = fit;
  if (surest < surestLeast || onLabels >= shareLeast * surest) return undefined;
  return (
    `only ${onLabels} of the ${surest} surest predictions lie on a label: they may be of other ` +
    `images or of another size. ${fit.images} of ${images} images have predictions; an image_id ` +
    'that is a number means the place in the COCO export of this split. file_name says it surely'
  );
}
