// Masks of classes as runs: what of an image is of each class, in the form of COCO results.

import { setImmediate as othersTurn } from 'node:timers/promises';
import { compressedCounts } from './compressed-counts.ts';
import type { Size } from './mask-of-outline.ts';

/** `data`: one byte a pixel, row by row. For each value but 0, counts down the columns. */
export async function runsOfMask(
  data: Uint8Array,
  { width, height }: Size,
): Promise<ReadonlyMap<number, string>> {
  const runs = new Map<number, { readonly counts: number[]; end: number }>();
  const add = (value: number, from: number, until: number) => {
    if (value === 0 || until === from) return;
    const own = runs.get(value) ?? { counts: [], end: 0 };
    runs.set(value, own);
    own.counts.push(from - own.end, until - from);
    own.end = until;
  };
  let [value, from] = [0, 0];
  for (let column = 0; column < width; column++) {
    for (let row = 0; row < height; row++) {
      const pixel = data[row * width + column] ?? 0;
      if (pixel === value) continue;
      const at = column * height + row;
      add(value, from, at);
      [value, from] = [pixel, at];
    }
    if ((column * height) % pixelsOfATurn < height) await othersTurn();
  }
  const all = width * height;
  add(value, from, all);
  return new Map(
    [...runs].map(([own, { counts, end }]) => [own, compressedCounts([...counts, all - end])]),
  );
}

/** A few milliseconds. */
const pixelsOfATurn = 500_000;
