// Whether predictions lie where labels are, whatever their classes: where hardly one does, they may
// be of other images. And whether their classes are those of the labels.

import { quotedNames } from '../quoted-name.ts';
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

/**
 * `missing`: classes of which nothing is found. `unknown`: classes that no label has, and how many
 * predictions each has; undefined is given where these are too few to be the missing ones.
 */
export function doubtOfClasses(
  missing: readonly { readonly name: string; readonly labels: number }[],
  unknown: Readonly<Record<string, number>>,
): string | undefined {
  const others = Object.keys(unknown);
  const predictions = Object.values(unknown).reduce((sum, count) => sum + count, 0);
  const labels = missing.reduce((sum, one) => sum + one.labels, 0);
  if (labels === 0 || predictions < labels / 2) return undefined;
  return (
    `nothing is found of ${quotedNames(missing.map(({ name }) => name))}, and predictions have ${quotedNames(others)}, ` +
    'which no label has: if these are the same classes, call them by the names of the labels'
  );
}
