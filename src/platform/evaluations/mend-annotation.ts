// The annotation of an image, mended by the mistakes that an evaluation found in it.

import type { Annotation } from '../../annotations/annotation.ts';
import { mendClasses } from '../../annotations/mend-classes.ts';
import {
  isSame,
  type Mend,
  type MendOutcome,
  type MendSettings,
  mendLabels,
} from '../../annotations/mend-labels.ts';
import type { Box } from '../../imaging/box.ts';
import { limits } from '../../limits.ts';
import type { KeptMistake } from '../store/evaluations.ts';

/** A mistake, beside the labels that an image has now. */
export interface PresentMistake extends KeptMistake {
  readonly isAsMended: boolean;
}

export interface MendedAnnotation {
  readonly annotation: Annotation;
  /** In the order of the mistakes. */
  readonly outcomes: readonly MendOutcome[];
}

export function mendAnnotation(
  annotation: Annotation,
  mistakes: readonly PresentMistake[],
  settings: MendSettings,
): MendedAnnotation {
  if (annotation.kind === 'classification') {
    const { labels, outcomes } = mendClasses(annotation.labels, mistakes, settings);
    return { annotation: { kind: 'classification', labels }, outcomes };
  }
  const { boxes, outcomes } = mendLabels(annotation.boxes, mistakes.map(mendOf), settings);
  return { annotation: { kind: 'detection', boxes }, outcomes };
}

/**
 * Whether the labels are those that were judged, but for mends by these mistakes. `judged`: what is
 * kept of the image, as JSON.
 */
export function isAsJudged(
  annotation: Annotation,
  judged: string,
  mistakes: readonly KeptMistake[],
): boolean {
  const { labelled } = JSON.parse(judged);
  const before: readonly Box[] = Array.isArray(labelled) ? labelled : [];
  const mended = mistakes.map((one) => ({ ...one, isAsMended: true }));
  const undone = mendAnnotation(annotation, mended, { undo: true, isAsJudged: true });
  return [annotation, undone.annotation].some((one) => areThese(one, before));
}

/** What became of a mistake in the labels of now; undefined: it is there as it was found. */
export function sinceFound(
  annotation: Annotation | undefined,
  mistake: KeptMistake,
): 'mended' | 'changed' | undefined {
  if (annotation === undefined) return 'changed';
  const never = { ...mistake, mendedPlace: undefined, isAsMended: false };
  const { outcomes } = mendAnnotation(annotation, [never], { undo: false, isAsJudged: true });
  if (outcomes[0] === 'already') return 'mended';
  return outcomes[0] === 'changed' ? 'changed' : undefined;
}

/** Of an image with very many labels, only some are kept. */
function areThese(annotation: Annotation, judged: readonly Box[]): boolean {
  const isWhole = judged.length < limits.drawnBoxesMax;
  if (annotation.kind === 'classification') {
    const { labels } = annotation;
    if (isWhole && labels.length !== judged.length) return false;
    return judged.every(({ label }) => labels.includes(label));
  }
  const { boxes } = annotation;
  if (isWhole && boxes.length !== judged.length) return false;
  const left = [...boxes];
  return judged.every((one) => {
    const place = left.findIndex((other) => isSame(one, other));
    if (place >= 0) left.splice(place, 1);
    return place >= 0;
  });
}

function mendOf({ kind, boxes, mendedPlace, isAsMended }: PresentMistake): Mend {
  const { labelBox, box } = JSON.parse(boxes);
  return { kind, label: labelBox, instead: box, mendedPlace, isAsMended };
}
