// Finds images that show the same picture: in another size, format, quality or light, or a little
// cropped.

import { limits } from '../limits.ts';
import type { Descriptor } from './similarity-descriptor.ts';

type Vector = Descriptor['vector'];

export interface NearDuplicateGroups {
  /** Places of the vectors, ascending; the groups by their first. */
  readonly groups: readonly (readonly number[])[];
  /** Vectors of pictures too even to be told from each other: they are in no group. */
  readonly plain: number;
}

/**
 * Groups vectors of descriptors. Each member is a near-duplicate of another one in its group, not
 * necessarily of all: so the frames of a slow video are one group, and a group that lies in two
 * splits has a pair that does. Brightness is left out of the distance.
 *
 * Measured on the 364 images of BCCD, one microscope series: two images of different places are
 * at least 29 apart (the median is 83), one place moved by a twentieth is 25, in another focus 5.
 * Copies: other formats, sizes from half to double and JPEG qualities down to 20 are at most 5,
 * 10 % brighter 10, cropped by 1 % on each side 14. Turned, mirrored or grey ones are not found.
 */
export function groupNearDuplicates(vectors: readonly Vector[]): NearDuplicateGroups {
  const patterns = vectors
    .map((vector, place) => toPattern(vector, place))
    .filter(({ strength }) => strength >= limits.plainPatternMin ** 2)
    // In the order of their first wave, those after a while are too far away.
    .toSorted((a, b) => first(a) - first(b));
  const table = toTable(patterns);
  const sets = new DisjointSets(patterns.length);
  for (let one = 0; one < patterns.length; one += 1) uniteWithNear(table, one, sets);
  const groups = sets
    .groups()
    .map((group) => group.map((at) => patterns[at]?.place ?? 0).toSorted((a, b) => a - b))
    .toSorted(([a = 0], [b = 0]) => a - b);
  return { groups, plain: vectors.length - patterns.length };
}

interface Pattern {
  readonly place: number;
  readonly waves: Vector;
  /** Square of its length: how much there is to see. */
  readonly strength: number;
}

/** The vector without the means of its three planes. */
function toPattern(vector: Vector, place: number): Pattern {
  const waves = vector.filter((_, at) => !meanPlaces.has(at));
  return { place, waves, strength: waves.reduce((sum, wave) => sum + wave ** 2, 0) };
}

const meanPlaces = new Set([0, 36, 50]);
const waveCount = 64 - meanPlaces.size;

function first({ waves }: Pattern): number {
  return waves[0] ?? 0;
}

/** All patterns one after the other: comparing them is what takes the time. */
interface Table {
  readonly waves: Int8Array;
  /** For each pattern, the square of the largest distance to a near-duplicate. */
  readonly mostSquares: Float64Array;
}

function toTable(patterns: readonly Pattern[]): Table {
  const waves = new Int8Array(patterns.length * waveCount);
  for (const [at, pattern] of patterns.entries()) waves.set(pattern.waves, at * waveCount);
  const most = limits.nearDuplicateDistanceMax ** 2;
  const mostSquares = Float64Array.from(patterns, ({ strength }) =>
    Math.min(most, strength / patternShare ** 2),
  );
  return { waves, mostSquares };
}

/** Images with little in them differ by little: a quarter of it tells them apart. */
const patternShare = 4;

function uniteWithNear({ waves, mostSquares }: Table, one: number, sets: DisjointSets): void {
  const count = mostSquares.length;
  const start = one * waveCount;
  const firstMax = (waves[start] ?? 0) + limits.nearDuplicateDistanceMax;
  const mostOfOne = mostSquares[one] ?? 0;
  for (let other = one + 1; other < count; other += 1) {
    const otherStart = other * waveCount;
    if ((waves[otherStart] ?? 0) > firstMax) return;
    if (sets.areOne(one, other)) continue;
    const most = Math.min(mostOfOne, mostSquares[other] ?? 0);
    let squares = 0;
    // Most pairs are too far apart after a few waves.
    for (let at = 0; at < waveCount && squares <= most; at += 1) {
      const difference = (waves[start + at] ?? 0) - (waves[otherStart + at] ?? 0);
      squares += difference * difference;
    }
    if (squares <= most) sets.unite(one, other);
  }
}

/** Numbers in sets that grow together. */
class DisjointSets {
  readonly #parents: Int32Array;

  constructor(count: number) {
    this.#parents = Int32Array.from({ length: count }, (_, place) => place);
  }

  areOne(a: number, b: number): boolean {
    return this.#root(a) === this.#root(b);
  }

  unite(a: number, b: number): void {
    const [one, other] = [this.#root(a), this.#root(b)];
    this.#parents[Math.max(one, other)] = Math.min(one, other);
  }

  /** Those of two and more. */
  groups(): readonly (readonly number[])[] {
    const places = Array.from(this.#parents, (_, place) => place);
    const sets = Map.groupBy(places, (place) => this.#root(place));
    return [...sets.values()].filter(({ length }) => length > 1);
  }

  #root(place: number): number {
    let at = place;
    for (;;) {
      const parent = this.#parents[at] ?? at;
      if (parent === at) return at;
      const above = this.#parents[parent] ?? parent;
      this.#parents[at] = above;
      at = above;
    }
  }
}
