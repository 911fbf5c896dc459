// Which images of a project are compared, and what is said of the others.

import { expect, it } from 'vitest';
import { KeptComparisons } from '../../../src/platform/database/comparisons/kept-comparisons.ts';
import {
  type ComparableImages,
  findNearDuplicates,
} from '../../../src/platform/database/near-duplicates.ts';
import { bitSlicedImageIndex } from '../../../src/platform/database/search-index/bit-sliced-image-index.ts';
import type { Database } from '../../../src/storage/database.ts';
import { seedImages } from '../seed-images.ts';

/** Nothing was compared yet. */
function comparable(): ComparableImages {
  return { vectors: bitSlicedImageIndex.vectors, kept: new KeptComparisons() };
}

/** A picture of its own for each kind. */
function describe(database: Database, ordinal: number, kind: number): void {
  const vector = Uint8Array.from({ length: 64 }, (_, at) => (at % 7 === kind ? 50 : 0));
  database.run('INSERT INTO likeness_vectors (ordinal, vector) VALUES (?, ?)', [ordinal, vector]);
}

it('compares valid and test first where there are too many, and says that some are left', async () => {
  const { database, shared } = await seedImages(5);
  for (const [ordinal, kind] of [1, 2, 3, 1, 1].entries()) describe(database, ordinal + 1, kind);
  database.run("UPDATE images SET split = 'valid' WHERE id = 'image-5'");
  const first = { id: 'image-1', name: '1.png', split: 'train' };
  const fourth = { id: 'image-4', name: '4.png', split: 'train' };
  const fifth = { id: 'image-5', name: '5.png', split: 'valid' };
  expect(await findNearDuplicates(shared, comparable(), 'large-project')).toEqual({
    groups: [[fifth, first, fourth]],
    copies: [[fifth, first, fourth]],
    leaks: [[fifth, first, fourth]],
    compared: 5,
    plain: 0,
    isComplete: true,
  });
  expect(await findNearDuplicates(shared, comparable(), 'large-project', 2)).toEqual({
    groups: [[fifth, first]],
    copies: [[fifth, first]],
    leaks: [[fifth, first]],
    compared: 2,
    plain: 0,
    isComplete: false,
  });
});

it('counts images without a descriptor as not compared, and even ones for themselves', async () => {
  const { database, shared } = await seedImages(3);
  for (const ordinal of [1, 2]) describe(database, ordinal, 9);
  expect(await findNearDuplicates(shared, comparable(), 'large-project')).toEqual({
    groups: [],
    copies: [],
    leaks: [],
    compared: 0,
    plain: 2,
    isComplete: false,
  });
  expect(await findNearDuplicates(shared, comparable(), 'another-project')).toEqual({
    groups: [],
    copies: [],
    leaks: [],
    compared: 0,
    plain: 0,
    isComplete: true,
  });
});
