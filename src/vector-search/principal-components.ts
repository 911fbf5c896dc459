// Many numbers of each vector as a few, in which they differ most: principal components.

import { limits } from '../limits.ts';
import { randomFrom } from '../seeded-random.ts';
import type { Pause } from '../work-watcher.ts';
import { floatsAt, type PackedVectors, samplePlaces } from './packed-vectors.ts';

/**
 * For each vector its place along the first `count` components: those of the largest spread first,
 * of some vectors where there are many. The same vectors give the same. `pause` is awaited between
 * parts of the work.
 */
export async function principalComponents(
  vectors: PackedVectors,
  count: number,
  pause: Pause,
): Promise<readonly Float64Array[]> {
  const { dimensions, scales } = vectors;
  const sample = samplePlaces(scales.length, limits.clusterSampleMax, 'components');
  const left = sample.map((place) => floatsAt(vectors, place));
  const mean = meanOf(left, dimensions);
  for (const vector of left) takeAway(vector, 1, mean);
  const random = randomFrom('components');
  const axes: Float64Array[] = [];
  while (axes.length < Math.min(count, dimensions)) {
    let axis = unit(Float64Array.from({ length: dimensions }, () => random() - 0.5));
    // By powers: each round turns the axis towards the direction of the largest spread.
    for (let round = 0; round < rounds; round += 1) {
      axis = unit(turned(left, axis));
      await pause((axes.length + round / rounds) / count / 2);
    }
    // The next component is of what this one leaves.
    for (const vector of left) takeAway(vector, dot(vector, axis), axis);
    axes.push(axis);
  }
  const places: Float64Array[] = [];
  for (let at = 0; at < scales.length; at += 1) {
    const vector = floatsAt(vectors, at);
    takeAway(vector, 1, mean);
    const along = new Float64Array(count);
    for (const [component, axis] of axes.entries()) along[component] = dot(vector, axis);
    places.push(along);
    if (at % placesBetweenTurns === 0) await pause(0.5 + at / scales.length / 2);
  }
  return places;
}

const rounds = 12;
const placesBetweenTurns = 1_000;

function takeAway(vector: Float32Array, times: number, part: Float64Array): void {
  for (let at = 0; at < vector.length; at += 1) {
    vector[at] = (vector[at] ?? 0) - times * (part[at] ?? 0);
  }
}

function meanOf(vectors: readonly Float32Array[], dimensions: number): Float64Array {
  const sums = new Float64Array(dimensions);
  for (const vector of vectors) {
    for (const [at, value] of vector.entries()) sums[at] = (sums[at] ?? 0) + value;
  }
  return sums.map((sum) => sum / Math.max(1, vectors.length));
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
