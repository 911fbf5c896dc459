// Of very many images the same is found as by comparing each with each.

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { descriptorPlanes, zigzag } from '../../../src/imaging/cosine-transform-basis.ts';
import {
  CentredDescriptors,
  meanPlaces,
  mirrorings,
} from '../../../src/imaging/near-duplicates/centred-descriptors.ts';
import { patternsOf, uniteCopies } from '../../../src/imaging/near-duplicates/copies.ts';
import { DisjointSets } from '../../../src/imaging/near-duplicates/disjoint-sets.ts';
import { findCandidates } from '../../../src/imaging/near-duplicates/nearest-descriptors.ts';
import { unitDescriptor } from '../../../src/imaging/near-duplicates/unit-descriptors.ts';
import { limits } from '../../../src/limits.ts';
import { between, type Random, randomFrom } from '../../../src/seeded-random.ts';
import { quantise, quantiseQuery } from '../../../src/vector-search/quantise.ts';

const nothing = async () => {};

/** Coarse coefficients are larger than fine ones, as in photos. */
function photo(random: Random): Int8Array {
  return Int8Array.from({ length: 64 }, (_, at) => between(random, -90, 90) / Math.sqrt(1 + at));
}

function changed(vector: Int8Array, random: Random, most: number): Int8Array {
  return vector.map((coefficient) => Math.round(coefficient + between(random, -most, most)));
}

/** At an upright axis: coefficients of an odd frequency from left to right change their sign. */
function mirrored(vector: Int8Array): Int8Array {
  const signs = descriptorPlanes.flatMap(({ count }) =>
    zigzag.slice(0, count).map((coefficient) => (coefficient % 2 === 0 ? 1 : -1)),
  );
  return vector.map((coefficient, at) => coefficient * (signs[at] ?? 1));
}

async function copiesAmong(vectors: readonly Int8Array[]) {
  const sets = new DisjointSets(vectors.length);
  const isComplete = await uniteCopies(patternsOf(vectors), sets, nothing);
  return { groups: sets.groups(), isComplete };
}

/** Each with each. */
function plainly(vectors: readonly Int8Array[]) {
  const sets = new DisjointSets(vectors.length);
  const lengthOf = (vector: Int8Array, other?: Int8Array) => {
    let squares = 0;
    for (const [at, coefficient] of vector.entries()) {
      if (!meanPlaces.has(at)) squares += (coefficient - (other?.[at] ?? 0)) ** 2;
    }
    return Math.sqrt(squares);
  };
  for (const [one, vector] of vectors.entries()) {
    for (const [other, second] of vectors.entries()) {
      const least = Math.min(lengthOf(vector), lengthOf(second));
      if (other <= one || least < limits.plainPatternMin) continue;
      const most = Math.min(limits.nearDuplicateDistanceMax, least / 4);
      if (lengthOf(vector, second) <= most) sets.unite(one, other);
    }
  }
  return sets.groups();
}

it.each([
  ['of different photos, of which each tenth has copies', 90, 3],
  ['of one camera that hardly moves, with more and less noise', 4, 4],
  ['of one camera, whose noise is as large as the bound', 2, 4],
])('finds every copy %s', async (_what, spread, noise) => {
  const random = randomFrom('copies');
  const scenes = Array.from({ length: 30 }, () => photo(random));
  const vectors = Array.from({ length: 400 }, (_, at) => {
    if (spread === 90 && at % 10 > 0) return photo(random);
    const scene = spread === 90 ? scenes[at % 30] : scenes[0];
    return changed(scene ?? photo(random), random, (at % 3) * noise * 0.5);
  });
  const { groups, isComplete } = await copiesAmong(vectors);
  expect(groups).toEqual(plainly(vectors));
  expect(groups.length).toBeGreaterThan(0);
  expect(isComplete).toBe(true);
});

it('passes over what is in one set already, however much of it there is', async () => {
  const random = randomFrom('still');
  const still = photo(random);
  const vectors = Array.from({ length: 20_000 }, () => changed(still, random, 1));
  const { groups, isComplete } = await copiesAmong(vectors);
  expect(groups).toMatchObject([{ length: 20_000 }]);
  expect(isComplete).toBe(true);
});

/** Of each place the three pairs that are most alike, among all pairs, by plain arithmetic. */
function plainCandidates(descriptors: CentredDescriptors): ReadonlySet<string> {
  const pairs: { key: string; places: readonly number[]; likeness: number }[] = [];
  for (let one = 0; one < descriptors.count; one += 1) {
    for (const [turn, mirroring] of mirrorings.entries()) {
      const query = quantiseQuery(unitDescriptor(descriptors.of(one, mirroring)));
      for (let other = 0; other < one; other += 1) {
        const { values, scale } = quantise(unitDescriptor(descriptors.of(other)));
        const product = values.reduce((sum, value, at) => sum + value * (query.values[at] ?? 0), 0);
        const likeness = product * (Math.fround(scale) * query.scale);
        if (likeness < 0.5) continue;
        pairs.push({ key: `${one} ${other} ${turn}`, places: [one, other], likeness });
      }
    }
  }
  const nearest = Array.from({ length: descriptors.count }, (_, place) =>
    pairs
      .filter(({ places }) => places.includes(place))
      .toSorted((a, b) => b.likeness - a.likeness)
      .slice(0, 3),
  );
  return new Set(nearest.flat().map(({ key }) => key));
}

it('finds the candidates that comparing all pairs finds', async () => {
  let found = 0;
  const sets = fc.record({ seed: fc.integer({ min: 0, max: 9_999 }), noise: fc.nat({ max: 40 }) });
  await fc.assert(
    fc.asyncProperty(sets, async ({ seed, noise }) => {
      const random = randomFrom(`candidates ${seed}`);
      const scenes = Array.from({ length: 4 }, () => photo(random));
      const vectors = Array.from({ length: 40 }, (_, at) => {
        const scene = changed(scenes[at % 4] ?? new Int8Array(64), random, noise);
        return at % 3 === 0 ? mirrored(scene) : scene;
      });
      const descriptors = new CentredDescriptors(vectors);
      const candidates = await findCandidates(descriptors, () => true, nothing);
      const keys = candidates.map(
        ({ one, other, mirroring }) => `${one} ${other} ${mirrorings.indexOf(mirroring)}`,
      );
      expect(new Set(keys)).toEqual(plainCandidates(descriptors));
      found += keys.length;
    }),
    { numRuns: 30 },
  );
  expect(found).toBeGreaterThan(500);
});

it('finds in cells nearly all candidates of a comparison with all, mirrored too', async () => {
  const random = randomFrom('candidates');
  const vectors = Array.from({ length: 3_000 }, () => photo(random));
  for (let at = 0; at < 300; at += 1) {
    const vector = vectors[at] ?? new Int8Array(64);
    vectors.push(changed(vector, random, 4));
    vectors.push(mirrored(vector));
  }
  const descriptors = new CentredDescriptors(vectors);
  const isOther = (one: number, other: number) => one !== other;
  const exact = await findCandidates(descriptors, isOther, nothing);
  const inCells = await findCandidates(descriptors, isOther, nothing, 1_000);
  const keyOf = ({ one, other }: { readonly one: number; readonly other: number }) =>
    `${Math.min(one, other)} ${Math.max(one, other)}`;
  const found = new Set(inCells.map(keyOf));
  const likely = exact.filter(({ likeness }) => likeness >= 0.9);
  const missed = likely.filter((pair) => !found.has(keyOf(pair)));
  expect(likely.length).toBeGreaterThan(600);
  expect(missed.length / likely.length).toBeLessThan(0.02);
});
