// What is kept of an evaluation, as the panels of evaluations_get show it.

import type { EvaluableTask, evaluations } from '../../contract/evaluations.ts';
import type { Answer } from '../../contract/operation.ts';
import { invalidArgument } from '../../errors.ts';
import { type Figure, rounded, type SizeFigures } from '../../evaluation/average-precision.ts';
import type { ClassificationFigures } from '../../evaluation/classification.ts';
import {
  bestOf,
  pointAt,
  pointsOf,
  type Sweep,
  type SweepPoint,
} from '../../evaluation/confidence-sweep.ts';
import type { ClassFigures, EvaluationFigures } from '../../evaluation/evaluation.ts';
import { doubtOf, doubtOfClasses, type Fit } from '../../evaluation/fit-of-predictions.ts';
import type { UnknownNames } from '../../evaluation/read-predictions.ts';
import { limits } from '../../limits.ts';
import type { PredictionOmissions } from '../../model-inference/prediction-omissions.ts';
import type { OwnThresholds } from '../../model-inference/thresholds.ts';
import { quotedNames } from '../../quoted-name.ts';
import { figuresOfPixels, ofObjects, pixelsOf, rowsOfPixels } from './describe-pixels.ts';

export interface KeptFigures extends EvaluationFigures {
  /** Undefined in an evaluation of an earlier version of Fovea: boxes. */
  readonly modelTask?: EvaluableTask | undefined;
  /** Of classes alone. */
  readonly classification?: ClassificationFigures | undefined;
  /** Labels that have a box alone, where masks are judged. */
  readonly withoutOutline?: number | undefined;
  /** Labels that have no keypoint, where these are judged. */
  readonly withoutKeypoints?: number | undefined;
  /** What makes a detection right; undefined in an evaluation of an earlier version of Fovea. */
  readonly judgedBy?: string | undefined;
  readonly images: number;
  readonly unannotated: number;
  readonly unreadable: number;
  /** Labels that are possibly wrong; undefined: no one looked, in an earlier version of Fovea. */
  readonly mistakes?: number | undefined;
  /** Undefined: images were not kept by cell, in an earlier version of Fovea. */
  readonly hasConfusionsOfImages?: boolean | undefined;
  /** What the model found and is not judged as it was; undefined: nothing, or not known. */
  readonly modelLacks?: PredictionOmissions | undefined;
  /** What the model says of itself; undefined: none was run, or in an earlier version of Fovea. */
  readonly modelThresholds?: OwnThresholds | undefined;
  readonly unknown: UnknownNames | undefined;
  /** Undefined of a model that was run, and in an earlier version of Fovea. */
  readonly fit?: Fit | undefined;
}

type Panel = Partial<Answer<typeof evaluations.evaluations_get>>;

export interface Wanted {
  readonly class?: string | undefined;
  readonly limit: number;
  readonly offset: number;
}

/** The figures that lists show. */
export function describeFigures(kept: KeptFigures) {
  const { all, confidence, modelTask = 'detection', classification } = kept;
  const { ap, ap50 } = all.figures;
  const f1 = rounded(pointAt(all.sweep, confidence).f1);
  const warning = warningOf(kept);
  const { judgedBy, modelLacks, withoutOutline = 0, withoutKeypoints = 0 } = kept;
  const doubt = {
    ...(judgedBy !== undefined && { judgedBy }),
    ...(modelLacks && { modelLacks: { ...modelLacks } }),
    ...(withoutOutline > 0 && { withoutOutline }),
    ...(withoutKeypoints > 0 && { withoutKeypoints }),
    ...(warning !== undefined && { warning }),
  };
  if (modelTask === 'semantic') {
    const { meanIou, pixelAccuracy } = pixelsOf(kept);
    const figures = { meanIou: rounded(meanIou), pixelAccuracy: rounded(pixelAccuracy) };
    return { modelTask, confidence, ...figures, ...doubt };
  }
  if (classification !== undefined) {
    return { modelTask, confidence, accuracy: rounded(classification.accuracy), f1, ...doubt };
  }
  return { modelTask, confidence, ap: rounded(ap), ap50: rounded(ap50), f1, ...doubt };
}

/** Why the figures may say nothing of a model. */
export function warningOf(kept: KeptFigures): string | undefined {
  const { fit, detections, images, classes, each, unknown } = kept;
  const missing = classes.flatMap((name, place) => {
    const one = each[place];
    if (one === undefined || one.figures.groundTruths === 0) return [];
    const { truePositives, falsePositives } = pointAt(one.sweep, 0);
    return truePositives + falsePositives === 0 ? [{ name, labels: one.figures.groundTruths }] : [];
  });
  return (
    (fit && doubtOf(fit, detections, images)) ??
    (unknown && doubtOfClasses(missing, unknown.unknownClasses))
  );
}

export function summaryPanel(kept: KeptFigures): Panel {
  const { images, unannotated, unreadable, detections, confidence, all, unknown } = kept;
  const strangers = unknown && notJudged(unknown);
  const counts = {
    images,
    ...(unannotated > 0 && { unannotated }),
    ...(unreadable > 0 && { unreadable }),
    ...(strangers && { notJudged: strangers }),
    groundTruths: all.figures.groundTruths,
    detections,
  };
  if (kept.modelTask === 'semantic') return { ...counts, ...figuresOfPixels(kept) };
  const best = bestOf(all.sweep);
  return {
    ...counts,
    ...ownFigures(kept),
    point: describePoint(pointAt(all.sweep, confidence)),
    ...(best && { best: describePoint(best) }),
  };
}

/** Beside those that lists show. */
function ownFigures({ all, classification, modelTask }: KeptFigures): Panel {
  if (classification !== undefined) {
    const { precision, recall, f1 } = classification.macro;
    return {
      macro: { precision: rounded(precision), recall: rounded(recall), f1: rounded(f1) },
    };
  }
  const { ap75, ar1, ar10, ar100, ar50 = null, ar75 = null, small, medium, large } = all.figures;
  const recalls =
    modelTask === 'keypoints'
      ? { ar20: rounded(ar100), ar50: rounded(ar50), ar75: rounded(ar75) }
      : { ar1: rounded(ar1), ar10: rounded(ar10), ar100: rounded(ar100) };
  return {
    ap75: rounded(ap75),
    ...recalls,
    bySize: sizes({ small, medium, large }),
  };
}

/** The weakest first; classes without labels last. Throws `invalid_input` for sizes of classes. */
export function classesPanel(kept: KeptFigures, wanted: Wanted, withSizes: boolean): Panel {
  if (kept.modelTask === 'semantic') {
    if (withSizes) throw ofObjects('by_size');
    return pageOf(rowsOfPixels(kept), wanted, 'classes');
  }
  const isOfImages = kept.classification !== undefined;
  if (isOfImages && withSizes) {
    throw invalidArgument('panel', 'by_size is of objects: whole images are classified here');
  }
  const rows = kept.each.map((one, place) => {
    const name = kept.classes[place] ?? '';
    if (isOfImages) return classRow(name, one, kept.confidence);
    const { ap, ap50 } = one.figures;
    const row = { class: name, groundTruths: one.figures.groundTruths, ap: rounded(ap) };
    if (withSizes) return { ...row, ap50: rounded(ap50), bySize: sizes(one.figures) };
    return { ...row, ap50: rounded(ap50), ...classRow(name, one, kept.confidence) };
  });
  const worth = ({ ap, f1 }: { readonly ap?: Figure; readonly f1?: Figure }) =>
    (isOfImages ? f1 : ap) ?? 2;
  const sorted = rows.toSorted((one, other) => worth(one) - worth(other));
  const { small, medium, large } = kept.all.figures;
  return {
    ...(withSizes && { bySize: sizes({ small, medium, large }) }),
    ...pageOf(sorted, wanted, 'classes'),
  };
}

export function confusionPanel(kept: KeptFigures, wanted: Wanted): Panel {
  const labels = namesOfMatrix(kept);
  const errors = kept.confusions
    .filter(([truth, found]) => truth !== found)
    .toSorted(([, , one], [, , other]) => other - one)
    .map(([truth, found, count]) => ({
      truth: labels[truth] ?? '',
      found: labels[found] ?? '',
      count,
    }));
  const isShown = kept.classes.length <= limits.evaluationMatrixClassesMax;
  return {
    ...(isShown && { matrix: matrixOf(kept, labels) }),
    ...pageOf(errors, wanted, 'confusions'),
  };
}

/** The classes, and the background behind them. */
export function namesOfMatrix({ classes, classification }: KeptFigures): readonly string[] {
  return [...classes, nameBeside(classes, classification === undefined ? 'background' : 'none')];
}

/** In steps of 0.05, for all classes or one. */
export function sweepPanel(kept: KeptFigures, { class: name }: Wanted): Panel {
  if (kept.modelTask === 'semantic') throw ofObjects('confidence_sweep');
  const sweep = sweepFor(kept, name);
  const best = bestOf(sweep);
  return {
    points: pointsOf(sweep)
      .filter((_, percent) => percent % 5 === 0)
      .map(describePoint),
    ...(best && { best: describePoint(best) }),
  };
}

/** Throws as `placeOf`. */
export function sweepFor(kept: KeptFigures, name: string | undefined): Sweep {
  const chosen = name === undefined ? kept.all : kept.each[placeOf(kept, name)];
  return (chosen ?? kept.all).sweep;
}

/** Throws `invalid_input` for a class that is not judged. */
export function placeOf({ classes }: KeptFigures, name: string): number {
  const place = classes.indexOf(name);
  if (place >= 0) return place;
  throw invalidArgument('class', `is none of the labels: ${quotedNames(classes)}`);
}

function classRow(name: string, { figures, sweep }: ClassFigures, confidence: number) {
  const { precision, recall, f1 } = describePoint(pointAt(sweep, confidence));
  const bestConfidence = bestOf(sweep)?.confidence ?? null;
  return {
    class: name,
    groundTruths: figures.groundTruths,
    precision,
    recall,
    f1,
    bestConfidence,
  };
}

function matrixOf({ confusions }: KeptFigures, labels: readonly string[]) {
  const counts = labels.map(() => labels.map(() => 0));
  for (const [truth, found, count] of confusions) {
    const row = counts[truth];
    if (row !== undefined) row[found] = count;
  }
  return { labels: [...labels], counts };
}

/** A class may be called so. */
function nameBeside(classes: readonly string[], name: string): string {
  return classes.includes(name) ? `(${name})` : name;
}

function notJudged({ unknownImages, unknownClasses }: UnknownNames) {
  if (unknownImages.count === 0 && Object.keys(unknownClasses).length === 0) return undefined;
  return {
    ...(unknownImages.count > 0 && { ofUnknownImages: unknownImages }),
    ofUnknownClasses: unknownClasses,
  };
}

function pageOf<Name extends string, Row>(
  rows: readonly Row[],
  { offset, limit }: Wanted,
  name: Name,
) {
  const page = { [name]: rows.slice(offset, offset + limit) };
  return { total: rows.length, ...page };
}

function sizes({
  small,
  medium,
  large,
}: Readonly<Record<'small' | 'medium' | 'large', SizeFigures>>) {
  return Object.fromEntries(
    Object.entries({ small, medium, large }).map(([name, { ap, ar, groundTruths }]) => [
      name,
      { ap: rounded(ap), ar: rounded(ar), groundTruths },
    ]),
  );
}

function describePoint({ confidence, precision, recall, f1, ...counts }: SweepPoint) {
  const shares = { precision: rounded(precision), recall: rounded(recall), f1: rounded(f1) };
  return { confidence, ...shares, ...counts };
}
