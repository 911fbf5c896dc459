// The pixels of an object as runs, column by column, as pycocotools has them: pictures of masks
// would take a thousand times the memory.

import { limits } from '../../limits.ts';
import type { Region } from '../image-region.ts';

export interface Mask {
  /**
   * First pixel of each run, and the one behind its last, ascending and apart from each other. The
   * number of a pixel is x * height + y.
   */
  readonly runs: Uint32Array;
  /** Of the image. */
  readonly height: number;
  readonly pixels: number;
}

/** Runs that touch or overlap become one. They are given in the order of their beginnings. */
export function maskOf(given: ArrayLike<number>, height: number): Mask {
  const runs = new Uint32Array(given.length);
  let length = 0;
  let pixels = 0;
  for (let at = 0; at < given.length; at += 2) {
    const from = given[at] ?? 0;
    const until = given[at + 1] ?? 0;
    const last = length === 0 ? -1 : (runs[length - 1] ?? 0);
    if (until <= Math.max(from, last)) continue;
    pixels += until - Math.max(from, last);
    if (from > last) {
      runs[length] = from;
      length += 2;
    }
    runs[length - 1] = until;
  }
  return { runs: runs.slice(0, length), height, pixels };
}

/** What any of the masks covers. */
export function unite(masks: readonly Mask[], height: number): Mask {
  const [first] = masks;
  if (first !== undefined && masks.length === 1) return first;
  const runs = masks
    .flatMap(({ runs: own }) =>
      Array.from({ length: own.length / 2 }, (_, at) => [own[2 * at] ?? 0, own[2 * at + 1] ?? 0]),
    )
    .sort(([one = 0], [other = 0]) => one - other);
  return maskOf(runs.flat(), height);
}

/** How many pixels two masks of one image have in common. */
export function commonPixels({ runs: one }: Mask, { runs: other }: Mask): number {
  let common = 0;
  let beside = 0;
  for (let at = 0; at < one.length; at += 2) {
    const from = one[at] ?? 0;
    const until = one[at + 1] ?? 0;
    while (beside < other.length && (other[beside + 1] ?? 0) <= from) beside += 2;
    for (let near = beside; near < other.length && (other[near] ?? 0) < until; near += 2) {
      common += Math.min(until, other[near + 1] ?? 0) - Math.max(from, other[near] ?? 0);
    }
  }
  return common;
}

/** Intersection over union of two masks of one image, 0 to 1; over the first beside a crowd. */
export function overlapOfMasks(one: Mask, other: Mask, isCrowd = false): number {
  const both = commonPixels(one, other);
  if (both === 0) return 0;
  return both / (isCrowd ? one.pixels : one.pixels + other.pixels - both);
}

/** The smallest box around it; a run over several columns reaches from edge to edge. */
export function boxOfMask({ runs, height }: Mask): Region {
  if (runs.length === 0) return { left: 0, top: 0, width: 0, height: 0 };
  let top = height;
  let bottom = 0;
  for (let at = 0; at < runs.length; at += 2) {
    const from = runs[at] ?? 0;
    const last = (runs[at + 1] ?? 1) - 1;
    const isOneColumn = Math.floor(from / height) === Math.floor(last / height);
    top = Math.min(top, isOneColumn ? from % height : 0);
    bottom = Math.max(bottom, isOneColumn ? (last % height) + 1 : height);
  }
  const left = Math.floor((runs[0] ?? 0) / height);
  const right = Math.floor(((runs.at(-1) ?? 1) - 1) / height) + 1;
  return { left, top, width: right - left, height: bottom - top };
}

/** An outline to be drawn, by the highest and the lowest pixel of some columns. */
export function sketchOf(mask: Mask): readonly (readonly [x: number, y: number])[] {
  const { runs, height } = mask;
  const edges = new Map<number, [top: number, bottom: number]>();
  for (let at = 0; at < runs.length; at += 2) {
    const [from = 0, last = 0] = [runs[at], (runs[at + 1] ?? 1) - 1];
    const lastColumn = Math.floor(last / height);
    for (let column = Math.floor(from / height); column <= lastColumn; column++) {
      const top = Math.max(0, from - column * height);
      const bottom = Math.min(height, last - column * height + 1);
      const known = edges.get(column);
      edges.set(column, [Math.min(known?.[0] ?? top, top), Math.max(known?.[1] ?? 0, bottom)]);
    }
  }
  const columns = [...edges];
  const step = Math.max(1, (columns.length - 1) / (limits.maskDrawnColumnsMax - 1));
  const chosen = Array.from(
    { length: Math.min(columns.length, limits.maskDrawnColumnsMax) },
    (_, place) => columns[Math.round(place * step)] ?? ([0, [0, 0]] as const),
  );
  return [
    ...chosen.map(([x, [top]]) => [x + 0.5, top] as const),
    ...chosen.map(([x, [, bottom]]) => [x + 0.5, bottom] as const).reverse(),
  ];
}
