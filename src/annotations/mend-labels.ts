// Mends the labels of an image by mistakes that were found, and takes such mends back: a class is
// replaced, a box is moved, added or removed.

import type { LabelMistakeKind } from '../contract/evaluations.ts';
import type { Box } from '../imaging/box.ts';
import { edgesOf, overlapOf } from './box-geometry.ts';

/** A mistake as it is kept: the label, and what is there instead. */
export interface Mend {
  readonly kind: LabelMistakeKind;
  /** Undefined where no label is. */
  readonly label: Box | undefined;
  readonly instead: Box;
}

export interface Mended {
  readonly boxes: readonly Box[];
  readonly mended: number;
  /** The label is another one by now, or mended already. */
  readonly changed: number;
  /** A label with an outline or keypoints, which say more than a box. */
  readonly outlined: number;
}

/** With `undo`, labels that were mended so get what they were before. */
export function mendLabels(boxes: readonly Box[], mends: readonly Mend[], undo: boolean): Mended {
  const now = [...boxes];
  const counts = { mended: 0, changed: 0, outlined: 0 };
  for (const mend of mends) counts[mendOne(now, mend, undo)] += 1;
  return { boxes: now, ...counts };
}

type Outcome = 'mended' | 'changed' | 'outlined';

/** Changes `now`. */
function mendOne(now: Box[], { kind, label, instead }: Mend, undo: boolean): Outcome {
  if (kind === 'overlooked') return undo ? remove(now, instead) : add(now, instead);
  if (label === undefined) return 'changed';
  if (kind === 'duplicate') {
    const kept = isSame(label, instead) ? 1 : 0;
    if (undo) return countOf(now, label) > kept ? 'changed' : put(now, label);
    return countOf(now, label) > kept && countOf(now, instead) > 0 ? remove(now, label) : 'changed';
  }
  const right = kind === 'swapped' ? { ...label, label: instead.label } : instead;
  return undo ? replace(now, right, label) : replace(now, label, right);
}

/** Not where a label of its class is by now. */
function add(now: Box[], box: Box): Outcome {
  const isThere = now.some(
    (one) => one.label === box.label && overlapOf(edgesOf(one), edgesOf(box)) >= samePlace,
  );
  return isThere ? 'changed' : put(now, box);
}

/** As for mistakes of the kind "overlooked". */
const samePlace = 0.5;

function put(now: Box[], box: Box): Outcome {
  now.push(box);
  return 'mended';
}

function remove(now: Box[], box: Box): Outcome {
  const place = now.findLastIndex((one) => isSame(one, box));
  if (place < 0) return 'changed';
  if (isOutlined(now[place])) return 'outlined';
  now.splice(place, 1);
  return 'mended';
}

function replace(now: Box[], box: Box, by: Box): Outcome {
  const place = now.findIndex((one) => isSame(one, box));
  const there = now[place];
  if (there === undefined) return 'changed';
  const { label, x, y, width, height } = by;
  if (label !== box.label) now[place] = { ...there, label };
  else if (isOutlined(there)) return 'outlined';
  else now[place] = { label, x, y, width, height };
  return 'mended';
}

function countOf(now: readonly Box[], box: Box): number {
  return now.filter((one) => isSame(one, box)).length;
}

function isSame(one: Box, other: Box): boolean {
  const sides = ['x', 'y', 'width', 'height'] as const;
  return (
    one.label === other.label && sides.every((side) => Math.abs(one[side] - other[side]) < noise)
  );
}

/** Pixels: what is kept of a mistake is rounded. */
const noise = 0.001;

function isOutlined(box: Box | undefined): boolean {
  return box?.points !== undefined || box?.keypoints !== undefined;
}
