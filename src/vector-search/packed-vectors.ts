// Many vectors in few objects: so they are kept small, and move to a thread without a copy.

import { randomFrom } from '../seeded-random.ts';
import { type QuantisedQuery, type QuantisedVector, quantise } from './quantise.ts';

export interface PackedVectors {
  readonly dimensions: number;
  /** `dimensions` steps of each vector, one after the other. */
  readonly values: Int8Array<ArrayBuffer>;
  /** For each vector what one step stands for. */
  readonly scales: Float32Array<ArrayBuffer>;
}

/** `vectors` have one length. */
export function packVectors(vectors: Iterable<Float32Array>, count: number): PackedVectors {
  const scales = new Float32Array(count);
  let [dimensions, values] = [0, new Int8Array()];
  let place = 0;
  for (const vector of vectors) {
    if (place === 0) {
      dimensions = vector.length;
      values = new Int8Array(count * dimensions);
    }
    const packed = quantise(vector);
    values.set(packed.values, place * dimensions);
    scales[place] = packed.scale;
    place += 1;
  }
  return { dimensions, values, scales };
}

export function vectorAt({ dimensions, values, scales }: PackedVectors, at: number) {
  const own = values.subarray(at * dimensions, (at + 1) * dimensions);
  return { scale: scales[at] ?? 0, values: own } satisfies QuantisedVector;
}

export function queryAt(vectors: PackedVectors, at: number): QuantisedQuery {
  const { scale, values } = vectorAt(vectors, at);
  return { scale, values: Int16Array.from(values) };
}

/** The squares of their lengths. */
export function squaresOf(vectors: PackedVectors): Float64Array {
  const { dimensions, values } = vectors;
  return Float64Array.from(vectors.scales, (scale, place) => {
    let sum = 0;
    for (let at = place * dimensions; at < (place + 1) * dimensions; at += 1)
      sum += (values[at] ?? 0) ** 2;
    return sum * scale * scale;
  });
}

/** The same vector as numbers. */
export function floatsAt(vectors: PackedVectors, at: number): Float32Array {
  const { scale, values } = vectorAt(vectors, at);
  return Float32Array.from(values, (step) => step * scale);
}

/** Places below `count`, ascending: all, or `most` of them. The same `seed` gives the same. */
export function samplePlaces(count: number, most: number, seed: string): readonly number[] {
  const random = randomFrom(seed);
  const places: number[] = [];
  for (let place = 0; place < count && places.length < most; place += 1) {
    // Each set of places is as likely as any other.
    if (random() * (count - place) < most - places.length) places.push(place);
  }
  return places;
}
