// Classes of whole images, judged with what judges boxes: each class is a box around the image.

import type { Figure } from './average-precision.ts';
import { pointAt } from './confidence-sweep.ts';
import { type ConfusedPair, matrixOf } from './confusion-matrix.ts';
import type { Detection, EvaluatedImage } from './evaluated-image.ts';
import { type Evaluation, evaluate } from './evaluation.ts';

export interface ClassificationFigures {
  /** Share of images whose classes are all found, and no others. */
  readonly accuracy: Figure;
  /** Means over the classes that are labelled or found; 0 where one has none. */
  readonly macro: {
    readonly precision: Figure;
    readonly recall: Figure;
    readonly f1: Figure;
  };
}

export interface Classified extends Evaluation {
  readonly classification: ClassificationFigures;
}

export interface ClassificationSettings {
  /** Default: of single labels 0, of several that of the best F1. */
  readonly confidence: number | undefined;
  /** The class with the highest score alone is an answer. */
  readonly isSingleLabel: boolean;
}

export function evaluateClasses(
  given: readonly EvaluatedImage[],
  classes: readonly string[],
  settings: ClassificationSettings,
): Classified {
  const images = given.map((image) => answered(image, settings));
  const confidence = settings.confidence ?? (settings.isSingleLabel ? 0 : undefined);
  const { isSingleLabel } = settings;
  const evaluation = evaluate(images, classes, confidence, {
    pairsOf: (image, classCount, chosen) =>
      confusedClasses(image, classCount, { confidence: chosen, isSingleLabel }),
  });
  return { ...evaluation, classification: figuresOf(evaluation) };
}

/** Each class once, with its highest score; of single labels the first of the highest. */
export function answered(
  { groundTruths, detections }: EvaluatedImage,
  { isSingleLabel }: Pick<ClassificationSettings, 'isSingleLabel'>,
): EvaluatedImage {
  const best = new Map<number, Detection>();
  for (const one of detections.toSorted((a, b) => b.score - a.score)) {
    if (!best.has(one.classIndex)) best.set(one.classIndex, one);
  }
  const found = [...best.values()];
  return { groundTruths, detections: isSingleLabel ? found.slice(0, 1) : found };
}

interface Answers {
  readonly confidence: number;
  readonly isSingleLabel: boolean;
}

/**
 * Rows are the labels, columns what was found, the last of each none. One class is taken for
 * another where an image has a single label: of several, which it is is not known.
 */
export function confusionOfClasses(
  images: readonly EvaluatedImage[],
  classCount: number,
  answers: Answers,
): readonly (readonly number[])[] {
  return matrixOf(
    images.map((image) => confusedClasses(image, classCount, answers)),
    classCount,
  );
}

function confusedClasses(
  { groundTruths, detections }: EvaluatedImage,
  classCount: number,
  { confidence, isSingleLabel }: Answers,
): readonly ConfusedPair[] {
  const known = groundTruths.map(({ classIndex }) => classIndex);
  const found = detections
    .filter(({ score }) => score >= confidence)
    .map(({ classIndex }) => classIndex);
  const [label, ...moreLabels] = known;
  const [answer, ...moreAnswers] = found;
  const isPair = isSingleLabel && moreLabels.length === 0 && moreAnswers.length === 0;
  if (isPair && label !== undefined && answer !== undefined) return [[label, answer]];
  return [
    ...known.map((one): ConfusedPair => [one, found.includes(one) ? one : classCount]),
    ...found.filter((one) => !known.includes(one)).map((one): ConfusedPair => [classCount, one]),
  ];
}

function figuresOf({ figures, outcomes }: Evaluation): ClassificationFigures {
  const right = outcomes.filter((image) =>
    image.every(({ falsePositives, misses }) => falsePositives === 0 && misses === 0),
  );
  const points = figures.each
    .map(({ sweep }) => pointAt(sweep, figures.confidence))
    .filter((one) => one.truePositives + one.falsePositives + one.misses > 0);
  const mean = (figure: (point: (typeof points)[number]) => Figure) =>
    points.length === 0
      ? null
      : points.reduce((sum, point) => sum + (figure(point) ?? 0), 0) / points.length;
  return {
    accuracy: outcomes.length === 0 ? null : right.length / outcomes.length,
    macro: {
      precision: mean(({ precision }) => precision),
      recall: mean(({ recall }) => recall),
      f1: mean(({ f1 }) => f1),
    },
  };
}
