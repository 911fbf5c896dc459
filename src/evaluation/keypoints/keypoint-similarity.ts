// How near found keypoints are to those of a label: object keypoint similarity (OKS) by the COCO
// protocol.

import type { Region } from '../image-region.ts';

/** x, y and visibility of each keypoint of a class, in pixels; 0: not labelled. */
export type KeypointNumbers = ArrayLike<number>;

export interface LabelledKeypoints {
  readonly keypoints: KeypointNumbers;
  /** Of each keypoint: how far people err about it, as a share of the object's size. */
  readonly sigmas: readonly number[];
  readonly region: Region;
  /** Of the object, in square pixels. */
  readonly area: number;
}

/**
 * 0 to 1: the mean over the labelled keypoints. Of a label without any, how near all are to a
 * region of three times its sides around it, by which what is found in it is left out.
 */
export function keypointSimilarity(found: KeypointNumbers, label: LabelledKeypoints): number {
  const distance = isUnlabelled(label.keypoints) ? besideRegion(label.region) : undefined;
  let [sum, count] = [0, 0];
  for (const [place, sigma] of label.sigmas.entries()) {
    const at = place * 3;
    if (distance === undefined && !isLabelled(label.keypoints[at + 2])) continue;
    const [x, y] = [found[at] ?? Number.NaN, found[at + 1] ?? Number.NaN];
    const squared =
      distance?.(x, y) ??
      (x - (label.keypoints[at] ?? 0)) ** 2 + (y - (label.keypoints[at + 1] ?? 0)) ** 2;
    const error = squared / (2 * sigma) ** 2 / (label.area + Number.EPSILON) / 2;
    // A keypoint that was not found is infinitely far.
    sum += Number.isNaN(error) ? 0 : Math.exp(-error);
    count += 1;
  }
  return count === 0 ? 0 : sum / count;
}

/** Nothing to measure by: the label counts neither for nor against a model. */
export function isUnlabelled(keypoints: KeypointNumbers): boolean {
  for (let at = 2; at < keypoints.length; at += 3) if (isLabelled(keypoints[at])) return false;
  return true;
}

function isLabelled(visibility = 0): boolean {
  return visibility > 0;
}

function besideRegion({ left, top, width, height }: Region) {
  const beyond = (value: number, start: number, side: number) =>
    Math.max(0, start - side - value) + Math.max(0, value - (start + 2 * side));
  return (x: number, y: number) => beyond(x, left, width) ** 2 + beyond(y, top, height) ** 2;
}
