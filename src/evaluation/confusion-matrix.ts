// Which classes a model takes for which, and what it finds or leaves in the background.

import { type EvaluatedImage, isLeftOut } from './evaluated-image.ts';
import { match, pair } from './match-detections.ts';

/** One object: its class, and the class that is found in its place. The background comes last. */
export type ConfusedPair = readonly [truth: number, found: number];

/**
 * Rows are the ground truth, columns what was found; the last of each is the background. Detections
 * and ground truth are matched at an IoU of 0.5 without regard to class.
 */
export function confusionMatrix(
  images: readonly EvaluatedImage[],
  classCount: number,
  confidence: number,
): readonly (readonly number[])[] {
  return matrixOf(
    images.map((image) => confusedPairs(image, classCount, confidence)),
    classCount,
  );
}

/** Of the pairs of each image; with a row and a column more, for what is none of the classes. */
export function matrixOf(
  images: readonly (readonly ConfusedPair[])[],
  classCount: number,
): readonly (readonly number[])[] {
  const size = classCount + 1;
  const matrix = Array.from({ length: size }, () => new Array<number>(size).fill(0));
  for (const [truth, found] of images.flat()) {
    const counts = matrix[truth];
    if (counts !== undefined) counts[found] = (counts[found] ?? 0) + 1;
  }
  return matrix;
}

/** What the matrix counts in one image. */
export function confusedPairs(
  { groundTruths, detections }: EvaluatedImage,
  classCount: number,
  confidence: number,
): readonly ConfusedPair[] {
  const pairs: ConfusedPair[] = [];
  const sure = detections.filter(({ score }) => score >= confidence);
  const pairing = pair({ groundTruths, detections: sure });
  const isIgnored = groundTruths.map(isLeftOut);
  const taken = match(pairing, isIgnored, 0.5);
  for (const [place, { classIndex }] of pairing.detections.entries()) {
    const at = taken[place] ?? -1;
    if (isIgnored[at] !== true)
      pairs.push([groundTruths[at]?.classIndex ?? classCount, classIndex]);
  }
  const seen = new Set(taken);
  for (const [place, { classIndex }] of groundTruths.entries()) {
    if (isIgnored[place] !== true && !seen.has(place)) pairs.push([classIndex, classCount]);
  }
  return pairs;
}
