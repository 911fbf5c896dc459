// Outlines as pixels.

import type { Point } from '../imaging/box.ts';

/** One byte a pixel, row by row from the top. */
export interface Mask {
  readonly data: Uint8Array;
  readonly width: number;
  readonly height: number;
}

/**
 * Sets the pixels whose centre lies within the outline, by the even-odd rule. A centre on a left or
 * upper edge is within, on a right or lower edge it is not, so that shapes that touch share no
 * pixel. What lies beyond the mask is left out.
 */
export function fillOutline(mask: Mask, points: readonly Point[], value: number): void {
  for (const [row, crossings] of crossingsOf(mask, points)) {
    const inOrder = crossings.toSorted((a, b) => a - b);
    for (let at = 0; at + 1 < inOrder.length; at += 2) {
      const from = firstCentre(inOrder[at] ?? 0, mask.width);
      const to = firstCentre(inOrder[at + 1] ?? 0, mask.width);
      mask.data.fill(value, row * mask.width + from, row * mask.width + Math.max(from, to));
    }
  }
}

/** How often the edges of the outline cross rows of pixels: what filling it costs. */
export function countCrossings({ height }: Mask, points: readonly Point[]): number {
  return points.reduce((sum, [, y], index) => {
    const [, before] = points.at(index - 1) ?? [0, y];
    return sum + Math.abs(firstCentre(y, height) - firstCentre(before, height));
  }, 0);
}

/** For each row of pixels, where the outline crosses the line through their centres. */
function crossingsOf({ height }: Mask, points: readonly Point[]): ReadonlyMap<number, number[]> {
  const rows = new Map<number, number[]>();
  for (const [index, point] of points.entries()) {
    const next = points[(index + 1) % points.length] ?? point;
    // The same figures whichever way the edge runs: two shapes may share it.
    const [upper, lower] = point[1] < next[1] ? [point, next] : [next, point];
    const slope = (lower[0] - upper[0]) / (lower[1] - upper[1]);
    const end = firstCentre(lower[1], height);
    for (let row = firstCentre(upper[1], height); row < end; row++) {
      const crossings = rows.get(row) ?? [];
      crossings.push(upper[0] + (row + 0.5 - upper[1]) * slope);
      rows.set(row, crossings);
    }
  }
  return rows;
}

/** The first pixel whose centre is not before the edge, within 0 and `count`. */
function firstCentre(edge: number, count: number): number {
  return Math.min(Math.max(Math.ceil(edge - 0.5), 0), count);
}
