// Vectors that are far from all others.

import { limits } from '../limits.ts';
import { quantise, quantiseQuery } from './quantise.ts';
import { VectorBlock } from './vector-block.ts';

export interface Outlier {
  /** Of the vector in the list. */
  readonly place: number;
  /** How many times as far from its nearest others as the median of all vectors is. */
  readonly score: number;
}

/**
 * The farthest first. `vectors` have a length of 1. Far is beyond Tukey's fence: the upper quartile
 * of all distances and one and a half times the distance of the quartiles. Of a few vectors none is
 * an outlier. `pause` is awaited between parts of the work.
 */
export async function findOutliers(
  vectors: readonly Float32Array[],
  pause: () => Promise<void>,
): Promise<readonly Outlier[]> {
  if (vectors.length < limits.outlierVectorsMin) return [];
  const distances = await distancesToNearest(vectors, pause);
  const sorted = distances.toSorted();
  const quantile = (share: number) => sorted[Math.floor(share * (sorted.length - 1))] ?? 0;
  const fence = quantile(0.75) + 1.5 * (quantile(0.75) - quantile(0.25));
  const median = quantile(0.5) || 1;
  return [...distances]
    .map((distance, place) => ({ place, score: distance / median, isFar: distance > fence }))
    .filter(({ isFar }) => isFar)
    .map(({ place, score }) => ({ place, score }))
    .toSorted((a, b) => b.score - a.score || a.place - b.place);
}

/** Of each vector the mean distance to the few nearest others. */
async function distancesToNearest(
  vectors: readonly Float32Array[],
  pause: () => Promise<void>,
): Promise<Float64Array> {
  const few = limits.outlierNeighbours;
  const block = new VectorBlock(vectors[0]?.length ?? 0, vectors.length);
  for (const [place, vector] of vectors.entries()) block.add(place, quantise(vector));
  const distances = new Float64Array(vectors.length);
  let compared = 0;
  for (const [place, vector] of vectors.entries()) {
    // Ascending; a copy of it has 1.
    const nearest = new Float64Array(few).fill(-1);
    block.compare(quantiseQuery(vector), (other, similarity) => {
      if (similarity <= (nearest[0] ?? 0) || other === place) return;
      nearest[0] = similarity;
      nearest.sort();
    });
    const sum = nearest.reduce((total, similarity) => {
      return total + Math.sqrt(Math.max(0, 2 - 2 * similarity));
    }, 0);
    distances[place] = sum / few;
    compared += vectors.length;
    if (compared < limits.vectorsComparedBetweenTurns) continue;
    compared = 0;
    await pause();
  }
  return distances;
}
