// Finds copies of a picture by its descriptor alone: in another size, format or quality, in a
// little other light, hardly cropped.

import { limits } from '../../limits.ts';
import type { Descriptor } from '../similarity-descriptor.ts';
import type { DisjointSets } from './disjoint-sets.ts';
import { meanPlaces } from './looks.ts';

type Vector = Descriptor['vector'];

/** What an image shows, at its place in the list that was given. */
export interface Pattern {
  readonly place: number;
  readonly waves: Vector;
  /** Square of its length: how much there is to see. */
  readonly strength: number;
}

/**
 * Those that have something in them, in the order in which `uniteCopies` wants them.
 *
 * Measured on the 364 images of BCCD, one microscope series: two images of different places are
 * at least 29 apart (the median is 83), one place moved by a twentieth is 25, in another focus 5.
 * Copies: other formats, sizes from half to double and JPEG qualities down to 20 are at most 5,
 * 10 % brighter 10, cropped by 1 % on each side 14.
 */
export function patternsOf(vectors: readonly Vector[]): readonly Pattern[] {
  return (
    vectors
      .map((vector, place) => toPattern(vector, place))
      .filter(({ strength }) => strength >= limits.plainPatternMin ** 2)
      // In the order of their first wave, those after a while are too far away.
      .toSorted((a, b) => first(a) - first(b))
  );
}

/** Unites the places of copies. `pause` is awaited between parts of the work. */
export async function uniteCopies(
  patterns: readonly Pattern[],
  sets: DisjointSets,
  pause: () => Promise<void>,
): Promise<void> {
  const table = toTable(patterns);
  for (let one = 0; one < patterns.length; one += 1) {
    uniteWithNear(table, one, sets);
    if (one % limits.looksUnitedAtOnce === 0) await pause();
  }
}

/** The vector without the means of its three planes. */
function toPattern(vector: Vector, place: number): Pattern {
  const waves = vector.filter((_, at) => !meanPlaces.has(at));
  return { place, waves, strength: waves.reduce((sum, wave) => sum + wave ** 2, 0) };
}

const waveCount = 64 - meanPlaces.size;

function first({ waves }: Pattern): number {
  return waves[0] ?? 0;
}

/** All patterns one after the other: comparing them is what takes the time. */
interface Table {
  readonly places: Int32Array;
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
  return { places: Int32Array.from(patterns, ({ place }) => place), waves, mostSquares };
}

/** Images with little in them differ by little: a quarter of it tells them apart. */
const patternShare = 4;

function uniteWithNear({ places, waves, mostSquares }: Table, one: number, sets: DisjointSets) {
  const count = mostSquares.length;
  const start = one * waveCount;
  const firstMax = (waves[start] ?? 0) + limits.nearDuplicateDistanceMax;
  const mostOfOne = mostSquares[one] ?? 0;
  for (let other = one + 1; other < count; other += 1) {
    const otherStart = other * waveCount;
    if ((waves[otherStart] ?? 0) > firstMax) return;
    if (sets.areOne(places[one] ?? 0, places[other] ?? 0)) continue;
    const most = Math.min(mostOfOne, mostSquares[other] ?? 0);
    let squares = 0;
    // Most pairs are too far apart after a few waves.
    for (let at = 0; at < waveCount && squares <= most; at += 1) {
      const difference = (waves[start + at] ?? 0) - (waves[otherStart + at] ?? 0);
      squares += difference * difference;
    }
    if (squares <= most) sets.unite(places[one] ?? 0, places[other] ?? 0);
  }
}
