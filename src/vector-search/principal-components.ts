// Many numbers of each vector as a few, in which they differ most: principal components.

import { randomFrom } from '../seeded-random.ts';

/**
 * For each vector its place along the first `count` components: those of the largest spread first.
 * The same vectors give the same. `pause` is awaited between parts of the work.
 */
export async function principalComponents(
  vectors: readonly Float32Array[],
  count: number,
  pause: () => Promise<void>,
): Promise<readonly Float64Array[]> {
  const dimensions = vectors[0]?.length ?? 0;
  const mean = meanOf(vectors, dimensions);
  const left = vectors.map((vector) => vector.map((value, at) => value - (mean[at] ?? 0)));
  const places = vectors.map(() => new Float64Array(count));
  const random = randomFrom('components');
  for (let component = 0; component < Math.min(count, dimensions); component += 1) {
    let axis = unit(Float64Array.from({ length: dimensions }, () => random() - 0.5));
    // By powers: each round turns the axis towards the direction of the largest spread.
    for (let round = 0; round < rounds; round += 1) {
      axis = unit(turned(left, axis));
      await pause();
    }
    for (const [at, vector] of left.entries()) {
      const along = dot(vector, axis);
      places[at]?.fill(along, component, component + 1);
      // The next component is of what this one leaves.
      for (const [place, part] of axis.entries()) {
        vector[place] = (vector[place] ?? 0) - along * part;
      }
    }
    await pause();
  }
  return places;
}

const rounds = 12;

function meanOf(vectors: readonly Float32Array[], dimensions: number): Float64Array {
  const sums = new Float64Array(dimensions);
  for (const vector of vectors) {
    for (const [at, value] of vector.entries()) sums[at] = (sums[at] ?? 0) + value;
  }
  return sums.map((sum) => sum / vectors.length);
}

function turned(vectors: readonly Float32Array[], axis: Float64Array): Float64Array {
  const sum = new Float64Array(axis.length);
  for (const vector of vectors) {
    const along = dot(vector, axis);
    for (let at = 0; at < sum.length; at += 1) sum[at] = (sum[at] ?? 0) + along * (vector[at] ?? 0);
  }
  return sum;
}

function dot(vector: Float32Array, axis: Float64Array): number {
  let sum = 0;
  for (let at = 0; at < axis.length; at += 1) sum += (vector[at] ?? 0) * (axis[at] ?? 0);
  return sum;
}

function unit(vector: Float64Array): Float64Array {
  const length = Math.sqrt(vector.reduce((sum, value) => sum + value ** 2, 0));
  return length === 0 ? vector : vector.map((value) => value / length);
}
