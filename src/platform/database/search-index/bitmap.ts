// Bitmaps: sets of images, in chunks. A chunk without a set bit is left out.

import { limits } from '../../../limits.ts';

/** 32 bits to a word; bit 0 of word 0 is the chunk's first image. */
export const chunkWords = limits.searchChunkImages / 32;

/** A set of ordinals. A chunk of it is never changed once it is part of a set. */
export type Bitmap = ReadonlyMap<number, Uint32Array>;

export const emptyBitmap: Bitmap = new Map();

export function chunkOf(ordinal: number): number {
  return Math.floor(ordinal / limits.searchChunkImages);
}

/** The place of an image within its chunk. */
export function placeOf(ordinal: number): number {
  return ordinal % limits.searchChunkImages;
}

export function and(a: Bitmap, b: Bitmap): Bitmap {
  const [less, more] = a.size <= b.size ? [a, b] : [b, a];
  return combine(less, (words, chunk) => {
    const others = more.get(chunk);
    if (others === undefined) return undefined;
    const result = new Uint32Array(chunkWords);
    for (let at = 0; at < chunkWords; at += 1) result[at] = (words[at] ?? 0) & (others[at] ?? 0);
    return result;
  });
}

export function andNot(a: Bitmap, b: Bitmap): Bitmap {
  return combine(a, (words, chunk) => {
    const others = b.get(chunk);
    if (others === undefined) return words;
    const result = new Uint32Array(chunkWords);
    for (let at = 0; at < chunkWords; at += 1) result[at] = (words[at] ?? 0) & ~(others[at] ?? 0);
    return result;
  });
}

export function or(a: Bitmap, b: Bitmap): Bitmap {
  if (a.size === 0) return b;
  return b.size === 0 ? a : unite([...a, ...b]);
}

/** One set of chunks, of which several may have the same number. */
export function unite(chunks: Iterable<readonly [number, Uint32Array]>): Bitmap {
  const result = new Map<number, Uint32Array>();
  const own = new Set<Uint32Array>();
  for (const [chunk, words] of chunks) {
    const others = result.get(chunk);
    if (others === undefined) {
      result.set(chunk, words);
      continue;
    }
    const both = own.has(others) ? others : others.slice();
    for (let at = 0; at < chunkWords; at += 1) both[at] = (both[at] ?? 0) | (words[at] ?? 0);
    own.add(both);
    result.set(chunk, both);
  }
  return result;
}

/** How many images are in the set. */
export function size(bitmap: Bitmap): number {
  let total = 0;
  for (const words of bitmap.values()) total += countBits(words);
  return total;
}

export function has(bitmap: Bitmap, ordinal: number): boolean {
  const words = bitmap.get(chunkOf(ordinal));
  return words !== undefined && hasBit(words, placeOf(ordinal));
}

export function hasBit(words: Uint32Array, place: number): boolean {
  return (((words[place >>> 5] ?? 0) >>> (place & 31)) & 1) === 1;
}

export function fromOrdinals(ordinals: Iterable<number>): Bitmap {
  const result = new Map<number, Uint32Array>();
  for (const ordinal of ordinals) {
    const chunk = chunkOf(ordinal);
    const words = result.get(chunk) ?? new Uint32Array(chunkWords);
    result.set(chunk, words);
    setBit(words, placeOf(ordinal), true);
  }
  return result;
}

export function setBit(words: Uint32Array, place: number, isSet: boolean): void {
  const word = words[place >>> 5] ?? 0;
  const bit = 1 << (place & 31);
  words[place >>> 5] = isSet ? word | bit : word & ~bit;
}

export function countBits(words: Uint32Array): number {
  let total = 0;
  for (const word of words) total += countWord(word);
  return total;
}

/** Set bits of 32. */
export function countWord(word: number): number {
  let bits = word - ((word >>> 1) & 0x55555555);
  bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333);
  return Math.imul((bits + (bits >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

/** The ordinals of a set in one direction, without those of the first `skip`. */
export function* ordinals(
  bitmap: Bitmap,
  direction: 'asc' | 'desc',
  skip = 0,
): Generator<number, void> {
  const chunks = [...bitmap.keys()].sort((a, b) => (direction === 'asc' ? a - b : b - a));
  let left = skip;
  for (const chunk of chunks) {
    const words = bitmap.get(chunk) ?? new Uint32Array(0);
    const count = left > 0 ? countBits(words) : 0;
    if (left > 0 && count <= left) {
      left -= count;
      continue;
    }
    for (const place of places(words, direction)) {
      if (left > 0) left -= 1;
      else yield chunk * limits.searchChunkImages + place;
    }
  }
}

function* places(words: Uint32Array, direction: 'asc' | 'desc'): Generator<number, void> {
  for (let step = 0; step < words.length; step += 1) {
    const at = direction === 'asc' ? step : words.length - 1 - step;
    let word = words[at] ?? 0;
    while (word !== 0) {
      const bit = direction === 'asc' ? 31 - Math.clz32(word & -word) : 31 - Math.clz32(word);
      yield at * 32 + bit;
      word &= ~(1 << bit);
    }
  }
}

/** Those of a set that lie above or below an ordinal. */
export function beyond(bitmap: Bitmap, ordinal: number, side: 'above' | 'below'): Bitmap {
  const at = chunkOf(ordinal);
  return combine(bitmap, (words, chunk) => {
    if (chunk !== at) return chunk > at === (side === 'above') ? words : undefined;
    const kept = words.slice();
    const place = placeOf(ordinal);
    for (let other = 0; other < limits.searchChunkImages; other += 1) {
      const isKept = side === 'above' ? other > place : other < place;
      if (!isKept) setBit(kept, other, false);
    }
    return kept;
  });
}

function combine(
  bitmap: Bitmap,
  change: (words: Uint32Array, chunk: number) => Uint32Array | undefined,
): Bitmap {
  const result = new Map<number, Uint32Array>();
  for (const [chunk, words] of bitmap) {
    const changed = change(words, chunk);
    if (changed?.some((word) => word !== 0)) result.set(chunk, changed);
  }
  return result;
}
