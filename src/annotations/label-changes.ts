// What became of the labels of images: boxes that are new, gone, moved or renamed, by class.

import type { Box } from '../imaging/box.ts';
import type { Annotation } from './annotation.ts';
import { edgesOf, overlapOf } from './box-geometry.ts';
import { labelsOf } from './serialized-annotation.ts';

/**
 * Counted under the class of before, but `added` under its own. `moved`: in another place or shape;
 * `visibility`: in the same place, with keypoints that are hidden or shown now; `renamed`: of
 * another class now, by that class. A box can be several.
 */
export interface ChangesOfClass {
  readonly added?: number;
  readonly removed?: number;
  readonly moved?: number;
  readonly visibility?: number;
  readonly renamed?: Readonly<Record<string, number>>;
  /** To classes that are not told. */
  readonly renamedToOthers?: number;
}

interface Counts {
  added: number;
  removed: number;
  moved: number;
  visibility: number;
  readonly renamed: Map<string, number>;
}

/** Counts of many images. */
export class LabelChanges {
  readonly #classes = new Map<string, Counts>();

  /**
   * Undefined: the image has no annotation. Says whether anything has changed: an image without
   * one that is now marked as empty has, though no label is new.
   */
  add(before: Annotation | undefined, after: Annotation | undefined): boolean {
    const isOther =
      before?.kind === 'classification' || after?.kind === 'classification'
        ? this.#addNames(namesOf(before), namesOf(after))
        : this.#addBoxes(before?.boxes ?? [], after?.boxes ?? []);
    return isOther || (before === undefined) !== (after === undefined);
  }

  /** Those with most changes, without counts of 0, and as many of the classes they became. */
  byClass(classesMax = Number.POSITIVE_INFINITY): Readonly<Record<string, ChangesOfClass>> {
    const most = [...this.#classes].toSorted(
      ([, one], [, other]) => changesIn(other) - changesIn(one),
    );
    return Object.fromEntries(
      most.slice(0, classesMax).map(([name, each]) => [name, told(each, classesMax)]),
    );
  }

  get classCount(): number {
    return this.#classes.size;
  }

  #addNames(before: readonly string[], after: readonly string[]): boolean {
    const removed = before.filter((name) => !after.includes(name));
    const added = after.filter((name) => !before.includes(name));
    for (const name of removed) this.#of(name).removed += 1;
    for (const name of added) this.#of(name).added += 1;
    return removed.length + added.length > 0;
  }

  #addBoxes(before: readonly Box[], after: readonly Box[]): boolean {
    const [gone, come] = withoutEqual(before, after);
    const isAny = gone.length + come.length > 0;
    // What stands where it stood is the same object, whatever its class.
    const places = come.map(placeOf);
    const elsewhere = gone.filter((box) => {
      const index = places.indexOf(placeOf(box));
      if (index < 0) return true;
      places.splice(index, 1);
      this.#count(box, come.splice(index, 1)[0], false);
      return false;
    });
    const renamed = this.#pair(elsewhere, come, (one, other) => one.label === other.label);
    const removed = this.#pair(renamed, come, () => true);
    for (const { label } of removed) this.#of(label).removed += 1;
    for (const { label } of come) this.#of(label).added += 1;
    return isAny;
  }

  /** Takes out of `come` what a box became that is gone; gives those that became nothing. */
  #pair(
    gone: readonly Box[],
    come: Box[],
    isWanted: (one: Box, other: Box) => boolean,
  ): readonly Box[] {
    return gone.filter((box) => {
      const edges = edgesOf(box);
      let [best, nearest] = [sameMin, -1];
      for (const [index, other] of come.entries()) {
        const overlap = isWanted(box, other) ? overlapOf(edges, edgesOf(other)) : 0;
        if (overlap > best || (overlap === best && nearest < 0)) [best, nearest] = [overlap, index];
      }
      if (nearest >= 0) this.#count(box, come.splice(nearest, 1)[0], true);
      return nearest < 0;
    });
  }

  #count(before: Box, after: Box | undefined, hasMoved: boolean): void {
    const counts = this.#of(before.label);
    if (hasMoved) counts.moved += 1;
    if (after === undefined) return;
    if (!hasMoved && visibilityOf(before) !== visibilityOf(after)) counts.visibility += 1;
    if (after.label === before.label) return;
    counts.renamed.set(after.label, (counts.renamed.get(after.label) ?? 0) + 1);
  }

  #of(label: string): Counts {
    const known = this.#classes.get(label);
    if (known !== undefined) return known;
    const renamed = new Map<string, number>();
    const counts = { added: 0, removed: 0, moved: 0, visibility: 0, renamed };
    this.#classes.set(label, counts);
    return counts;
  }
}

/** Boxes that overlap less are two objects. */
const sameMin = 0.5;

function changesIn({ added, removed, moved, visibility, renamed }: Counts): number {
  return added + removed + moved + visibility + sumOf([...renamed.values()]);
}

function sumOf(counts: readonly number[]): number {
  return counts.reduce((sum, n) => sum + n, 0);
}

function told(counts: Counts, classesMax: number): ChangesOfClass {
  const { added, removed, moved, visibility, renamed } = counts;
  const most = [...renamed].toSorted(([, one], [, other]) => other - one);
  const renamedToOthers = sumOf(most.slice(classesMax).map(([, n]) => n));
  return {
    ...(added > 0 && { added }),
    ...(removed > 0 && { removed }),
    ...(moved > 0 && { moved }),
    ...(visibility > 0 && { visibility }),
    ...(most.length > 0 && { renamed: Object.fromEntries(most.slice(0, classesMax)) }),
    ...(renamedToOthers > 0 && { renamedToOthers }),
  };
}

function namesOf(annotation: Annotation | undefined): readonly string[] {
  return annotation === undefined ? [] : labelsOf(annotation);
}

/** Without those that both have, whatever their order. */
function withoutEqual(before: readonly Box[], after: readonly Box[]): [readonly Box[], Box[]] {
  const known = new Map<string, number>();
  for (const box of before) known.set(wordOf(box), (known.get(wordOf(box)) ?? 0) + 1);
  const take = (box: Box) => {
    const times = known.get(wordOf(box)) ?? 0;
    known.set(wordOf(box), times - 1);
    return times > 0;
  };
  const come = after.filter((box) => !take(box));
  const gone = before.filter((box) => take(box));
  return [gone, come];
}

function wordOf(box: Box): string {
  return JSON.stringify(box.label) + placeOf(box) + visibilityOf(box);
}

/** Place and shape in hundredths of a pixel, as the page and files write them. */
function placeOf({ x, y, width, height, points, keypoints }: Box): string {
  const place = [x, y, width, height].map(hundredths).join();
  if (points === undefined && keypoints === undefined) return place;
  const places = keypoints?.map((keypoint) => [keypoint.label, keypoint.x, keypoint.y]);
  return place + JSON.stringify([points, places], (_name, value) => hundredths(value));
}

function visibilityOf({ keypoints = [] }: Box): string {
  return keypoints.map(({ visibility }) => visibility).join();
}

function hundredths(value: unknown): unknown {
  return typeof value === 'number' ? Math.round(value * 100) / 100 : value;
}
