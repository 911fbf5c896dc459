// Which images of a project are compared, and what is said of the others.

import { expect, it } from 'vitest';
import { KeptComparisons } from '../../../src/platform/database/comparisons/kept-comparisons.ts';
import {
  type ComparableImages,
  findNearDuplicates,
  groupImages,
  showGroups,
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
  const first = { ordinal: 1, split: 'train' };
  const fourth = { ordinal: 4, split: 'train' };
  const fifth = { ordinal: 5, split: 'valid' };
  expect(await groupImages(shared, comparable(), 'large-project')).toEqual({
    groups: [[fifth, first, fourth]],
    copies: [[fifth, first, fourth]],
    leaks: [[fifth, first, fourth]],
    compared: 5,
    plain: 0,
    isComplete: true,
  });
  expect(await groupImages(shared, comparable(), 'large-project', 2)).toEqual({
    groups: [[fifth, first]],
    copies: [[fifth, first]],
    leaks: [[fifth, first]],
    compared: 2,
    plain: 0,
    isComplete: false,
  });
});

it('shows of a group one image of each split first, and gives all as numbers', async () => {
  const { database, shared } = await seedImages(5);
  for (let ordinal = 1; ordinal <= 5; ordinal += 1) describe(database, ordinal, ordinal % 2);
  database.run("UPDATE images SET split = 'test' WHERE id = 'image-5'");
  const { groups } = await groupImages(shared, comparable(), 'large-project');
  expect(await showGroups(shared, groups, 2)).toEqual([
    {
      images: [
        { id: 'image-5', name: '5.png', split: 'test' },
        { id: 'image-1', name: '1.png', split: 'train' },
      ],
      total: 3,
    },
    {
      images: [
        { id: 'image-2', name: '2.png', split: 'train' },
        { id: 'image-4', name: '4.png', split: 'train' },
      ],
      total: 2,
    },
  ]);
  expect(await findNearDuplicates(shared, comparable(), 'large-project')).toEqual({
    ordinals: Float64Array.from([5, 1, 3, 2, 4]),
    splits: Uint8Array.from([2, 0, 0, 0, 0]),
    ends: Uint32Array.from([3, 5]),
    leaks: 1,
    compared: 5,
    plain: 0,
    isComplete: true,
  });
});

it('counts images without a descriptor as not compared, and even ones for themselves', async () => {
  const { database, shared } = await seedImages(3);
  for (const ordinal of [1, 2]) describe(database, ordinal, 9);
  expect(await groupImages(shared, comparable(), 'large-project')).toEqual({
    groups: [],
    copies: [],
    leaks: [],
    compared: 0,
    plain: 2,
    isComplete: false,
  });
  expect(await groupImages(shared, comparable(), 'another-project')).toEqual({
    groups: [],
    copies: [],
    leaks: [],
    compared: 0,
    plain: 0,
    isComplete: true,
  });
});
