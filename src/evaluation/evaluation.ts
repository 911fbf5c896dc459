// All that is kept of an evaluation, from images whose ground truth and detections are known.

import { detectionsMax, type PrecisionFigures } from './average-precision.ts';
import { bestOf, type Sweep } from './confidence-sweep.ts';
import { type ConfusedPair, confusedPairs, matrixOf } from './confusion-matrix.ts';
import { evaluateDetections } from './evaluate-detections.ts';
import type { EvaluatedImage } from './evaluated-image.ts';
import { outcomeOf } from './image-outcome.ts';

export interface EvaluationFigures {
  readonly classes: readonly string[];
  readonly detections: number;
  /** That of the confusion matrix and of the outcomes. */
  readonly confidence: number;
  readonly all: ClassFigures;
  /** One for each class. */
  readonly each: readonly ClassFigures[];
  /** Cells of the confusion matrix that are not 0; the background comes behind the classes. */
  readonly confusions: readonly Confusion[];
}

export interface ClassFigures {
  readonly figures: PrecisionFigures;
  readonly sweep: Sweep;
}

export type Confusion = readonly [truth: number, found: number, count: number];

/** Of an image and a class: counts at the confidence of the evaluation. */
export interface ClassOutcome {
  readonly classIndex: number;
  readonly truePositives: number;
  readonly falsePositives: number;
  readonly misses: number;
}

export interface Evaluation {
  readonly figures: EvaluationFigures;
  /** Of each image, the classes that are in it or were found. */
  readonly outcomes: readonly (readonly ClassOutcome[])[];
  /** Of each image, the cells of the confusion matrix that it counts in. */
  readonly confused: readonly (readonly Confusion[])[];
}

export interface EvaluationOptions {
  readonly pairsOf?: typeof confusedPairs;
  /** Detections of an image and class that count. */
  readonly most?: number;
}

/** The threshold with the best F1 is taken unless one is given. */
export function evaluate(
  images: readonly EvaluatedImage[],
  classes: readonly string[],
  wanted: number | undefined,
  { pairsOf = confusedPairs, most = detectionsMax.ofRegions }: EvaluationOptions = {},
): Evaluation {
  const { figures, sweep, classes: each } = evaluateDetections(images, classes.length, most);
  const confidence = wanted ?? bestOf(sweep)?.confidence ?? confidenceDefault;
  const pairs = images.map((image) => pairsOf(image, classes.length, confidence));
  return {
    figures: {
      classes,
      detections: images.reduce((sum, { detections }) => sum + detections.length, 0),
      confidence,
      all: { figures, sweep },
      each,
      confusions: matrixOf(pairs, classes.length).flatMap((row, truth) =>
        row.flatMap((count, found): Confusion[] => (count === 0 ? [] : [[truth, found, count]])),
      ),
    },
    outcomes: images.map((image) => outcomesOf(image, confidence)),
    confused: pairs.map(counted),
  };
}

/** Where nothing is right at any threshold: that of the runtime. */
const confidenceDefault = 0.4;

function counted(pairs: readonly ConfusedPair[]): readonly Confusion[] {
  const cells = Map.groupBy(pairs, ([truth, found]) => `${truth} ${found}`);
  return [...cells.values()].flatMap((same): Confusion[] =>
    same.slice(0, 1).map(([truth, found]) => [truth, found, same.length]),
  );
}

function outcomesOf(image: EvaluatedImage, confidence: number): readonly ClassOutcome[] {
  const { truePositives, falsePositives, misses } = outcomeOf(image, confidence);
  const seen = [...truePositives, ...falsePositives, ...misses];
  const of = (list: readonly { readonly classIndex: number }[], classIndex: number) =>
    list.filter((one) => one.classIndex === classIndex).length;
  return [...new Set(seen.map(({ classIndex }) => classIndex))]
    .toSorted((one, other) => one - other)
    .map((classIndex) => ({
      classIndex,
      truePositives: of(truePositives, classIndex),
      falsePositives: of(falsePositives, classIndex),
      misses: of(misses, classIndex),
    }));
}
