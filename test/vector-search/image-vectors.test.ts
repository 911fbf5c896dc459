// What vectors tell of images: which are alike, which are far from all others, and where they lie.

import { expect, it } from 'vitest';
import { randomFrom } from '../../src/seeded-random.ts';
import { clusterPoints } from '../../src/vector-search/k-means.ts';
import { findOutliers } from '../../src/vector-search/outliers.ts';
import { packVectors } from '../../src/vector-search/packed-vectors.ts';
import { principalComponents } from '../../src/vector-search/principal-components.ts';

const noPause = async () => {};

function pack(vectors: readonly Float32Array[]) {
  return packVectors(vectors, vectors.length);
}

/** Around the axis `along`, of length 1. */
function vectorsNear(along: number, count: number, spread: number, seed: string): Float32Array[] {
  const random = randomFrom(seed);
  return Array.from({ length: count }, () => {
    const vector = Float32Array.from(
      { length: 16 },
      (_, at) => (at === along ? 1 : 0) + (random() - 0.5) * spread,
    );
    const length = Math.hypot(...vector);
    return vector.map((value) => value / length);
  });
}

it('tells groups of vectors apart, the largest first, and lays them apart', async () => {
  const kinds = [
    vectorsNear(0, 10, 0.2, 'a'),
    vectorsNear(1, 30, 0.2, 'b'),
    vectorsNear(2, 20, 0.2, 'c'),
  ];
  const points = await principalComponents(pack(kinds.flat()), 4, noPause);
  const { clusterOf, distances, count } = await clusterPoints(points, 8, noPause);
  expect(count).toBe(3);
  expect(clusterOf).toEqual([...Array(10).fill(2), ...Array(30).fill(0), ...Array(20).fill(1)]);
  expect(Math.max(...distances)).toBeLessThan(0.5);
  const firsts = [0, 10, 40].map((at) => [...(points[at]?.slice(0, 2) ?? [])]);
  const [[ax = 0, ay = 0] = [], [bx = 0, by = 0] = []] = firsts;
  expect(Math.hypot(ax - bx, ay - by)).toBeGreaterThan(0.5);
});

it('gives the same for the same vectors, and bears few of them', async () => {
  const vectors = vectorsNear(0, 50, 1, 'd');
  const twice = await Promise.all([0, 1].map(() => principalComponents(pack(vectors), 2, noPause)));
  expect(twice[0]).toEqual(twice[1]);
  expect(await principalComponents(pack([]), 2, noPause)).toEqual([]);
  expect(await clusterPoints([], 8, noPause)).toMatchObject({ clusterOf: [] });
  const one = await principalComponents(pack(vectors.slice(0, 1)), 2, noPause);
  expect(await clusterPoints(one, 8, noPause)).toMatchObject({ clusterOf: [0], count: 1 });
  const same = vectors.slice(0, 1).concat(vectors.slice(0, 1), vectors.slice(0, 1));
  const flat = await principalComponents(pack([...same, ...same]), 2, noPause);
  expect(await clusterPoints(flat, 8, noPause)).toMatchObject({ count: 1 });
});

it('names vectors that are far from all others, the farthest first, also two that are alike', async () => {
  const usual = vectorsNear(0, 60, 0.3, 'e');
  const far = vectorsNear(1, 1, 0, 'f');
  const nearer = Float32Array.from({ length: 16 }, (_, at) =>
    at === 0 || at === 2 ? Math.SQRT1_2 : 0,
  );
  const all = pack([...usual, ...far, ...far, nearer]);
  const { outliers, isComplete } = await findOutliers(all, noPause);
  expect(isComplete).toBe(true);
  expect(outliers.map(({ place }) => place).toSorted()).toEqual([60, 61, 62]);
  expect(outliers.at(0)?.score).toBeGreaterThan(2);
  expect(outliers.map(({ score }) => score)).toEqual(
    outliers.map(({ score }) => score).toSorted((a, b) => b - a),
  );
  expect((await findOutliers(pack(usual.slice(0, 9)), noPause)).outliers).toEqual([]);
});

it('names a vector that differs from others by its length alone', async () => {
  const usual = vectorsNear(0, 60, 0.3, 'l');
  const longer = Float32Array.from(usual[0] ?? [], (value) => value * 3);
  const all = pack([...usual, longer]);
  const [first] = (await findOutliers(all, noPause)).outliers;
  expect(first?.place).toBe(60);
  const [inCells] = (await findOutliers(all, noPause, 10)).outliers;
  expect(inCells).toEqual(first);
});

it('finds the same outliers in cells as by comparing all with all', async () => {
  const groups = ['g', 'h', 'i'].flatMap((seed, at) => vectorsNear(at, 250, 0.4, seed));
  const far = [0, 1, 2].map((at) => {
    const vector = new Float32Array(16);
    vector[10 + at] = 1;
    return vector;
  });
  // Some of a group are copies: all in one cell, which is then fuller than what is looked in.
  const same = Array.from({ length: 200 }, () => groups[0] ?? new Float32Array(16));
  const all = pack([...groups, ...far, ...same]);
  const exact = await findOutliers(all, noPause);
  const inCells = await findOutliers(all, noPause, 100);
  expect(
    exact.outliers
      .slice(0, 3)
      .map(({ place }) => place)
      .toSorted(),
  ).toEqual([750, 751, 752]);
  expect(inCells).toEqual(exact);
});

it('gives each of very many vectors to a cluster that some of them tell', async () => {
  const kinds = [vectorsNear(0, 7_000, 0.3, 'j'), vectorsNear(1, 5_000, 0.3, 'k')];
  const points = await principalComponents(pack(kinds.flat()), 4, noPause);
  const { clusterOf, count } = await clusterPoints(points, 4, noPause);
  expect(count).toBe(2);
  expect(new Set(clusterOf.slice(0, 7_000))).toEqual(new Set([0]));
  expect(new Set(clusterOf.slice(7_000))).toEqual(new Set([1]));
});
