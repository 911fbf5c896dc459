// What comparing the masks of an evaluation takes is known before any are compared: a few hundred
// ragged outlines on top of each other take minutes.

import { FoveaError } from '../../errors.ts';
import { limits } from '../../limits.ts';
import type { EvaluatedImage, Shape } from '../evaluated-image.ts';

/** Throws `too_large`. */
export function checkComparisons(images: readonly EvaluatedImage[]): void {
  let runs = 0;
  for (const { groundTruths, detections } of images) {
    for (const label of groundTruths) {
      for (const detection of detections) {
        if (areNear(label, detection)) runs += runsOf(label) + runsOf(detection);
      }
      if (runs > limits.maskComparedRunsMax) throw tooMany();
    }
  }
}

function tooMany(): FoveaError {
  return new FoveaError(
    'too_large',
    'The outlines of labels and predictions that lie on each other have too many points to be compared.',
    { hint: 'Simplify the outlines, leave out predictions of low scores, or judge fewer images.' },
  );
}

function runsOf({ mask }: Shape): number {
  return (mask?.runs.length ?? 0) / 2;
}

function areNear(one: Shape, other: Shape): boolean {
  return (
    one.left < other.left + other.width &&
    other.left < one.left + one.width &&
    one.top < other.top + other.height &&
    other.top < one.top + one.height
  );
}
