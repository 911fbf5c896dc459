// Precision, recall and F1 at each confidence threshold, for all classes together and for each.

import type { Figure } from './average-precision.ts';
import { type ClassMatches, steps } from './class-matches.ts';

/** Counts at 0.00, 0.01, to 1.00. Crowds, and what is found in them, do not count. */
export interface Sweep {
  readonly groundTruths: number;
  /** Detections that take a ground truth of their class at an IoU of 0.5. */
  readonly truePositives: readonly number[];
  readonly falsePositives: readonly number[];
}

/** What a model is worth when only detections of this confidence and above are kept. */
export interface SweepPoint {
  readonly confidence: number;
  readonly truePositives: number;
  readonly falsePositives: number;
  readonly misses: number;
  /** Null where nothing is found. */
  readonly precision: Figure;
  /** Null where there is no ground truth. */
  readonly recall: Figure;
  readonly f1: Figure;
}

export function sweepOf(classes: readonly ClassMatches[]): Sweep {
  const truePositives = confidences.map(() => 0);
  const falsePositives = confidences.map(() => 0);
  let groundTruths = 0;
  for (const { scores, ranges } of classes) {
    const { matched, ignored } = ranges.all;
    groundTruths += ranges.all.groundTruths;
    for (const [place, score] of scores.entries()) {
      if (((ignored[place] ?? 0) & 1) === 1) continue;
      const counts = ((matched[place] ?? 0) & 1) === 1 ? truePositives : falsePositives;
      // It counts at its own threshold, and so at all below.
      const last = confidences.findLastIndex((confidence) => confidence <= score);
      if (last >= 0) counts[last] = (counts[last] ?? 0) + 1;
    }
  }
  return {
    groundTruths,
    truePositives: sumsFromEnd(truePositives),
    falsePositives: sumsFromEnd(falsePositives),
  };
}

/** Rounded: a hundredth is what people write. */
const confidences = steps(0, 1, 101).map((confidence) => Math.round(confidence * 100) / 100);

export function pointsOf(sweep: Sweep): readonly SweepPoint[] {
  return confidences.map((_, place) => pointOf(sweep, place));
}

/** At a whole number of hundredths. */
export function pointAt(sweep: Sweep, confidence: number): SweepPoint {
  return pointOf(sweep, Math.round(confidence * 100));
}

function pointOf({ groundTruths, truePositives, falsePositives }: Sweep, place: number) {
  const [right, wrong] = [truePositives[place] ?? 0, falsePositives[place] ?? 0];
  const all = groundTruths + right + wrong;
  return {
    confidence: confidences[place] ?? 0,
    truePositives: right,
    falsePositives: wrong,
    misses: groundTruths - right,
    precision: right + wrong === 0 ? null : right / (right + wrong),
    recall: groundTruths === 0 ? null : right / groundTruths,
    f1: all === 0 ? null : (2 * right) / all,
  };
}

/**
 * The threshold with the best F1; undefined where nothing is right at any. Where several are best,
 * the middle one of them: new images have other scores.
 */
export function bestOf(sweep: Sweep): SweepPoint | undefined {
  const points = pointsOf(sweep);
  const most = Math.max(...points.map(({ f1 }) => f1 ?? 0));
  if (most === 0) return undefined;
  const first = points.findIndex(({ f1 }) => f1 === most);
  const length = points.slice(first).findIndex(({ f1 }) => f1 !== most);
  const last = length < 0 ? points.length - 1 : first + length - 1;
  return points[Math.floor((first + last) / 2)];
}

function sumsFromEnd(counts: readonly number[]): readonly number[] {
  let sum = 0;
  return counts
    .toReversed()
    .map((count) => {
      sum += count;
      return sum;
    })
    .reverse();
}
