// What became of the labels of an image: boxes that are new, gone, moved or renamed, by class.

import type { Box } from '../imaging/box.ts';
import type { Annotation } from './annotation.ts';
import { edgesOf, overlapOf } from './box-geometry.ts';
import { labelsOf } from './serialized-annotation.ts';

/** `moved`: in another place or shape; `renamed`: of another class before, counted under that. */
export interface ChangesOfClass {
  readonly added: number;
  readonly removed: number;
  readonly moved: number;
  readonly renamed: number;
}

type Change = keyof ChangesOfClass;

/** Counts of many images. */
export class LabelChanges {
  readonly #classes = new Map<string, ChangesOfClass>();

  /** Undefined: the image has no annotation. */
  add(before: Annotation | undefined, after: Annotation | undefined): void {
    if (before?.kind === 'classification' || after?.kind === 'classification') {
      this.#addNames(namesOf(before), namesOf(after));
    } else this.#addBoxes(before?.boxes ?? [], after?.boxes ?? []);
  }

  /** By class, in the order in which they came. */
  byClass(): Readonly<Record<string, ChangesOfClass>> {
    return Object.fromEntries(this.#classes);
  }

  #addNames(before: readonly string[], after: readonly string[]): void {
    for (const name of before) if (!after.includes(name)) this.#count(name, 'removed');
    for (const name of after) if (!before.includes(name)) this.#count(name, 'added');
  }

  #addBoxes(before: readonly Box[], after: readonly Box[]): void {
    const [gone, come] = withoutEqual(before, after);
    const isClass = (one: Box, other: Box) => one.label === other.label;
    const stillGone = this.#pair(gone, come, isClass, 'moved');
    const removed = this.#pair(stillGone, come, () => true, 'renamed');
    for (const { label } of removed) this.#count(label, 'removed');
    for (const { label } of come) this.#count(label, 'added');
  }

  /** Takes out of `come` what a box became that is gone; gives those that became nothing. */
  #pair(
    gone: readonly Box[],
    come: Box[],
    isWanted: (one: Box, other: Box) => boolean,
    change: Change,
  ): readonly Box[] {
    return gone.filter((box) => {
      const place = come.findIndex(
        (other) => isWanted(box, other) && overlapOf(edgesOf(box), edgesOf(other)) >= sameMin,
      );
      if (place < 0) return true;
      come.splice(place, 1);
      this.#count(box.label, change);
      return false;
    });
  }

  #count(label: string, change: Change): void {
    const known = this.#classes.get(label) ?? { added: 0, removed: 0, moved: 0, renamed: 0 };
    this.#classes.set(label, { ...known, [change]: known[change] + 1 });
  }
}

/** Boxes that overlap less are two objects. */
const sameMin = 0.5;

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

/** In hundredths of a pixel, as the page and files write them. */
function wordOf({ label, x, y, width, height, points, keypoints }: Box): string {
  const parts = [label, x, y, width, height, points, keypoints];
  return JSON.stringify(parts, (_name, value: unknown) =>
    typeof value === 'number' ? Math.round(value * 100) / 100 : value,
  );
}
