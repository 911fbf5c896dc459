// Outlines of one image compared by the pixels that they cover, as evaluations do, with so little
// work that other requests need not wait.

import { limits } from '../../limits.ts';
import { type Mask, overlapOfMasks } from './mask.ts';
import { crossingsOf, maskOfOutline, type Size } from './mask-of-outline.ts';

/** x and y of each corner in pixels, one closed ring. */
export type OutlineNumbers = readonly number[];

/** Intersection over union of two of the outlines, 0 to 1; undefined: it would take too much. */
export type CompareOutlines = (one: OutlineNumbers, other: OutlineNumbers) => number | undefined;

/** Undefined: masks of so many corners, or of so large ones, would take too much. */
export function outlineComparison(
  outlines: readonly OutlineNumbers[],
): CompareOutlines | undefined {
  const size = sizeAround(outlines);
  if (size.width * size.height > pixelsMax) return undefined;
  let crossings = 0;
  for (const outline of outlines) {
    crossings += crossingsOf(outline, size);
    if (crossings > limits.maskCrossingsAtOnceMax) return undefined;
  }
  const masks = new Map<OutlineNumbers, Mask | undefined>();
  const maskOf = (outline: OutlineNumbers) => {
    const known = masks.get(outline);
    if (known !== undefined) return known;
    const mask = maskOfOutline(outline, size);
    masks.set(outline, mask);
    return mask;
  };
  let runs = 0;
  return (one, other) => {
    const [mine, theirs] = [maskOf(one), maskOf(other)];
    if (mine === undefined || theirs === undefined) return undefined;
    runs += (mine.runs.length + theirs.runs.length) / 2;
    if (runs > limits.maskComparedRunsAtOnceMax) return undefined;
    return overlapOfMasks(mine, theirs);
  };
}

/** Pixels have numbers of 32 bits. */
const pixelsMax = 2 ** 32 - 1;

function sizeAround(outlines: readonly OutlineNumbers[]): Size {
  let [width, height] = [1, 1];
  for (const outline of outlines) {
    for (let at = 0; at < outline.length; at += 2) {
      width = Math.max(width, Math.ceil(outline[at] ?? 0) + 1);
      height = Math.max(height, Math.ceil(outline[at + 1] ?? 0) + 1);
    }
  }
  return { width, height };
}
