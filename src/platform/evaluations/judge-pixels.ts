// Semantic segmentation: the class of each pixel is judged, image by image, so that two of them
// at a time are in memory.

import type { Detection, EvaluatedImage } from '../../evaluation/evaluated-image.ts';
import { type ClassOutcome, type Evaluation, evaluate } from '../../evaluation/evaluation.ts';
import {
  type ConfusedPixels,
  confusedPixels,
  sumOfPixels,
} from '../../evaluation/pixels/confused-pixels.ts';
import { chooseThresholds } from '../../model-inference/thresholds.ts';
import { type Painted, paintClasses } from './class-map.ts';
import type { EvaluationQuestion, JudgedBy } from './evaluation-thread.ts';
import { shapeAt } from './packed-shapes.ts';
import { sketchClasses } from './sketch-classes.ts';

export interface JudgedPixels {
  readonly evaluation: Evaluation;
  /** Of each image JSON of its labels and of what was found, to be drawn. */
  readonly boxes: readonly string[];
}

/**
 * `read`: of each image what a file says, in place of what a model found. Objects of the given
 * confidence and above are painted, the surest last. Throws `too_large`.
 */
export function judgePixels(
  { images, classes, confidence: wanted }: EvaluationQuestion,
  read: readonly (readonly Detection[])[] | undefined,
): JudgedPixels {
  const { confidence } = chooseThresholds(undefined, { confidence: wanted });
  const confused: (readonly ConfusedPixels[])[] = [];
  const boxes: string[] = [];
  let detections = 0;
  for (const [place, image] of images.entries()) {
    const painted = foundIn(image, read?.[place], confidence);
    detections += painted.length;
    const truth = paintClasses(labelsOf(image), image);
    const found = paintClasses(painted, image);
    confused.push(confusedPixels(truth, found, classes.length));
    const labelled = sketchClasses(truth, image, classes);
    boxes.push(JSON.stringify({ labelled, found: sketchClasses(found, image, classes) }));
  }
  // Labels are counted as ever; no detection is matched with one.
  const { figures } = evaluate(images.map(labelsAlone), classes, confidence);
  const confusions = sumOfPixels(confused, classes.length);
  const outcomes = confused.map((cells) => outcomesOf(cells, classes.length));
  const evaluation = { figures: { ...figures, detections, confusions }, outcomes, confused };
  return { evaluation, boxes };
}

function labelsAlone({ groundTruths }: JudgedBy): EvaluatedImage {
  return { groundTruths, detections: [] };
}

function labelsOf({ groundTruths }: JudgedBy): readonly Painted[] {
  return groundTruths.map(({ classIndex, outline = [] }) => ({ classIndex, shape: outline }));
}

function foundIn(
  { detections, shapes }: JudgedBy,
  read: readonly Detection[] | undefined,
  confidence: number,
): readonly Painted[] {
  return (read ?? detections)
    .map(({ classIndex, score, mask }, place) => ({
      classIndex,
      score,
      shape: mask ?? (shapes ? shapeAt(shapes, place) : []),
    }))
    .filter(({ score }) => score >= confidence)
    .toSorted((one, other) => one.score - other.score);
}

/** Of each class its pixels that are right, wrongly found, and missed. */
function outcomesOf(cells: readonly ConfusedPixels[], background: number): readonly ClassOutcome[] {
  const counts = new Map<
    number,
    { truePositives: number; falsePositives: number; misses: number }
  >();
  const of = (classIndex: number) => {
    const known = counts.get(classIndex) ?? { truePositives: 0, falsePositives: 0, misses: 0 };
    counts.set(classIndex, known);
    return known;
  };
  for (const [truth, found, pixels] of cells) {
    if (truth === found && truth !== background) of(truth).truePositives += pixels;
    if (truth === found) continue;
    if (truth !== background) of(truth).misses += pixels;
    if (found !== background) of(found).falsePositives += pixels;
  }
  return [...counts]
    .map(([classIndex, own]) => ({ classIndex, ...own }))
    .toSorted((one, other) => one.classIndex - other.classIndex);
}
