// Which detection finds which ground truth, by the COCO protocol: the detection with the highest
// score chooses first, and takes the ground truth that it overlaps most.

import {
  areaOfShape,
  type Detection,
  type EvaluatedImage,
  type GroundTruth,
  type Shape,
} from './evaluated-image.ts';
import { areaOfRegion } from './image-region.ts';
import { keypointSimilarity } from './keypoints/keypoint-similarity.ts';
import { overlapOfMasks } from './masks/mask.ts';

/** Detections and ground truth of one image, of one class or of all, with their overlaps. */
export interface Pairing {
  /** The highest score first; equal scores stay in their order. */
  readonly detections: readonly Detection[];
  readonly groundTruths: readonly GroundTruth[];
  /** Of each detection, those with which it has something in common. */
  readonly overlaps: readonly (readonly Overlap[])[];
}

interface Overlap {
  /** That of the ground truth. */
  readonly place: number;
  /** 0 to 1. */
  readonly overlap: number;
}

export function pair({ groundTruths, detections: found }: EvaluatedImage): Pairing {
  const detections = found.toSorted((one, other) => other.score - one.score);
  const overlaps = detections.map((detection) => {
    const row: Overlap[] = [];
    for (const [place, groundTruth] of groundTruths.entries()) {
      const overlap = overlapOf(detection, groundTruth);
      if (overlap > 0) row.push({ place, overlap });
    }
    return row;
  });
  return { detections, groundTruths, overlaps };
}

/**
 * The place of the ground truth that each detection takes; -1: none. `overlapMin` is above 0. What
 * detections of a higher score take does not depend on those below.
 */
export function match(
  { groundTruths, overlaps }: Pairing,
  isIgnored: readonly boolean[],
  overlapMin: number,
): readonly number[] {
  const taken = new Set<number>();
  const isFree = (place: number) => !taken.has(place) || groundTruths[place]?.isCrowd === true;
  const bestOf = (row: readonly Overlap[], ignored: boolean) => {
    let [best, most] = [-1, Math.min(overlapMin, wholeOverlap)];
    for (const { place, overlap } of row) {
      if (overlap < most || isIgnored[place] !== ignored || !isFree(place)) continue;
      [best, most] = [place, overlap];
    }
    return best;
  };
  return overlaps.map((row) => {
    // What counts is taken before what is ignored.
    const counted = bestOf(row, false);
    const best = counted >= 0 ? counted : bestOf(row, true);
    if (best >= 0) taken.add(best);
    return best;
  });
}

/** Two equal boxes may come out a little below 1. */
const wholeOverlap = 1 - 1e-10;

/**
 * Intersection over union, or over the detection where the ground truth is a crowd; of keypoints
 * their similarity. Skeletons of two classes that have not as many are compared by their boxes.
 */
export function overlapOf(
  detection: Shape,
  groundTruth: Shape & Pick<GroundTruth, 'isCrowd' | 'sigmas'>,
): number {
  const { keypoints, sigmas } = groundTruth;
  const found = detection.keypoints;
  if (sigmas && keypoints && keypoints.length > 0 && found?.length === keypoints.length) {
    const area = areaOfShape(groundTruth);
    return keypointSimilarity(found, { keypoints, sigmas, region: groundTruth, area });
  }
  const width =
    Math.min(detection.left + detection.width, groundTruth.left + groundTruth.width) -
    Math.max(detection.left, groundTruth.left);
  const height =
    Math.min(detection.top + detection.height, groundTruth.top + groundTruth.height) -
    Math.max(detection.top, groundTruth.top);
  if (width <= 0 || height <= 0) return 0;
  if (detection.mask !== undefined && groundTruth.mask !== undefined) {
    return overlapOfMasks(detection.mask, groundTruth.mask, groundTruth.isCrowd === true);
  }
  const both = width * height;
  const own = areaOfRegion(detection);
  return groundTruth.isCrowd === true
    ? both / own
    : both / (own + areaOfRegion(groundTruth) - both);
}
