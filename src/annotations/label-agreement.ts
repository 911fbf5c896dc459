// How far two people labelled the same images alike: F1 of objects that both have, and Cohen's
// kappa of their classes.

import type { Box } from '../imaging/box.ts';
import type { Annotation } from './annotation.ts';
import { edgesOf, overlapOf } from './box-geometry.ts';
import { labelsOf } from './serialized-annotation.ts';

/** `one` and `other`: objects that each person has; `both`: those that are the same. */
export interface AgreementCounts {
  readonly both: number;
  readonly one: number;
  readonly other: number;
}

/**
 * How far two objects are one, 0 to 1, whose boxes overlap by more than 0; undefined: it would take
 * too much.
 */
export type CompareBoxes = (one: Box, other: Box, overlapOfBoxes: number) => number | undefined;

/** Objects that overlap by less (IoU) are two. */
const sameObjectIou = 0.5;

/** Pairs of one image that are sorted: some 10 ms. Only boxes that lie on one heap have more. */
const candidatesMax = 10_000;

/**
 * Counts of many images. Objects are paired one to one, those of one class first, then the nearest;
 * an image of which both say that it is empty is agreed upon.
 */
export class LabelAgreement {
  readonly #classes = new Map<string, AgreementCounts>();
  /** How often a class of the one is a class of the other, where both have an object. */
  readonly #classPairs = new Map<string, Map<string, number>>();
  #overlaps = 0;
  #agreed = 0;
  /** Kappa is of one class an image; of several there is F1 alone. */
  #hasSeveral = false;

  /**
   * Counts one image, and tells how far the two agree there. Undefined: too many objects lie on
   * each other; nothing is counted.
   */
  add(
    one: Annotation,
    other: Annotation,
    compare: CompareBoxes = boxesAlone,
  ): AgreementCounts | undefined {
    const [mine, theirs] = [labelsOf(one), labelsOf(other)];
    const both =
      one.kind === 'detection' && other.kind === 'detection'
        ? this.#pairBoxes(one.boxes, other.boxes, compare)
        : this.#pairNames(mine, theirs);
    if (both === undefined) return undefined;
    for (const name of mine) this.#count(name, 'one');
    for (const name of theirs) this.#count(name, 'other');
    return { both, one: mine.length, other: theirs.length };
  }

  /** By class, the one with the least agreement first. */
  byClass(): readonly (AgreementCounts & { readonly class: string })[] {
    return [...this.#classes]
      .map(([name, counts]) => ({ class: name, ...counts }))
      .toSorted((some, others) => f1Of(some) - f1Of(others));
  }

  get total(): AgreementCounts {
    let [both, one, other] = [0, 0, 0];
    for (const counts of this.#classes.values()) {
      both += counts.both;
      one += counts.one;
      other += counts.other;
    }
    return { both, one, other };
  }

  /** Mean IoU of the objects that both have; undefined: none. */
  get meanIou(): number | undefined {
    return this.#agreed === 0 ? undefined : this.#overlaps / this.#agreed;
  }

  /**
   * Cohen's kappa of the classes: -1 to 1, 0 as by chance. Undefined: nothing is paired, there is
   * only one class, or images have several classes.
   */
  get kappa(): number | undefined {
    const rows = new Map<string, number>();
    const columns = new Map<string, number>();
    let [all, agreed] = [0, 0];
    for (const [one, row] of this.#classPairs) {
      for (const [other, count] of row) {
        all += count;
        if (one === other) agreed += count;
        rows.set(one, (rows.get(one) ?? 0) + count);
        columns.set(other, (columns.get(other) ?? 0) + count);
      }
    }
    let chance = 0;
    for (const [name, count] of rows) chance += count * (columns.get(name) ?? 0);
    // In whole numbers, so that agreement by chance alone is met exactly.
    if (this.#hasSeveral || chance === all * all) return undefined;
    return (agreed * all - chance) / (all * all - chance);
  }

  #pairBoxes(
    one: readonly Box[],
    other: readonly Box[],
    compare: CompareBoxes,
  ): number | undefined {
    const found = overlapping(one, other, compare);
    if (found === undefined || found.length > candidatesMax) return undefined;
    const candidates = found.toSorted(
      (some, others) => Number(others.isSame) - Number(some.isSame) || others.iou - some.iou,
    );
    const taken = new Set<Box>();
    let both = 0;
    for (const { mine, theirs, iou, isSame } of candidates) {
      if (taken.has(mine) || taken.has(theirs)) continue;
      taken.add(mine).add(theirs);
      this.#pairClasses(mine.label, theirs.label);
      if (!isSame) continue;
      this.#overlaps += iou;
      both += 1;
      this.#agreed += 1;
      this.#count(mine.label, 'both');
    }
    return both;
  }

  #pairNames(one: readonly string[], other: readonly string[]): number {
    if (one.length > 1 || other.length > 1) this.#hasSeveral = true;
    else this.#pairClasses(one[0] ?? '', other[0] ?? '');
    const both = one.filter((name) => other.includes(name));
    for (const name of both) this.#count(name, 'both');
    return both.length;
  }

  #pairClasses(one: string, other: string): void {
    const row = this.#classPairs.get(one) ?? new Map<string, number>();
    row.set(other, (row.get(other) ?? 0) + 1);
    this.#classPairs.set(one, row);
  }

  #count(name: string, member: keyof AgreementCounts): void {
    const known = this.#classes.get(name) ?? { both: 0, one: 0, other: 0 };
    this.#classes.set(name, { ...known, [member]: known[member] + 1 });
  }
}

/** F1 of objects: 0 to 1, whoever of the two is taken for the truth; 1 where neither has one. */
export function f1Of({ both, one, other }: AgreementCounts): number {
  return one + other === 0 ? 1 : (2 * both) / (one + other);
}

function boxesAlone(_one: Box, _other: Box, overlapOfBoxes: number): number {
  return overlapOfBoxes;
}

/**
 * Pairs that may be one object; somewhat more than the maximum where there are more. Undefined: to
 * compare them would take too much.
 */
function overlapping(one: readonly Box[], other: readonly Box[], compare: CompareBoxes) {
  const others = other.map((theirs) => ({ theirs, edges: edgesOf(theirs) }));
  const found = [];
  for (const mine of one) {
    const mineEdges = edgesOf(mine);
    for (const { theirs, edges } of others) {
      const boxes = overlapOf(mineEdges, edges);
      if (boxes === 0) continue;
      const iou = compare(mine, theirs, boxes);
      if (iou === undefined) return undefined;
      const isSame = mine.label === theirs.label;
      if (iou >= sameObjectIou) found.push({ mine, theirs, iou, isSame });
    }
    if (found.length > candidatesMax) break;
  }
  return found;
}
