// Searches by meaning among more images than are read for one search: their vectors are kept.

import { expect, it } from 'vitest';
import { fromOrdinals } from '../../../src/platform/database/search-index/bitmap.ts';
import { rankByMeaning } from '../../../src/platform/database/search-index/nearest-images.ts';
import { randomFrom } from '../../../src/seeded-random.ts';
import type { Database } from '../../../src/storage/database.ts';
import { quantise } from '../../../src/vector-search/quantise.ts';
import { seedImages } from '../seed-images.ts';

const dimensions = 8;
const random = randomFrom('vectors');

function vector(): Float32Array {
  const values = Array.from({ length: dimensions }, () => random() - 0.5);
  const length = Math.hypot(...values);
  return Float32Array.from(values, (value) => value / length);
}

type Vectors = ReadonlyMap<number, Float32Array>;

/** Gives images of these numbers vectors by a model. */
function embed(database: Database, model: number, ordinals: readonly number[]): Vectors {
  const vectors = new Map(ordinals.map((ordinal) => [ordinal, vector()]));
  database.transaction(() => {
    for (const [ordinal, one] of vectors) {
      const { scale, values } = quantise(one);
      database.run(
        'INSERT INTO embedding_vectors (model, ordinal, scale, vector) VALUES (?, ?, ?, ?)',
        [model, ordinal, scale, new Uint8Array(values.buffer)],
      );
    }
  });
  return vectors;
}

function numbers(first: number, last: number): readonly number[] {
  return Array.from({ length: last - first + 1 }, (_, at) => first + at);
}

function nearestOf(vectors: Vectors, query: Float32Array, isWithin: (ordinal: number) => boolean) {
  const product = (one: Float32Array) =>
    one.reduce((sum, value, at) => sum + value * (query[at] ?? 0), 0);
  return [...vectors]
    .filter(([ordinal]) => isWithin(ordinal))
    .map(([ordinal, one]) => ({ ordinal, similarity: product(one) }))
    .toSorted((a, b) => b.similarity - a.similarity);
}

/** Bytes change the similarity of random vectors of 8 numbers by less than this. */
const exact = 0.01;

function expectNearest(
  found: ReturnType<typeof rankByMeaning>,
  wanted: ReturnType<typeof nearestOf>,
): void {
  expect(found.compared).toBe(wanted.length);
  const similarities = new Map(wanted.map(({ ordinal, similarity }) => [ordinal, similarity]));
  for (const [place, { ordinal, similarity }] of found.ranked.slice(0, 200).entries()) {
    expect(Math.abs(similarity - (similarities.get(ordinal) ?? 9))).toBeLessThan(exact);
    expect(Math.abs(similarity - (wanted[place]?.similarity ?? 9))).toBeLessThan(exact);
  }
}

it('finds the nearest of all, of some, and of those that came since, by each model its own', async () => {
  const { database } = await seedImages(24_000);
  const first = embed(database, 1, numbers(1, 20_000));
  const other = embed(database, 2, numbers(5_000, 24_000));
  const query = vector();
  const all = fromOrdinals(numbers(1, 24_000));
  const odd = fromOrdinals(numbers(1, 24_000).filter((ordinal) => ordinal % 2 === 1));
  const few = fromOrdinals(numbers(100, 4_000));
  const ofFirst = { model: 1, vector: query };
  expectNearest(
    rankByMeaning(database, all, ofFirst),
    nearestOf(first, query, () => true),
  );
  expectNearest(
    rankByMeaning(database, odd, ofFirst),
    nearestOf(first, query, (ordinal) => ordinal % 2 === 1),
  );
  expectNearest(
    rankByMeaning(database, few, ofFirst),
    nearestOf(first, query, (ordinal) => ordinal >= 100 && ordinal <= 4_000),
  );
  const ofOther = { model: 2, vector: query };
  expectNearest(
    rankByMeaning(database, all, ofOther),
    nearestOf(other, query, () => true),
  );
  const since = embed(database, 1, numbers(20_001, 24_000));
  const both = new Map([...first, ...since]);
  expectNearest(
    rankByMeaning(database, all, ofFirst),
    nearestOf(both, query, () => true),
  );
  // An image is deleted: its vector goes with it.
  const best = rankByMeaning(database, all, ofFirst).ranked[0]?.ordinal ?? 0;
  const ofBest = '(SELECT image_id FROM image_ordinals WHERE ordinal = ?)';
  database.run(`DELETE FROM images WHERE id = ${ofBest}`, [best]);
  const left = fromOrdinals(numbers(1, 24_000).filter((ordinal) => ordinal !== best));
  expect(rankByMeaning(database, left, ofFirst).ranked[0]?.ordinal).not.toBe(best);
  const count = 'SELECT count(*) AS n FROM embedding_vectors WHERE ordinal = ?';
  expect(database.get(count, [best], (row) => row.integer('n'))).toBe(0);
});
