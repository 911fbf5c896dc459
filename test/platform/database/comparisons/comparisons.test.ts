// Comparisons of all images of a project: one for all pages, in a thread as in the caller.

import { describe, expect, it } from 'vitest';
import {
  type Compare,
  compareHere,
  type ImageVectors,
} from '../../../../src/platform/database/comparisons/comparison.ts';
import { comparisonThreads } from '../../../../src/platform/database/comparisons/comparison-threads.ts';
import { KeptComparisons } from '../../../../src/platform/database/comparisons/kept-comparisons.ts';
import { listFindings } from '../../../../src/platform/database/findings.ts';
import { bitSlicedImageIndex } from '../../../../src/platform/database/search-index/bit-sliced-image-index.ts';
import { between, randomFrom } from '../../../../src/seeded-random.ts';
import { packVectors } from '../../../../src/vector-search/packed-vectors.ts';
import type { WorkWatcher } from '../../../../src/work-watcher.ts';
import { seedImages } from '../../seed-images.ts';

function looks(count: number): Int8Array<ArrayBuffer> {
  const random = randomFrom('looks');
  const coefficients = Int8Array.from({ length: count * 64 }, () => between(random, -30, 30));
  // The last is a copy of the first.
  coefficients.copyWithin((count - 1) * 64, 0, 64);
  return coefficients;
}

type Finding = 'outliers' | 'clusters' | 'leaks' | 'near-duplicates';

async function project() {
  const { database, shared } = await seedImages(40);
  const coefficients = looks(40);
  for (let at = 0; at < 40; at += 1) {
    const vector = new Uint8Array(coefficients.slice(at * 64, (at + 1) * 64).buffer);
    database.run('INSERT INTO likeness_vectors (ordinal, vector) VALUES (?, ?)', [at + 1, vector]);
  }
  let compared = 0;
  let fails = false;
  const compare: Compare = (kind, vectors, watcher) => {
    compared += 1;
    if (fails) throw new Error('no memory');
    return compareHere(kind, vectors, watcher);
  };
  const { vectors } = bitSlicedImageIndex;
  const kept = new KeptComparisons(compare);
  return {
    database,
    find: (finding: Finding, offset = 0, watcher: WorkWatcher = {}) => {
      const index = { vectors, kept, watcher };
      return listFindings(shared, index, 'large-project', { finding, limit: 1, offset });
    },
    compared: () => compared,
    fail: (now: boolean) => {
      fails = now;
    },
  };
}

describe('comparisons of a project', () => {
  it('are one for all pages of an answer, until images, splits or vectors change', async () => {
    const { database, find, compared } = await project();
    const pages = [await find('clusters'), await find('clusters', 1)];
    expect(compared()).toBe(1);
    expect(pages[0]).toMatchObject({ kind: 'clusters', compared: 40, isComplete: true });
    expect(pages[1]?.total).toBe(pages[0]?.total);
    expect(pages[1]).not.toEqual(pages[0]);
    await find('outliers');
    await find('outliers', 1);
    expect(compared()).toBe(2);
    expect(await find('near-duplicates')).toMatchObject({ total: 1, groups: [{ total: 2 }] });
    expect(await find('leaks')).toMatchObject({ total: 0 });
    expect(compared()).toBe(3);
    database.run(
      `UPDATE images SET split = 'test'
       WHERE id = (SELECT image_id FROM image_ordinals WHERE ordinal = 40)`,
    );
    expect(await find('leaks')).toMatchObject({ total: 1 });
    expect(compared()).toBe(4);
    database.run('DELETE FROM likeness_vectors WHERE ordinal = 40');
    expect(await find('clusters')).toMatchObject({ compared: 39, isComplete: false });
    expect(compared()).toBe(5);
  });

  it('are those of an embedding model as soon as it has vectors of all images', async () => {
    const { database, find } = await project();
    database.run(
      "INSERT INTO embedding_models (fingerprint, name, dimensions, used) VALUES ('f', 'clip', 4, 1)",
    );
    for (let at = 1; at <= 40; at += 1) {
      if (at === 40) expect(await find('clusters')).toMatchObject({ by: 'looks' });
      database.run(
        'INSERT INTO embedding_vectors (model, ordinal, scale, vector) VALUES (1, ?, 0.01, ?)',
        [at, Uint8Array.from(at < 20 ? [100, at, 0, 0] : [0, 0, 100, at])],
      );
    }
    const found = await find('clusters');
    expect(found).toMatchObject({ by: 'clip', total: 2, groups: [{ total: 21 }], compared: 40 });
  });

  it('end with the one who began them, and begin anew for those who wait', async () => {
    const { find, compared } = await project();
    const first = new AbortController();
    const shares: number[] = [];
    const begun = find('clusters', 0, {
      signal: first.signal,
      onShare: (share) => {
        shares.push(share);
        if (shares.length === 2) first.abort(new Error('given up'));
      },
    });
    const waiting = find('clusters');
    await expect(begun).rejects.toThrow('given up');
    expect(shares.length).toBe(2);
    expect(await waiting).toMatchObject({ kind: 'clusters', compared: 40 });
    expect(compared()).toBe(2);
  });

  it('are tried again where one has failed', async () => {
    const { find, fail } = await project();
    fail(true);
    await expect(find('outliers')).rejects.toThrow('no memory');
    fail(false);
    expect(await find('outliers')).toMatchObject({ kind: 'images' });
  });
});

describe('threads that compare', () => {
  it('find what is found without them, and nothing once they are closed', async () => {
    const threads = comparisonThreads();
    const byLooks = (): ImageVectors => ({ kind: 'looks', coefficients: looks(40) });
    const random = randomFrom('embedded');
    const floats = Array.from({ length: 30 }, () =>
      Float32Array.from([1, 0, 0, 0], (value) => value + between(random, -0.1, 0.1)),
    );
    const embedded = (): ImageVectors => ({ kind: 'embedded', vectors: packVectors(floats, 30) });
    for (const vectors of [byLooks, embedded]) {
      for (const kind of ['groups', 'outliers', 'map'] as const) {
        expect(await threads.compare(kind, vectors())).toEqual(await compareHere(kind, vectors()));
      }
    }
    await threads.close();
    await expect(threads.compare('groups', byLooks())).rejects.toMatchObject({ code: 'cancelled' });
  });

  it('tell how far they are, and end when nobody waits any more', async () => {
    const threads = comparisonThreads();
    const ending = new AbortController();
    const shares: number[] = [];
    const asked = threads.compare(
      'outliers',
      { kind: 'looks', coefficients: looks(9_000) },
      {
        signal: ending.signal,
        onShare: (share) => {
          shares.push(share);
          if (shares.length === 2) ending.abort(new Error('given up'));
        },
      },
    );
    await expect(asked).rejects.toThrow('given up');
    const [first = -1, second = -1] = shares;
    expect(first).toBe(0);
    expect(second).toBeGreaterThan(0);
    expect(second).toBeLessThan(1);
    expect(
      await threads.compare('groups', { kind: 'looks', coefficients: looks(40) }),
    ).toMatchObject({
      groups: [[0, 39]],
    });
    await threads.close();
  });

  it('give up what takes too long', async () => {
    const threads = comparisonThreads(0);
    const asked = threads.compare('outliers', { kind: 'looks', coefficients: looks(3_000) });
    await expect(asked).rejects.toMatchObject({ code: 'invalid_input' });
    await threads.close();
  });
});
