// Boxes of one image that say the same twice: one class in nearly the same place.

import type { Box } from '../imaging/box.ts';
import { limits } from '../limits.ts';
import { type Edges, edgesOf, overlapOf } from './box-geometry.ts';

interface Placed extends Edges {
  /** In the list of the image. */
  readonly place: number;
  readonly label: string;
}

/**
 * The places of boxes that repeat one before them. Each is compared with the next ones to the
 * right, `duplicateBoxNeighboursMax` at most: two that are one lie beside each other there.
 */
export function duplicateBoxes(boxes: readonly Box[]): ReadonlySet<number> {
  const sorted = boxes
    .map((box, place): Placed => ({ place, label: box.label, ...edgesOf(box) }))
    .filter(({ left, right, top, bottom }) => right > left && bottom > top)
    .toSorted((one, other) => one.left - other.left);
  const repeated = new Set<number>();
  for (const [at, box] of sorted.entries()) {
    // Farther to the right no box shares enough of its width.
    const leftMax = box.right - (box.right - box.left) * limits.duplicateBoxOverlapMin;
    for (const other of sorted.slice(at + 1, at + 1 + limits.duplicateBoxNeighboursMax)) {
      if (other.left > leftMax) break;
      if (other.label !== box.label) continue;
      if (overlapOf(box, other) < limits.duplicateBoxOverlapMin) continue;
      repeated.add(Math.max(box.place, other.place));
    }
  }
  return repeated;
}
