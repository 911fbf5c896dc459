// Comparing many vectors: the kernel gives what plain arithmetic gives, and the nearest are kept.

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { NearestVectors } from '../../src/vector-search/nearest-vectors.ts';
import { quantise, quantiseQuery } from '../../src/vector-search/quantise.ts';
import { VectorBlock } from '../../src/vector-search/vector-block.ts';

function unit(values: readonly number[]): Float32Array {
  const length = Math.hypot(...values) || 1;
  return Float32Array.from(values, (value) => value / length);
}

function cosine(a: Float32Array, b: Float32Array): number {
  return a.reduce((sum, value, at) => sum + value * (b[at] ?? 0), 0);
}

/** The same numbers in each run. */
function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32 - 0.5;
  };
}

it('gives the products of plain arithmetic, whatever the length', () => {
  const vectors = fc.integer({ min: 1, max: 200 }).chain((dimensions) => {
    const vector = fc.array(fc.integer({ min: -127, max: 127 }), {
      minLength: dimensions,
      maxLength: dimensions,
    });
    return fc.record({ query: vector, some: fc.array(vector, { maxLength: 40 }) });
  });
  fc.assert(
    fc.property(vectors, ({ query, some }) => {
      const block = new VectorBlock(query.length, 3);
      for (const [at, values] of some.entries()) {
        block.add(at + 7, { scale: 0.5, values: Int8Array.from(values) });
      }
      const found: (readonly [number, number])[] = [];
      const asked = { scale: 2, values: Int16Array.from(query) };
      block.compare(asked, (ordinal, similarity) => found.push([ordinal, similarity]));
      const expected = some.map((values, at) => [
        at + 7,
        values.reduce((sum, value, place) => sum + value * (query[place] ?? 0), 0),
      ]);
      expect(found.map(([ordinal, similarity]) => [ordinal, similarity + 0])).toEqual(
        expected.map(([ordinal, product]) => [ordinal, (product ?? 0) + 0]),
      );
    }),
  );
});

it('has the largest products that there can be', () => {
  const block = new VectorBlock(4_096, 1);
  const most = new Float32Array(4_096).fill(1 / 64);
  block.add(1, quantise(most));
  block.compare(quantiseQuery(most), (_ordinal, similarity) => {
    expect(similarity).toBeCloseTo(1, 3);
  });
  block.compare(quantiseQuery(most.map((value) => -value)), (_ordinal, similarity) => {
    expect(similarity).toBeCloseTo(-1, 3);
  });
});

it('compares more than one call of the kernel takes, and starts anew when it is cleared', () => {
  const next = generator(1);
  const block = new VectorBlock(20, 10);
  const vectors = Array.from({ length: 9_000 }, () => unit(Array.from({ length: 20 }, next)));
  for (const [at, vector] of vectors.entries()) block.add(at, quantise(vector));
  const query = unit(Array.from({ length: 20 }, next));
  const seen: number[] = [];
  block.compare(quantiseQuery(query), (ordinal, similarity) => {
    seen.push(ordinal);
    const exact = cosine(query, vectors[ordinal] ?? query);
    if (Math.abs(similarity - exact) > 0.02) throw new Error(`${ordinal}: ${similarity}, ${exact}`);
  });
  expect(seen).toEqual([...vectors.keys()]);
  block.clear();
  block.add(5, quantise(query));
  const after: number[] = [];
  block.compare(quantiseQuery(query), (ordinal) => after.push(ordinal));
  expect(after).toEqual([5]);
});

it('loses less by bytes than makes a difference: the nearest are nearest by floats too', () => {
  const next = generator(2);
  const random = () => unit(Array.from({ length: 512 }, next));
  const vectors = Array.from({ length: 1_000 }, random);
  // One number far above all others, as encoders have it.
  for (const vector of vectors) vector[7] = 0.6;
  const block = new VectorBlock(512, 1_000);
  for (const [at, vector] of vectors.entries()) block.add(at, quantise(vector));
  const query = random();
  const nearest = new NearestVectors(10);
  block.compare(quantiseQuery(query), (ordinal, similarity) => {
    nearest.offer(ordinal, similarity);
    expect(Math.abs(similarity - cosine(query, vectors[ordinal] ?? query))).toBeLessThan(0.008);
  });
  const exact = vectors
    .map((vector, ordinal) => ({ ordinal, similarity: cosine(query, vector) }))
    .toSorted((a, b) => b.similarity - a.similarity);
  expect(exact.slice(0, 15).map(({ ordinal }) => ordinal)).toEqual(
    expect.arrayContaining(nearest.best.slice(0, 5).map(({ ordinal }) => ordinal)),
  );
});

it('refuses a vector of another length', () => {
  const block = new VectorBlock(4, 1);
  expect(() => block.add(1, quantise(new Float32Array(5).fill(1)))).toThrow('another length');
});

it('has vectors without a direction, which are like nothing', () => {
  const block = new VectorBlock(4, 1);
  block.add(1, quantise(new Float32Array(4)));
  block.compare(quantiseQuery(new Float32Array(4).fill(0.5)), (_ordinal, similarity) => {
    expect(similarity).toBe(0);
  });
});

it('keeps the best of many, the newest of equal ones first', () => {
  const offers = fc.array(fc.integer({ min: 0, max: 20 }), { maxLength: 300 });
  fc.assert(
    fc.property(offers, fc.integer({ min: 1, max: 8 }), (similarities, countMax) => {
      const nearest = new NearestVectors(countMax);
      for (const [ordinal, similarity] of similarities.entries())
        nearest.offer(ordinal, similarity);
      const expected = similarities
        .map((similarity, ordinal) => ({ ordinal, similarity }))
        .toSorted((a, b) => b.similarity - a.similarity || b.ordinal - a.ordinal)
        .slice(0, countMax);
      expect(nearest.best).toEqual(expected);
    }),
  );
});
