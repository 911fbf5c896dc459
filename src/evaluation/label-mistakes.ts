// Labels that are possibly wrong, found by their disagreement with confident detections (as in
// ObjectLab, Tkachenko and others, 2023): objects without label, labels of another class, boxes at
// the wrong place, and objects with two labels.

import type { LabelMistakeKind } from '../contract/evaluations.ts';
import { byClass } from './class-matches.ts';
import { classPrecision } from './class-precision.ts';
import {
  type Detection,
  type EvaluatedImage,
  type GroundTruth,
  isLeftOut,
} from './evaluated-image.ts';
import { areaOfRegion } from './image-region.ts';
import { match, overlapOf, pair } from './match-detections.ts';

export interface LabelMistake {
  readonly kind: LabelMistakeKind;
  /** 0 to 1: the higher, the more probable. */
  readonly score: number;
  /** The label that is possibly wrong; undefined: there is none where one should be. */
  readonly label: GroundTruth | undefined;
  /** What is there: by the model, or of a duplicate the other label. */
  readonly instead: Detection | GroundTruth;
}

/** Of each image, the most probable first. Only detections of this confidence speak. */
export function labelMistakes(
  images: readonly EvaluatedImage[],
  confidence: number,
): readonly (readonly LabelMistake[])[] {
  const views = images.map((image) => viewOf(image, confidence));
  const overlapLeast = usualOverlaps(views);
  const precisionOf = classPrecision(views.flatMap(judged));
  return views.map((view) =>
    [
      // First: that two labels are one object does not depend on where the model sees it.
      ...duplicates(view, confidence),
      ...swapped(view),
      ...badlyPlaced(view, overlapLeast),
      ...overlooked(view, precisionOf),
    ].toSorted((one, other) => other.score - one.score),
  );
}

/** An image while it is judged: detections are taken out of `open` once they are explained. */
interface View {
  readonly labels: readonly GroundTruth[];
  /** The detection of its own class that a label has, at an IoU of 0.5. */
  readonly support: ReadonlyMap<GroundTruth, Detection>;
  /** Confident, the highest score first, and of no label of their class. */
  readonly open: Set<Detection>;
  /** Labels that are found to be wrong. */
  readonly blamed: Set<GroundTruth>;
  readonly confident: readonly Detection[];
}

/** At least so much of two boxes is one place. */
const samePlace = 0.5;

/** Below, a label is of another object. */
const nearbyLeast = 0.1;

/** Two labels are one object from here. */
const sameObject = 0.8;

function viewOf(image: EvaluatedImage, confidence: number): View {
  const support = new Map<GroundTruth, Detection>();
  const explained = new Set<Detection>();
  for (const part of byClass(image).values()) {
    const pairing = pair(part);
    const isIgnored = part.groundTruths.map(isLeftOut);
    for (const [place, taken] of match(pairing, isIgnored, samePlace).entries()) {
      const detection = pairing.detections[place];
      const label = part.groundTruths[taken];
      if (detection === undefined || label === undefined) continue;
      explained.add(detection);
      support.set(label, detection);
    }
  }
  const confident = image.detections
    .filter((one) => one.score >= confidence && (one.keypoints || areaOfRegion(one) > 0))
    .toSorted((one, other) => other.score - one.score);
  return {
    labels: image.groundTruths.filter((one) => !isLeftOut(one)),
    support,
    open: new Set(confident.filter((one) => !explained.has(one))),
    blamed: new Set(),
    confident,
  };
}

/** Before any is explained by a mistake. */
function judged({ confident, open }: View) {
  return confident.map((one) => ({ ...one, isRight: !open.has(one) }));
}

/**
 * Below which overlap a label of a class is badly placed: outside of what this model's boxes have
 * with labels of the class (Tukey's fence), since one that draws loosely says little about places.
 */
function usualOverlaps(views: readonly View[]): (classIndex: number) => number {
  const overlaps = new Map<number, number[]>();
  for (const { support } of views) {
    for (const [label, detection] of support) {
      const known = overlaps.get(label.classIndex) ?? [];
      known.push(overlapOf(detection, label));
      overlaps.set(label.classIndex, known);
    }
  }
  const least = new Map(
    [...overlaps].map(([classIndex, known]) => {
      if (known.length < usualFrom) return [classIndex, placedMax];
      const sorted = known.toSorted((one, other) => one - other);
      const [lower = 1, upper = 1] = [1, 3].map((part) => sorted[(part * known.length) >> 2]);
      return [classIndex, Math.min(placedMax, lower - 1.5 * (upper - lower))];
    }),
  );
  return (classIndex) => least.get(classIndex) ?? placedMax;
}

const placedMax = 0.7;

/** Of fewer labels quartiles do not tell what is usual. */
const usualFrom = 8;

/** A label whose place a detection of another class takes, surer than any of its own class. */
function swapped({ labels, support, open, blamed }: View): readonly LabelMistake[] {
  const found: LabelMistake[] = [];
  for (const detection of open) {
    const { label, overlap } = nearest(detection, labels, (one) => !blamed.has(one));
    if (label === undefined || overlap < samePlace) continue;
    open.delete(detection);
    const own = support.get(label)?.score ?? 0;
    if (label.classIndex === detection.classIndex || own >= detection.score) continue;
    blamed.add(label);
    const score = detection.score * overlap * (1 - own);
    found.push({ kind: 'swapped', score, label, instead: detection });
  }
  return found;
}

/** A label beside what a detection of its class frames. */
function badlyPlaced(
  { labels, support, open, blamed, confident }: View,
  overlapLeast: (classIndex: number) => number,
): readonly LabelMistake[] {
  const loose = [...support].filter(([, detection]) => confident.includes(detection));
  // What the model hardly believes in supports no place.
  const sure = new Set(loose.map(([label]) => label));
  const beside = [...open].flatMap((detection) =>
    labels
      .filter((label) => label.classIndex === detection.classIndex && !sure.has(label))
      .map((label) => [label, detection] as const),
  );
  const pairs = [...loose, ...beside]
    .map(([label, detection]) => ({ label, detection, overlap: overlapOf(detection, label) }))
    .filter(
      ({ label, overlap }) => overlap >= nearbyLeast && overlap < overlapLeast(label.classIndex),
    )
    .toSorted((one, other) => other.overlap - one.overlap);
  const found: LabelMistake[] = [];
  const used = new Set<Detection>();
  for (const { label, detection, overlap } of pairs) {
    if (blamed.has(label) || used.has(detection)) continue;
    blamed.add(label);
    used.add(detection);
    open.delete(detection);
    const there = support.get(label);
    const own = there === undefined || there === detection ? 0 : there.score;
    const score = detection.score * (1 - overlap) * (1 - own);
    found.push({ kind: 'badly_placed', score, label, instead: detection });
  }
  return found;
}

/**
 * A detection where no label is, each place once. Of those that are wrong by the labels, as many
 * are objects without label as is usual; the others are errors of the model.
 */
function overlooked(
  { labels, open }: View,
  precisionOf: ReturnType<typeof classPrecision>,
): readonly LabelMistake[] {
  const seen: Detection[] = [];
  return [...open].flatMap((detection): readonly LabelMistake[] => {
    if (seen.some((other) => overlapOf(detection, other) >= samePlace)) return [];
    seen.push(detection);
    const { overlap } = nearest(detection, labels, () => true);
    const precision = precisionOf(detection.classIndex, detection.score);
    const probability = Math.min(1, (usuallyOverlooked * precision) / (1 - precision));
    const score = probability * (1 - overlap);
    return [{ kind: 'overlooked', score, label: undefined, instead: detection }];
  });
}

/** A label on another, without a confident detection of its own. */
function duplicates(
  { labels, support, blamed }: View,
  confidence: number,
): readonly LabelMistake[] {
  const supportOf = (label: GroundTruth) => support.get(label)?.score ?? 0;
  return labels.flatMap((label, place): readonly LabelMistake[] => {
    const own = supportOf(label);
    if (own >= confidence) return [];
    const others = labels.filter(
      (other, at) => supportOf(other) > own || (supportOf(other) === own && at < place),
    );
    const { label: other, overlap } = nearest(label, others, () => true);
    if (other === undefined || overlap < sameObject) return [];
    blamed.add(label);
    return [{ kind: 'duplicate', score: overlap * (1 - own), label, instead: other }];
  });
}

/** Of 100 objects two have no label, in datasets that people made. */
const usuallyOverlooked = 0.02;

function nearest(
  region: Detection | GroundTruth,
  labels: readonly GroundTruth[],
  isMeant: (label: GroundTruth) => boolean,
): { readonly label: GroundTruth | undefined; readonly overlap: number } {
  let [label, most]: [GroundTruth | undefined, number] = [undefined, 0];
  for (const one of labels) {
    const overlap = isMeant(one) ? overlapOf(region, one) : 0;
    if (overlap > most) [label, most] = [one, overlap];
  }
  return { label, overlap: most };
}
