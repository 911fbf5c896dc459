// A bit-sliced index of a number per image: comparisons, and sorting by it.

import type { Comparison } from '../../../query-language/query-syntax-tree.ts';
import { and, andNot, type Bitmap, beyond, chunkWords, emptyBitmap, ordinals } from './bitmap.ts';

/** For each bit from the lowest on: the images in whose number it is set. */
export type Slices = readonly Bitmap[];

/**
 * Those of `within` whose number compares so; images in no slice have 0. From the highest bit down
 * (O'Neil and Quass, Improved query performance with variant indexes, 1997). `value` is whole and
 * not negative.
 */
export function compare(
  slices: Slices,
  within: Bitmap,
  operator: Comparison,
  value: number,
): Bitmap {
  if (value >= 2 ** slices.length) {
    return operator === '<' || operator === '<=' ? within : emptyBitmap;
  }
  const wanted = slices.map((_, bit) => Math.floor(value / 2 ** bit) % 2 === 1);
  const result = new Map<number, Uint32Array>();
  for (const [chunk, all] of within) {
    const bits = slices.map((slice) => slice.get(chunk));
    const words = compareWords(bits, wanted, all, operator);
    if (words.some((word) => word !== 0)) result.set(chunk, words);
  }
  return result;
}

/** Within one chunk, 32 images at a time. */
function compareWords(
  bits: readonly (Uint32Array | undefined)[],
  wanted: readonly boolean[],
  all: Uint32Array,
  operator: Comparison,
): Uint32Array {
  const equal = all.slice();
  const greater = new Uint32Array(all.length);
  for (let bit = bits.length - 1; bit >= 0; bit -= 1) {
    const words = bits[bit] ?? noWords;
    if (wanted[bit]) {
      for (let at = 0; at < equal.length; at += 1) equal[at] = (equal[at] ?? 0) & (words[at] ?? 0);
      continue;
    }
    for (let at = 0; at < equal.length; at += 1) {
      const [those, set] = [equal[at] ?? 0, words[at] ?? 0];
      greater[at] = (greater[at] ?? 0) | (those & set);
      equal[at] = those & ~set;
    }
  }
  if (operator === '=') return equal;
  if (operator === '>') return greater;
  for (let at = 0; at < all.length; at += 1) {
    const [equals, above] = [equal[at] ?? 0, greater[at] ?? 0];
    if (operator === '>=') equal[at] = equals | above;
    else equal[at] = (all[at] ?? 0) & ~(operator === '<' ? equals | above : above);
  }
  return equal;
}

const noWords = new Uint32Array(chunkWords);

export interface OrderBounds {
  readonly direction: 'asc' | 'desc';
  /** The image after which to go on. */
  readonly after: Placed | undefined;
  readonly limit: number;
}

export interface Placed {
  readonly value: number;
  readonly ordinal: number;
}

/** A part of a set of which all have `value` in the bits from `bits` on. */
interface Part {
  readonly set: Bitmap;
  readonly bits: number;
  readonly value: number;
}

/** A page of a set in the order of a number; of equal ones the newest comes first. */
export function orderByNumber(
  slices: Slices,
  bitmap: Bitmap,
  { direction, after, limit }: OrderBounds,
): readonly Placed[] {
  const found: Placed[] = [];
  const isDone = (lowest: number, highest: number) =>
    after !== undefined && (direction === 'desc' ? lowest > after.value : highest < after.value);
  const open: Part[] = [{ set: bitmap, bits: slices.length, value: 0 }];
  for (let part = open.pop(); part && found.length < limit; part = open.pop()) {
    const { set, bits, value } = part;
    if (set.size === 0 || isDone(value, value + 2 ** bits - 1)) continue;
    if (bits === 0) {
      const rest = after?.value === value ? beyond(set, after.ordinal, 'below') : set;
      for (const ordinal of ordinals(rest, 'desc')) {
        if (found.length === limit) break;
        found.push({ value, ordinal });
      }
      continue;
    }
    const slice = slices[bits - 1] ?? emptyBitmap;
    const high = { set: and(set, slice), bits: bits - 1, value: value + 2 ** (bits - 1) };
    const low = { set: andNot(set, slice), bits: bits - 1, value };
    // The last in is the first out.
    open.push(...(direction === 'desc' ? [low, high] : [high, low]));
  }
  return found;
}
