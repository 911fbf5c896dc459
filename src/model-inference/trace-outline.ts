// The outline of an object from a grid of numbers, such as how sure a model is of each pixel: the
// line on which they pass 0 (marching squares), between the middles of the cells.

import type { Size } from '../imaging/letterbox-resize.ts';

/** A number above 0 is inside. Undefined: beyond the edge of the grid. */
export type CellValue = (x: number, y: number) => number | undefined;

export interface TracedOutline {
  /**
   * x and y of each corner of the largest piece, in cells: the middle of the first one is 0.5, 0.5.
   * Empty where nothing is inside.
   */
  readonly ring: Float64Array;
  /** The areas of holes and smaller pieces, as a share of that of the ring. */
  readonly leftOut: number;
}

export function traceOutline(valueAt: CellValue, size: Size): TracedOutline {
  const crossings = crossingsOf(valueAt, size);
  const isSeen = new Uint8Array(crossings.next.length);
  let [largest, most, all] = [new Float64Array(0), 0, 0];
  for (let start = 0; start < crossings.next.length; start++) {
    if (crossings.next[start] === none || isSeen[start] === 1) continue;
    const edges: number[] = [];
    for (
      let edge = start;
      edge !== none && isSeen[edge] === 0;
      edge = crossings.next[edge] ?? none
    ) {
      isSeen[edge] = 1;
      edges.push(edge);
    }
    const ring = Float64Array.from(edges.flatMap((edge) => crossings.pointOn(edge)));
    const area = Math.abs(twiceArea(ring));
    all += area;
    if (area > most) [largest, most] = [ring, area];
  }
  return { ring: largest, leftOut: most === 0 ? 0 : (all - most) / most };
}

const none = -1;

/**
 * Between the middles of neighbours are edges; an edge whose ends lie on both sides is a corner of
 * an outline, and the next one lies on the same square of four middles.
 */
function crossingsOf(valueAt: CellValue, { width, height }: Size) {
  // Cells beyond the edge lie outside, so that every outline is closed.
  const [columns, rows] = [width + 2, height + 2];
  const inner = (x: number, y: number) =>
    x < 1 || y < 1 || x > width || y > height ? undefined : valueAt(x - 1, y - 1);
  const values = new Float64Array(columns * rows);
  const isBeyond = new Uint8Array(columns * rows);
  for (let y = 0, at = 0; y < rows; y++) {
    for (let x = 0; x < columns; x++, at++) {
      const value = inner(x, y);
      if (value === undefined) isBeyond[at] = 1;
      values[at] = value ?? -1;
    }
  }
  const isInside = (at: number) => (values[at] ?? -1) > 0;
  // Edges to the right have the number of their cell, edges down come behind all of these.
  const down = columns * rows;
  const next = new Int32Array(2 * down).fill(none);
  for (let y = 0; y + 1 < rows; y++) {
    for (let x = 0; x + 1 < columns; x++) {
      const at = y * columns + x;
      const sure = isInside(at);
      // Most squares lie within or without.
      if (
        isInside(at + 1) === sure &&
        isInside(at + columns) === sure &&
        isInside(at + columns + 1) === sure
      ) {
        continue;
      }
      const corners = [at, at + 1, at + columns + 1, at + columns];
      const edges = [at, down + at + 1, at + columns, down + at];
      linkSquare(corners, edges, isInside, values, next);
    }
  }
  const pointOn = (edge: number): readonly number[] => {
    const isDown = edge >= down;
    const one = isDown ? edge - down : edge;
    const other = isDown ? one + columns : one + 1;
    const [from, to] = [values[one] ?? -1, values[other] ?? -1];
    // What reaches the edge of the grid reaches the edge of its last cell.
    const share = isBeyond[one] === 1 || isBeyond[other] === 1 ? 0.5 : from / (from - to);
    const [x, y] = [(one % columns) - 0.5, Math.floor(one / columns) - 0.5];
    return isDown ? [x, y + share] : [x + share, y];
  };
  return { next, pointOn };
}

/**
 * Leads from each edge on which the way around the square comes in to the one on which it goes out.
 * Neighbours go along their common edge in opposite directions, so that the ways become rings.
 */
function linkSquare(
  corners: readonly number[],
  edges: readonly number[],
  isInside: (at: number) => boolean,
  values: Float64Array,
  next: Int32Array,
): void {
  const inside = corners.map(isInside);
  const [entries, exits]: [number[], number[]] = [[], []];
  for (const [side, edge] of edges.entries()) {
    const [from, to] = [inside[side] === true, inside[(side + 1) % 4] === true];
    if (!from && to) entries.push(edge);
    if (from && !to) exits.push(edge);
  }
  const [entry, second] = entries;
  if (entry === undefined) return;
  const [exit = none, secondExit = none] = exits;
  if (second === undefined) {
    next[entry] = exit;
    return;
  }
  // Two corners inside lie across from each other: the middle says whether they are one piece.
  const middle = corners.reduce((sum, at) => sum + (values[at] ?? -1), 0);
  const isFirstEntry = edges.indexOf(entry) < edges.indexOf(exit);
  const isJoined = middle > 0;
  const [own, other] = isFirstEntry === isJoined ? [secondExit, exit] : [exit, secondExit];
  next[entry] = own;
  next[second] = other;
}

/** Of a ring; its sign is the direction. */
export function twiceArea(ring: Float64Array): number {
  let sum = 0;
  for (let at = 0; at < ring.length; at += 2) {
    const then = (at + 2) % ring.length;
    sum += (ring[at] ?? 0) * (ring[then + 1] ?? 0) - (ring[then] ?? 0) * (ring[at + 1] ?? 0);
  }
  return sum;
}
