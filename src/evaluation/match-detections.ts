// Which detection finds which ground truth, by the COCO protocol: the detection with the highest
// score chooses first, and takes the ground truth that it overlaps most.

import {
  areaOfRegion,
  type Detection,
  type EvaluatedImage,
  type GroundTruth,
  type Region,
} from './evaluated-image.ts';

/** Detections and ground truth of one image, of one class or of all, with their overlaps. */
export interface Pairing {
  /** The highest score first; equal scores stay in their order. */
  readonly detections: readonly Detection[];
  readonly groundTruths: readonly GroundTruth[];
  /** A row for each detection, with a column for each ground truth. */
  readonly overlaps: readonly Float64Array[];
}

/** Of an image, and of a class where the protocol has classes: the rest does not count. */
export const detectionsMax = 100;

export function pair(image: EvaluatedImage): Pairing {
  const { groundTruths } = image;
  const detections = image.detections
    .toSorted((one, other) => other.score - one.score)
    .slice(0, detectionsMax);
  const overlaps = detections.map((detection) =>
    Float64Array.from(groundTruths, (groundTruth) => overlapOf(detection, groundTruth)),
  );
  return { detections, groundTruths, overlaps };
}

/** The place of the ground truth that each detection takes; -1: none. */
export function match(
  { groundTruths, overlaps }: Pairing,
  isIgnored: readonly boolean[],
  overlapMin: number,
): readonly number[] {
  // What counts is taken before what is ignored.
  const places = [...groundTruths.keys()];
  const ordered = [
    ...places.filter((place) => isIgnored[place] === false),
    ...places.filter((place) => isIgnored[place] === true),
  ];
  const taken = new Set<number>();
  return overlaps.map((row) => {
    let [best, most] = [-1, Math.min(overlapMin, wholeOverlap)];
    for (const place of ordered) {
      if (taken.has(place) && groundTruths[place]?.isCrowd !== true) continue;
      if (best >= 0 && isIgnored[best] === false && isIgnored[place] === true) break;
      const overlap = row[place] ?? 0;
      if (overlap >= most) [best, most] = [place, overlap];
    }
    if (best >= 0) taken.add(best);
    return best;
  });
}

/** Two equal boxes may come out a little below 1. */
const wholeOverlap = 1 - 1e-10;

/**
 * Intersection over union, or over the detection where the ground truth is a crowd. Masks would be
 * compared here.
 */
export function overlapOf(
  detection: Region,
  groundTruth: Region & Pick<GroundTruth, 'isCrowd'>,
): number {
  const width =
    Math.min(detection.left + detection.width, groundTruth.left + groundTruth.width) -
    Math.max(detection.left, groundTruth.left);
  const height =
    Math.min(detection.top + detection.height, groundTruth.top + groundTruth.height) -
    Math.max(detection.top, groundTruth.top);
  if (width <= 0 || height <= 0) return 0;
  const both = width * height;
  const own = areaOfRegion(detection);
  return groundTruth.isCrowd === true
    ? both / own
    : both / (own + areaOfRegion(groundTruth) - both);
}
