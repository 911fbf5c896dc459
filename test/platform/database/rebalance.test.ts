// Images as a rebalance reads them: in slices, in the order in which they are stored.

import { expect, it } from 'vitest';
import { systemClock } from '../../../src/clock.ts';
import { createSqliteStore } from '../../../src/platform/database/create-store.ts';
import { createTaskQueue } from '../../../src/storage/task-queue.ts';
import { seedImages } from '../seed-images.ts';

it('gives each image once, in stored order, and none of another project', async () => {
  const { database, shared } = await seedImages(12);
  const work = createTaskQueue(shared, { clock: systemClock, owner: 'x' });
  const { splits } = createSqliteStore(shared, work);
  database.run("UPDATE images SET hash = printf('%064d', 100 - rowid)");
  database.run("UPDATE images SET objects = NULL WHERE id = 'image-12'");
  const ordinals = await splits.ordinals('large-project');
  expect(ordinals).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
  const slice = await splits.eligible('large-project', ordinals.slice(8), undefined);
  expect(slice.map(({ id }) => id)).toEqual(['image-9', 'image-10', 'image-11', 'image-12']);
  expect(await splits.eligible('other', ordinals, undefined)).toEqual([]);
  expect(await splits.eligible('large-project', ordinals, ['cat'])).toEqual([]);
  expect(await splits.ordinals('other')).toEqual([]);
});
