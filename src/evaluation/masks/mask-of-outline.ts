// The pixels within an outline, exactly those that pycocotools takes: figures depend on the pixels
// of the edge. It draws the outline on a grid of fifths of a pixel, and where that passes the
// middle of a column, the mask begins or ends. Only these places are computed here.

import { limits } from '../../limits.ts';
import { type Mask, maskOf } from './mask.ts';

export interface Size {
  readonly width: number;
  readonly height: number;
}

/** Fifths of a pixel. */
const grid = 5;

/** Columns that the edges of an outline cross: the work that its mask takes. */
export function crossingsOf(outline: ArrayLike<number>, { width }: Size): number {
  let sum = 0;
  for (let at = 0; at < outline.length; at += 2) {
    const [one, other] = [outline[at] ?? 0, outline[(at + 2) % outline.length] ?? 0];
    sum += Math.min(width, Math.abs(one - other)) + 1;
  }
  return sum;
}

/**
 * `outline`: x and y of each corner, in pixels; finite, each below `boxCoordinateMax`. Undefined
 * for one that crosses more columns than `maskCrossingsMax`.
 */
export function maskOfOutline(outline: ArrayLike<number>, size: Size): Mask | undefined {
  if (crossingsOf(outline, size) > limits.maskCrossingsMax) return undefined;
  const onGrid = Array.from(outline, (pixels) => Math.trunc(grid * pixels + 0.5));
  const crossings: number[] = [];
  for (let at = 0; at < onGrid.length; at += 2) {
    const next = (at + 2) % onGrid.length;
    crossEdge(
      { x: onGrid[at] ?? 0, y: onGrid[at + 1] ?? 0 },
      { x: onGrid[next] ?? 0, y: onGrid[next + 1] ?? 0 },
      size,
      crossings,
    );
  }
  const ascending = Uint32Array.from(crossings).sort();
  return maskOf(betweenPairs(ascending, size.width * size.height), size.height);
}

interface GridPoint {
  readonly x: number;
  readonly y: number;
}

/** Adds the pixels at which an edge of the outline passes the middle of a column. */
function crossEdge(one: GridPoint, other: GridPoint, size: Size, crossings: number[]): void {
  const [dx, dy] = [Math.abs(other.x - one.x), Math.abs(other.y - one.y)];
  if (dx === 0) return;
  const isFlat = dx >= dy;
  // From left to right, or from top to bottom, whichever is longer: rounding depends on it.
  const isTurned = isFlat ? one.x > other.x : one.y > other.y;
  const [from, to] = isTurned ? [other, one] : [one, other];
  const [leftmost, rightmost] = from.x < to.x ? [from.x, to.x] : [to.x, from.x];
  const first = Math.max(0, Math.ceil((leftmost - 2) / grid));
  const last = Math.min(size.width - 1, Math.floor((rightmost - 3) / grid));
  const rowAt = isFlat ? flatEdge(from, to) : steepEdge(from, to);
  for (let column = first; column <= last; column++) {
    const row = Math.ceil((rowAt(column * grid + 2) + 0.5) / grid - 0.5);
    crossings.push(column * size.height + Math.min(size.height, Math.max(0, row)));
  }
}

/** The upper one of the points at `x` and the next, on the grid. */
function flatEdge(from: GridPoint, to: GridPoint): (x: number) => number {
  const slope = (to.y - from.y) / (to.x - from.x);
  const rowAt = (x: number) => Math.trunc(from.y + slope * (x - from.x) + 0.5);
  return (x) => Math.min(rowAt(x), rowAt(x + 1));
}

/** The row behind which the edge leaves `x` for the next, or comes from there. */
function steepEdge(from: GridPoint, to: GridPoint): (x: number) => number {
  const slope = (to.x - from.x) / (to.y - from.y);
  const columnAt = (step: number) => Math.trunc(from.x + slope * step + 0.5);
  const isBefore = (step: number, x: number) =>
    slope > 0 ? columnAt(step) <= x : columnAt(step) > x;
  return (x) => {
    let step = Math.round((x + 0.5 - from.x) / slope);
    while (!isBefore(step, x)) step -= 1;
    while (isBefore(step + 1, x)) step += 1;
    return from.y + step;
  };
}

/** Runs from the first crossing to the second, and so on; two at one place undo each other. */
function betweenPairs(crossings: Uint32Array, end: number): readonly number[] {
  const places: number[] = [];
  for (const place of crossings) {
    if (places[places.length - 1] === place) places.pop();
    else places.push(place);
  }
  if (places.length % 2 === 1) places.push(end);
  return places;
}
