// The detections of one class in all images, with the thresholds of IoU at which each is right.

import {
  areaOfShape,
  type Detection,
  type EvaluatedImage,
  type GroundTruth,
  isLeftOut,
} from './evaluated-image.ts';
import { match, type Pairing, pair } from './match-detections.ts';

/** 0.50, 0.55, to 0.95. */
export const overlapThresholds: readonly number[] = steps(0.5, 0.95, 10);

/** Areas in square pixels of the original, both ends included. */
export const areaRanges = {
  all: [0, 1e10],
  small: [0, 32 ** 2],
  medium: [32 ** 2, 96 ** 2],
  large: [96 ** 2, 1e10],
} as const satisfies Record<string, readonly [number, number]>;

export type AreaRange = keyof typeof areaRanges;

/** The highest score first; equal scores stay in the order of the images. */
export interface ClassMatches {
  readonly scores: readonly number[];
  /** The place among the detections of its image, by score. */
  readonly ranks: readonly number[];
  readonly ranges: Readonly<Record<AreaRange, RangeMatches>>;
}

/** A bit for each threshold. */
export interface RangeMatches {
  /** Ground truths that count. */
  readonly groundTruths: number;
  /** Where a detection takes a ground truth. */
  readonly matched: readonly number[];
  /** Where a detection counts neither as right nor as wrong. */
  readonly ignored: readonly number[];
}

/** One for each class. */
export function matchClasses(
  images: readonly EvaluatedImage[],
  classCount: number,
): readonly ClassMatches[] {
  const pairings = Array.from({ length: classCount }, (): Pairing[] => []);
  for (const image of images) {
    for (const [classIndex, part] of byClass(image)) pairings[classIndex]?.push(pair(part));
  }
  return pairings.map(matchClass);
}

/** The parts of an image, one for each class that is in it. */
export function byClass(image: EvaluatedImage): ReadonlyMap<number, EvaluatedImage> {
  const parts = new Map<number, { groundTruths: GroundTruth[]; detections: Detection[] }>();
  const partOf = (classIndex: number) => {
    const part = parts.get(classIndex) ?? { groundTruths: [], detections: [] };
    parts.set(classIndex, part);
    return part;
  };
  for (const one of image.groundTruths) partOf(one.classIndex).groundTruths.push(one);
  for (const one of image.detections) partOf(one.classIndex).detections.push(one);
  return parts;
}

function matchClass(pairings: readonly Pairing[]): ClassMatches {
  const scores = pairings.flatMap(({ detections }) => detections.map(({ score }) => score));
  const ranks = pairings.flatMap(({ detections }) => [...detections.keys()]);
  const order = [...scores.keys()].sort((one, other) => (scores[other] ?? 0) - (scores[one] ?? 0));
  const sorted = (values: readonly number[]) => order.map((place) => values[place] ?? 0);
  const inRange = (range: AreaRange): RangeMatches => {
    const { groundTruths, matched, ignored } = matchRange(pairings, range);
    return { groundTruths, matched: sorted(matched), ignored: sorted(ignored) };
  };
  return {
    scores: sorted(scores),
    ranks: sorted(ranks),
    ranges: {
      all: inRange('all'),
      small: inRange('small'),
      medium: inRange('medium'),
      large: inRange('large'),
    },
  };
}

/** In the order of the pairings. */
function matchRange(pairings: readonly Pairing[], range: AreaRange): RangeMatches {
  const [least, most] = areaRanges[range];
  const isOutside = (area: number) => area < least || area > most;
  const matched: number[] = [];
  const ignored: number[] = [];
  let counted = 0;
  for (const pairing of pairings) {
    const { detections, groundTruths } = pairing;
    const isIgnored = groundTruths.map((one) => isLeftOut(one) || isOutside(areaOfShape(one)));
    counted += isIgnored.filter((is) => !is).length;
    const found = detections.map(() => ({ matched: 0, ignored: 0 }));
    for (const [bit, overlapMin] of overlapThresholds.entries()) {
      if (groundTruths.length === 0) break;
      for (const [place, taken] of match(pairing, isIgnored, overlapMin).entries()) {
        const bits = found[place];
        if (bits === undefined || taken < 0) continue;
        bits.matched |= 1 << bit;
        if (isIgnored[taken] === true) bits.ignored |= 1 << bit;
      }
    }
    for (const [place, detection] of detections.entries()) {
      const bits = found[place] ?? { matched: 0, ignored: 0 };
      matched.push(bits.matched);
      // Of another size, and no ground truth of this one.
      const stray = isOutside(areaOfShape(detection)) ? everyBit & ~bits.matched : 0;
      ignored.push(bits.ignored | stray);
    }
  }
  return { groundTruths: counted, matched, ignored };
}

const everyBit = (1 << overlapThresholds.length) - 1;

/** As numpy has them, so that a figure at a threshold falls on the same side. */
export function steps(first: number, last: number, count: number): readonly number[] {
  const step = (last - first) / (count - 1);
  return Array.from({ length: count }, (_, place) =>
    place === count - 1 ? last : first + place * step,
  );
}
