// Vectors that are far from all others.

import { limits } from '../limits.ts';
import { type Pause, within } from '../work-watcher.ts';
import {
  type PackedVectors,
  queryAt,
  samplePlaces,
  squaresOf,
  vectorAt,
} from './packed-vectors.ts';
import type { QuantisedQuery } from './quantise.ts';
import { type PlaceRange, VectorBlock } from './vector-block.ts';
import { cellsOf } from './vector-cells.ts';

export interface Outlier {
  /** Of the vector in the list. */
  readonly place: number;
  /** How many times as far from its nearest others as the median of all vectors is. */
  readonly score: number;
}

export interface Outliers {
  readonly outliers: readonly Outlier[];
  /** False: so many seem far that only the farthest of them were compared with all. */
  readonly isComplete: boolean;
}

/**
 * The farthest first. Far is beyond Tukey's fence: the upper quartile
 * of all distances and one and a half times the distance of the quartiles. Of a few vectors none is
 * an outlier. Of more than `exactMax` the quartiles are those of a sample; an outlier's distance is
 * to its nearest among all, in any case. `pause` is awaited between parts of the work.
 */
export async function findOutliers(
  vectors: PackedVectors,
  pause: Pause,
  exactMax: number = limits.outlierVectorsExactMax,
): Promise<Outliers> {
  const count = vectors.scales.length;
  if (count < limits.outlierVectorsMin) return { outliers: [], isComplete: true };
  if (count > exactMax) return amongMany(vectors, pause);
  const squares = squaresOf(vectors);
  const block = new VectorBlock(vectors.dimensions, count);
  for (let place = 0; place < count; place += 1) block.add(place, vectorAt(vectors, place));
  const distances = await distancesOf({ vectors, block, squares, pause }, vectors.scales.keys());
  return { outliers: beyond(fenceOf(distances), distances), isComplete: true };
}

/**
 * A distance to the nearest in some cells is never less than that to the nearest of all: so only
 * those whose first distance is beyond the fence can be outliers, and are compared with all.
 */
async function amongMany(vectors: PackedVectors, pause: Pause): Promise<Outliers> {
  const count = vectors.scales.length;
  const cells = await cellsOf(vectors, within(pause, 0, 0.1));
  const { block } = cells;
  const squares = squaresOf(vectors);
  const compared = (from: number, to: number) => ({
    vectors,
    block,
    squares,
    pause: within(pause, from, to),
  });
  const sample = samplePlaces(count, limits.outlierSampleMax, 'outliers');
  const fence = fenceOf(await distancesOf(compared(0.1, 0.3), sample));
  const rough = await distancesOf(compared(0.3, 0.8), vectors.scales.keys(), (query) =>
    cells.near(query, limits.outlierCellsLookedIn),
  );
  const seemFar = beyond(fence, rough);
  const most = Math.floor(limits.outlierProductsMax / (count * vectors.dimensions));
  const looked = seemFar.slice(0, most).map(({ place }) => place);
  const outliers = beyond(fence, await distancesOf(compared(0.8, 1), looked));
  return { outliers, isComplete: seemFar.length <= most };
}

interface Compared {
  readonly vectors: PackedVectors;
  /** All of them, by their places. */
  readonly block: VectorBlock;
  /** Of their lengths. */
  readonly squares: Float64Array;
  readonly pause: Pause;
}

type Distances = ReadonlyMap<number, number>;

/** Of each of these places the mean distance to the few nearest others; `around`: among those. */
async function distancesOf(
  { vectors, block, squares, pause }: Compared,
  places: Iterable<number>,
  around: (query: QuantisedQuery) => readonly PlaceRange[] = () => [{ start: 0, end: block.count }],
): Promise<Distances> {
  const few = limits.outlierNeighbours;
  const distances = new Map<number, number>();
  let compared = 0;
  const all = [...places];
  for (const place of all) {
    // Ascending: the square of its own length less that of the distance.
    const nearest = new Float64Array(few).fill(Number.NEGATIVE_INFINITY);
    const query = queryAt(vectors, place);
    for (const range of around(query)) {
      compared += range.end - range.start;
      block.compare(
        query,
        (other, similarity) => {
          const nearness = 2 * similarity - (squares[other] ?? 0);
          if (nearness <= (nearest[0] ?? 0) || other === place) return;
          nearest[0] = nearness;
          nearest.sort();
        },
        range,
      );
    }
    const own = squares[place] ?? 0;
    const sum = nearest.reduce((total, nearness) => {
      return total + Math.sqrt(Math.max(0, own - nearness));
    }, 0);
    distances.set(place, sum / few);
    if (compared < limits.vectorsComparedBetweenTurns) continue;
    compared = 0;
    await pause(distances.size / all.length);
  }
  return distances;
}

interface Fence {
  readonly median: number;
  readonly far: number;
}

function fenceOf(distances: Distances): Fence {
  const sorted = Float64Array.from(distances.values()).sort();
  const quantile = (share: number) => sorted[Math.floor(share * (sorted.length - 1))] ?? 0;
  const far = quantile(0.75) + 1.5 * (quantile(0.75) - quantile(0.25));
  return { median: quantile(0.5) || 1, far };
}

function beyond({ median, far }: Fence, distances: Distances): readonly Outlier[] {
  return [...distances]
    .filter(([, distance]) => distance > far)
    .map(([place, distance]) => ({ place, score: distance / median }))
    .toSorted((a, b) => b.score - a.score || a.place - b.place);
}
