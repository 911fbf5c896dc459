// Compares what a model found with the labels: outlines by the pixels that they cover, as
// evaluations do, else boxes.

import {
  type OutlineNumbers,
  outlineComparison,
} from '../../src/evaluation/masks/compare-outlines.ts';
import { asRecord } from '../../src/json-object.ts';

export interface LabelledBox {
  readonly label: string;
  /** The centre, in pixels. */
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  /** As the platform says them: pairs, or objects of x and y. */
  readonly points?: unknown;
  readonly keypoints?: unknown;
}

/** What was compared; with `some_outlines`, boxes where one of the two has a box alone. */
export type ComparedBy = 'boxes' | 'outlines' | 'some_outlines';

export interface FoundBox extends LabelledBox {
  readonly confidence: number;
}

export interface Matches {
  readonly labelled: number;
  /** Of the labelled ones: those that an object of their class overlaps by at least half. */
  readonly matched: number;
  readonly missed: number;
  /** Found objects that match none. */
  readonly extra: number;
  /** Undefined: there are boxes alone. */
  readonly compared_by?: ComparedBy;
}

/** The surest object takes the label that it overlaps most; each label is taken once. */
export function matchBoxes(found: readonly FoundBox[], truth: readonly LabelledBox[]): Matches {
  const outlines = outlinesOf([...found, ...truth]);
  const compared = comparedBy(found, truth, outlines);
  if (compared === undefined) return match(found, truth, overlapOf);
  const byOutlines = compared === 'boxes' ? undefined : matchOutlines(found, truth, outlines);
  if (byOutlines !== undefined) return { ...byOutlines, compared_by: compared };
  return { ...match(found, truth, overlapOf), compared_by: 'boxes' };
}

/** Undefined: it would take too much. */
function matchOutlines(
  found: readonly FoundBox[],
  truth: readonly LabelledBox[],
  outlines: Outlines,
): Matches | undefined {
  const compare = outlineComparison([...outlines.values()]);
  if (compare === undefined) return undefined;
  let isTooMuch = false;
  const matches = match(found, truth, (one, other) => {
    const boxes = overlapOf(one, other);
    const [mine, theirs] = [outlines.get(one), outlines.get(other)];
    if (boxes === 0 || isTooMuch || mine === undefined || theirs === undefined) return boxes;
    const masks = compare(mine, theirs);
    isTooMuch = masks === undefined;
    return masks ?? boxes;
  });
  return isTooMuch ? undefined : matches;
}

type Outlines = ReadonlyMap<LabelledBox, OutlineNumbers>;

type Overlap = (found: LabelledBox, truth: LabelledBox) => number;

function match(
  found: readonly FoundBox[],
  truth: readonly LabelledBox[],
  overlap: Overlap,
): Matches {
  const free = new Set(truth);
  let matched = 0;
  for (const box of found.toSorted((a, b) => b.confidence - a.confidence)) {
    const best = [...free]
      .filter(({ label }) => label === box.label)
      .map((one) => ({ one, share: overlap(box, one) }))
      .toSorted((a, b) => b.share - a.share)[0];
    if (best === undefined || best.share < overlapMin) continue;
    free.delete(best.one);
    matched += 1;
  }
  const { length: labelled } = truth;
  return { labelled, matched, missed: labelled - matched, extra: found.length - matched };
}

function comparedBy(
  found: readonly FoundBox[],
  truth: readonly LabelledBox[],
  outlines: Outlines,
): ComparedBy | undefined {
  const all = [...found, ...truth];
  const isShape = ({ points, keypoints }: LabelledBox) => Boolean(points ?? keypoints);
  if (!all.some(isShape)) return undefined;
  if (all.every((one) => outlines.has(one))) return 'outlines';
  const has = (one: LabelledBox) => outlines.has(one);
  return found.some(has) && truth.some(has) ? 'some_outlines' : 'boxes';
}

function outlinesOf(all: readonly LabelledBox[]): Outlines {
  const outlines = new Map<LabelledBox, OutlineNumbers>();
  for (const one of all) {
    const points: readonly unknown[] = Array.isArray(one.points) ? one.points : [];
    const numbers = points.flatMap(numbersOf);
    if (points.length > 2 && numbers.length === 2 * points.length) outlines.set(one, numbers);
  }
  return outlines;
}

function numbersOf(point: unknown): readonly number[] {
  const { x, y } = asRecord(point);
  const pair: readonly unknown[] = Array.isArray(point) ? point : [x, y];
  return pair.filter(isCoordinate);
}

function isCoordinate(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}

/** Pairs of boxes that overlap by at least half, of whichever class: often one object twice. */
export function overlappingPairs(found: readonly LabelledBox[]): number {
  let pairs = 0;
  for (const [index, box] of found.entries()) {
    for (const other of found.slice(index + 1)) if (overlapOf(box, other) >= overlapMin) pairs += 1;
  }
  return pairs;
}

const overlapMin = 0.5;

/** The share of the area of both that they have in common, 0 to 1. */
function overlapOf(a: LabelledBox, b: LabelledBox): number {
  const along = (from: number, long: number, at: number, wide: number) =>
    Math.max(
      0,
      Math.min(from + long / 2, at + wide / 2) - Math.max(from - long / 2, at - wide / 2),
    );
  const common = along(a.x, a.width, b.x, b.width) * along(a.y, a.height, b.y, b.height);
  const all = a.width * a.height + b.width * b.height - common;
  return all > 0 ? common / all : 0;
}
