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
  /** Where it was mended before, in the list of labels; undefined: it was not. */
  readonly mendedPlace: number | undefined;
  /** Whether nobody has saved labels of the image since it was mended. */
  readonly isAsMended: boolean;
}

export interface Mended {
  readonly boxes: readonly Box[];
  /** In the order of the mends. */
  readonly outcomes: readonly MendOutcome[];
}

/** A number: mended, at this place of the list of labels. */
export type MendOutcome = number | MendLeft;

/** Why a label is left as it is. */
type MendLeft =
  /** What the mistake was found by is another by now; with `undo`: somebody saved labels since. */
  | 'changed'
  /** It was mended before, and somebody has put it back since. */
  | 'reverted'
  /** A label with an outline or keypoints, which say more than a box. */
  | 'outlined'
  /** It is so as it would be mended; with `undo`: as it was before, or it was never mended. */
  | 'already';

export type MendCounts = Record<MendLeft | 'mended', number>;

export interface MendSettings {
  /** Labels that were mended, and that nobody saved since, get what they were before. */
  readonly undo: boolean;
  /** But for these mends. Else no label is added: somebody has looked at the image since. */
  readonly isAsJudged: boolean;
}

export function countMends(outcomes: readonly MendOutcome[]): MendCounts {
  const counts = { mended: 0, changed: 0, reverted: 0, outlined: 0, already: 0 };
  for (const outcome of outcomes) counts[typeof outcome === 'number' ? 'mended' : outcome] += 1;
  return counts;
}

export function mendLabels(
  boxes: readonly Box[],
  mends: readonly Mend[],
  settings: MendSettings,
): Mended {
  const { now, outcomes } = mendEach(boxes, mends, settings, mendOne);
  return { boxes: now, outcomes };
}

/**
 * `mendOne` changes the list that it gets. The last mend is taken back first: then each finds the
 * list as it left it.
 */
export function mendEach<Label, Each extends Pick<Mend, 'mendedPlace' | 'isAsMended'>>(
  labels: readonly Label[],
  mends: readonly Each[],
  settings: MendSettings,
  mendOne: (now: Label[], mend: Each, settings: MendSettings) => MendOutcome,
): { readonly now: readonly Label[]; readonly outcomes: readonly MendOutcome[] } {
  let now = labels;
  const inTurn = settings.undo ? mends.toReversed() : mends;
  const outcomes = inTurn.map((mend) => {
    const wasMended = mend.mendedPlace !== undefined;
    if (settings.undo && !wasMended) return 'already';
    const next = [...now];
    const outcome = mendOne(next, mend, settings);
    if (typeof outcome === 'number') {
      if (!settings.undo && wasMended) return 'reverted';
      if (settings.undo && !mend.isAsMended) return 'changed';
    }
    now = next;
    return outcome;
  });
  return { now, outcomes: settings.undo ? outcomes.toReversed() : outcomes };
}

/** Changes `now`. */
function mendOne(
  now: Box[],
  { kind, label, instead, mendedPlace }: Mend,
  { undo, isAsJudged }: MendSettings,
): MendOutcome {
  if (kind === 'overlooked') return undo ? remove(now, instead) : add(now, instead, isAsJudged);
  if (label === undefined) return 'changed';
  if (kind === 'duplicate') {
    const isDouble = countOf(now, label) > (isSame(label, instead) ? 1 : 0);
    if (undo && isDouble) return 'already';
    if (undo) return isAsJudged ? put(now, label, mendedPlace) : 'changed';
    if (countOf(now, instead) === 0) return 'changed';
    return isDouble ? remove(now, label) : 'already';
  }
  const right = kind === 'swapped' ? { ...label, label: instead.label } : instead;
  return undo ? replace(now, right, label) : replace(now, label, right);
}

/** Not where a label of its class is by now. */
function add(now: Box[], box: Box, isAsJudged: boolean): MendOutcome {
  if (countOf(now, box) > 0) return 'already';
  const isThere = now.some(
    (one) => one.label === box.label && overlapOf(edgesOf(one), edgesOf(box)) >= samePlace,
  );
  return isThere || !isAsJudged ? 'changed' : put(now, box);
}

/** As for mistakes of the kind "overlooked". */
const samePlace = 0.5;

function put(now: Box[], box: Box, place = now.length): MendOutcome {
  now.splice(place, 0, box);
  return Math.min(place, now.length - 1);
}

function remove(now: Box[], box: Box): MendOutcome {
  const place = now.findLastIndex((one) => isSame(one, box));
  if (place < 0) return 'already';
  if (isOutlined(now[place])) return 'outlined';
  now.splice(place, 1);
  return place;
}

function replace(now: Box[], box: Box, by: Box): MendOutcome {
  const place = now.findIndex((one) => isSame(one, box));
  const there = now[place];
  if (there === undefined) return countOf(now, by) > 0 ? 'already' : 'changed';
  const { label, x, y, width, height } = by;
  if (label !== box.label) now[place] = { ...there, label };
  else if (isOutlined(there)) return 'outlined';
  else now[place] = { label, x, y, width, height };
  return place;
}

function countOf(now: readonly Box[], box: Box): number {
  return now.filter((one) => isSame(one, box)).length;
}

export function isSame(one: Box, other: Box): boolean {
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
