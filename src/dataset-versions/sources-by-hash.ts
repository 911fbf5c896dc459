// The train sources of a version in the order of their hashes, of which each takes 21 bytes: a
// mosaic mixes images by their content, over the whole version.

import { setImmediate } from 'node:timers/promises';
import type { PlannedSource, SourceOutline } from './render-batches.ts';

/** The first 52 bits of a hash, which a number holds exactly. */
const keyDigits = 13;
const bucketCount = 4096;
const keysPerBucket = 2 ** 52 / bucketCount;
/** Between two slices others are served. */
const sliceCount = 4096;

export class SourcesByHash {
  readonly #keys: Float64Array;
  readonly #ordinals: Uint32Array;
  readonly #widths: Uint32Array;
  readonly #heights: Uint32Array;
  readonly #done: Uint8Array;
  #count = 0;

  /** `countMax`: more will not come. */
  constructor(countMax: number) {
    this.#keys = new Float64Array(countMax);
    this.#ordinals = new Uint32Array(countMax);
    this.#widths = new Uint32Array(countMax);
    this.#heights = new Uint32Array(countMax);
    this.#done = new Uint8Array(countMax);
  }

  /** In the order of their ordinals, by which those of one key come. */
  add({ ordinal, hash, width, height, isDone }: Omit<SourceOutline, 'split'>): void {
    const place = this.#count;
    this.#keys[place] = Number.parseInt(hash.slice(0, keyDigits), 16);
    this.#ordinals[place] = ordinal;
    this.#widths[place] = width;
    this.#heights[place] = height;
    this.#done[place] = isDone ? 1 : 0;
    this.#count += 1;
  }

  async *inOrder(): AsyncGenerator<readonly PlannedSource[]> {
    const { places, ends } = this.#buckets();
    let slice: PlannedSource[] = [];
    let from = 0;
    for (const end of ends) {
      const bucket = places.subarray(from, end).sort((one, other) => this.#compare(one, other));
      for (const place of bucket) slice.push(this.#at(place));
      from = end;
      if (slice.length < sliceCount) continue;
      yield slice;
      slice = [];
      await setImmediate();
    }
    yield slice;
  }

  /** Places of sources by the first bits of their keys, and where those of each end. */
  #buckets(): { readonly places: Uint32Array; readonly ends: Uint32Array } {
    const ends = new Uint32Array(bucketCount);
    for (let place = 0; place < this.#count; place += 1) this.#countIn(ends, place, 1);
    for (let bucket = 1; bucket < bucketCount; bucket += 1) {
      ends[bucket] = (ends[bucket] ?? 0) + (ends[bucket - 1] ?? 0);
    }
    const free = ends.slice();
    const places = new Uint32Array(this.#count);
    for (let place = this.#count - 1; place >= 0; place -= 1) {
      places[this.#countIn(free, place, -1)] = place;
    }
    return { places, ends };
  }

  /** Adds to the count of the bucket of a source; gives what it is then. */
  #countIn(counts: Uint32Array, place: number, change: number): number {
    const bucket = Math.floor((this.#keys[place] ?? 0) / keysPerBucket);
    const count = (counts[bucket] ?? 0) + change;
    counts[bucket] = count;
    return count;
  }

  #compare(one: number, other: number): number {
    return (this.#keys[one] ?? 0) - (this.#keys[other] ?? 0) || one - other;
  }

  #at(place: number): PlannedSource {
    return {
      ordinal: this.#ordinals[place] ?? 0,
      split: 'train',
      width: this.#widths[place] ?? 0,
      height: this.#heights[place] ?? 0,
      isDone: this.#done[place] === 1,
    };
  }
}
