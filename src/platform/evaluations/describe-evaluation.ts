// What is kept of an evaluation, as the panels of evaluations_get show it.

import type { evaluations, JudgedTask } from '../../contract/evaluations.ts';
import type { Answer } from '../../contract/operation.ts';
import { invalidArgument } from '../../errors.ts';
import { rounded, type SizeFigures } from '../../evaluation/average-precision.ts';
import {
  bestOf,
  pointAt,
  pointsOf,
  type Sweep,
  type SweepPoint,
} from '../../evaluation/confidence-sweep.ts';
import type { ClassFigures, EvaluationFigures } from '../../evaluation/evaluation.ts';
import type { Predictions } from '../../evaluation/read-predictions.ts';
import { limits } from '../../limits.ts';
import { quotedNames } from '../../quoted-name.ts';

export interface KeptFigures extends EvaluationFigures {
  /** Undefined in an evaluation of an earlier version of Fovea: boxes. */
  readonly modelTask?: JudgedTask | undefined;
  /** Labels that have a box alone, where masks are judged. */
  readonly withoutOutline?: number | undefined;
  readonly images: number;
  readonly unannotated: number;
  readonly unreadable: number;
  /** Labels that are possibly wrong; undefined: no one looked, in an earlier version of Fovea. */
  readonly mistakes?: number | undefined;
  readonly unknown: Omit<Predictions, 'detections'> | undefined;
}

type Panel = Partial<Answer<typeof evaluations.evaluations_get>>;

export interface Wanted {
  readonly class?: string | undefined;
  readonly limit: number;
  readonly offset: number;
}

/** The figures that lists show. */
export function describeFigures({ all, confidence, modelTask = 'detection' }: KeptFigures) {
  const { ap, ap50 } = all.figures;
  return {
    modelTask,
    confidence,
    ap: rounded(ap),
    ap50: rounded(ap50),
    f1: rounded(pointAt(all.sweep, confidence).f1),
  };
}

export function summaryPanel(kept: KeptFigures): Panel {
  const { withoutOutline = 0 } = kept;
  const { images, unannotated, unreadable, detections, confidence, all, unknown } = kept;
  const { groundTruths, ap75, ar1, ar10, ar100, small, medium, large } = all.figures;
  const best = bestOf(all.sweep);
  const strangers = unknown && notJudged(unknown);
  return {
    images,
    ...(unannotated > 0 && { unannotated }),
    ...(withoutOutline > 0 && { withoutOutline }),
    ...(unreadable > 0 && { unreadable }),
    groundTruths,
    detections,
    ap75: rounded(ap75),
    ar1: rounded(ar1),
    ar10: rounded(ar10),
    ar100: rounded(ar100),
    bySize: sizes({ small, medium, large }),
    point: describePoint(pointAt(all.sweep, confidence)),
    ...(best && { best: describePoint(best) }),
    ...(strangers && { notJudged: strangers }),
  };
}

/** The weakest first; classes without labels last. */
export function classesPanel(kept: KeptFigures, wanted: Wanted, withSizes: boolean): Panel {
  const rows = kept.each.map((one, place) =>
    describeClass(kept.classes[place] ?? '', one, kept.confidence, withSizes),
  );
  const worth = ({ ap }: { readonly ap: number | null }) => ap ?? 2;
  const sorted = rows.toSorted((one, other) => worth(one) - worth(other));
  const { small, medium, large } = kept.all.figures;
  return {
    ...(withSizes && { bySize: sizes({ small, medium, large }) }),
    ...pageOf(sorted, wanted, 'classes'),
  };
}

export function confusionPanel(kept: KeptFigures, wanted: Wanted): Panel {
  const labels = [...kept.classes, backgroundBeside(kept.classes)];
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

/** In steps of 0.05, for all classes or one. */
export function sweepPanel(kept: KeptFigures, { class: name }: Wanted): Panel {
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

function describeClass(
  name: string,
  { figures, sweep }: ClassFigures,
  confidence: number,
  withSizes: boolean,
) {
  const { groundTruths, ap, ap50, small, medium, large } = figures;
  const { precision, recall, f1 } = describePoint(pointAt(sweep, confidence));
  const row = { class: name, groundTruths, ap: rounded(ap), ap50: rounded(ap50) };
  if (withSizes) return { ...row, bySize: sizes({ small, medium, large }) };
  return { ...row, precision, recall, f1, bestConfidence: bestOf(sweep)?.confidence ?? null };
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
function backgroundBeside(classes: readonly string[]): string {
  return classes.includes('background') ? '(background)' : 'background';
}

function notJudged({ unknownImages, unknownClasses }: Omit<Predictions, 'detections'>) {
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

function sizes(of: Readonly<Record<'small' | 'medium' | 'large', SizeFigures>>) {
  return Object.fromEntries(
    Object.entries(of).map(([name, { ap, ar, groundTruths }]) => [
      name,
      { ap: rounded(ap), ar: rounded(ar), groundTruths },
    ]),
  );
}

function describePoint({ confidence, precision, recall, f1, ...counts }: SweepPoint) {
  const shares = { precision: rounded(precision), recall: rounded(recall), f1: rounded(f1) };
  return { confidence, ...shares, ...counts };
}
