// Clusters points by the means of their neighbours: k-means (Lloyd), begun as k-means++ has it.

import { limits } from '../limits.ts';
import { type Random, randomFrom } from '../seeded-random.ts';
import type { Pause } from '../work-watcher.ts';
import { samplePlaces } from './packed-vectors.ts';

export interface Clusters {
  /** For each point the number of its cluster; the largest cluster is 0. */
  readonly clusterOf: readonly number[];
  /** For each point the distance to the middle of its cluster. */
  readonly distances: readonly number[];
  readonly count: number;
}

type Point = Float64Array;

/**
 * As many clusters as tell the points apart best, from 2 to `countMax`: by the silhouette, in which
 * the middles stand for their clusters. Where there are many points, some tell where the middles
 * are. Fewer than 4 points are one cluster. The same points give the same. `pause` is awaited
 * between parts of the work.
 */
export async function clusterPoints(
  points: readonly Point[],
  countMax: number,
  pause: Pause,
): Promise<Clusters> {
  const sample = samplePlaces(points.length, limits.clusterSampleMax, 'clusters').flatMap(
    (place) => points[place] ?? [],
  );
  let best: readonly Point[] = [meanOf(sample)];
  let bestSilhouette = 0;
  const random = randomFrom('clusters');
  for (let count = 2; count <= Math.min(countMax, Math.floor(sample.length / 2)); count += 1) {
    let middles = firstMiddles(sample, count, random);
    for (let round = 0; round < rounds; round += 1) {
      const { clusterOf } = assign(sample, middles);
      middles = middles.map((middle, cluster) => {
        const own = sample.filter((_, at) => clusterOf[at] === cluster);
        return own.length === 0 ? middle : meanOf(own);
      });
      await pause((count - 2 + round / rounds) / (countMax - 1));
    }
    const silhouette = silhouetteOf(assign(sample, middles));
    if (silhouette > bestSilhouette) [best, bestSilhouette] = [middles, silhouette];
  }
  return bySize(assign(points, best));
}

const rounds = 20;

interface Found {
  readonly clusterOf: readonly number[];
  readonly distances: readonly number[];
  /** To the next nearest middle; Infinity where there is none. */
  readonly toOthers: readonly number[];
}

function assign(points: readonly Point[], middles: readonly Point[]): Found {
  const rows = points.map((point) => {
    let [own, nearest, next] = [0, Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
    for (const [cluster, middle] of middles.entries()) {
      const squares = squaresBetween(point, middle);
      if (squares < nearest) [own, nearest, next] = [cluster, squares, nearest];
      else if (squares < next) next = squares;
    }
    return { own, nearest: Math.sqrt(nearest), next: Math.sqrt(next) };
  });
  return {
    clusterOf: rows.map(({ own }) => own),
    distances: rows.map(({ nearest }) => nearest),
    toOthers: rows.map(({ next }) => next),
  };
}

/** The mean of how much nearer each point is to its own middle than to the next: 0 to 1. */
function silhouetteOf({ distances, toOthers }: Found): number {
  const sum = distances.reduce((total, own, at) => {
    const next = toOthers[at] ?? own;
    return total + (next === 0 ? 0 : (next - own) / next);
  }, 0);
  return sum / Math.max(1, distances.length);
}

/** Points far from each other: each is drawn by the square of its distance to those before it. */
function firstMiddles(points: readonly Point[], count: number, random: Random): readonly Point[] {
  const middles: Point[] = points.slice(0, 1);
  let squares = points.map(() => Number.POSITIVE_INFINITY);
  while (middles.length < count) {
    const last = middles.at(-1) ?? new Float64Array();
    squares = squares.map((least, at) => Math.min(least, squaresBetween(points[at] ?? last, last)));
    let left = random() * squares.reduce((sum, part) => sum + part, 0);
    const drawn = squares.findIndex((part) => {
      left -= part;
      return left < 0;
    });
    middles.push(points[Math.max(0, drawn)] ?? last);
  }
  return middles;
}

function bySize({ clusterOf, distances }: Found): Clusters {
  const sizes = Map.groupBy(clusterOf, (cluster) => cluster);
  const ordered = [...sizes].toSorted(([a, one], [b, two]) => two.length - one.length || a - b);
  const numbers = new Map(ordered.map(([cluster], number) => [cluster, number]));
  return {
    clusterOf: clusterOf.map((cluster) => numbers.get(cluster) ?? 0),
    distances,
    count: ordered.length,
  };
}

function meanOf(points: readonly Point[]): Point {
  const sums = new Float64Array(points[0]?.length ?? 0);
  for (const point of points) {
    for (let at = 0; at < sums.length; at += 1) sums[at] = (sums[at] ?? 0) + (point[at] ?? 0);
  }
  return sums.map((sum) => sum / points.length);
}

function squaresBetween(one: Point, other: Point): number {
  let squares = 0;
  for (let at = 0; at < one.length; at += 1) squares += ((one[at] ?? 0) - (other[at] ?? 0)) ** 2;
  return squares;
}
