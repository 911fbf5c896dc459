// Changes of single images that come at once: together in one transaction, each with its own end.

import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { runFor } from '../../../src/current-caller.ts';
import { platformMigrations } from '../../../src/platform/database/migrations.ts';
import { bitSlicedImageIndex } from '../../../src/platform/database/search-index/bit-sliced-image-index.ts';
import { SharedChanges } from '../../../src/platform/database/search-index/shared-changes.ts';
import { type AsyncDatabase, openAsyncDatabase } from '../../../src/storage/async-database.ts';
import { temporaryFolder } from '../../fixtures/temporary-folder.ts';

async function openChanges() {
  const database = openAsyncDatabase(
    join(await temporaryFolder(), 'platform.db'),
    platformMigrations,
  );
  onTestFinished(() => database.close());
  await database.run(
    "INSERT INTO workspaces (id, slug, name, created) VALUES ('w', 'acme', 'Acme', 1)",
  );
  await database.run(
    `INSERT INTO projects (id, workspace_id, slug, name, type, annotation, created, updated)
     VALUES ('p', 'w', 'cells', 'Cells', 'object-detection', 'cells', 1, 1)`,
  );
  await database.run("INSERT INTO batches VALUES ('b', 'p', 'first', 1)");
  return {
    database,
    begun: vi.spyOn(database, 'transaction'),
    changes: new SharedChanges(database, bitSlicedImageIndex),
  };
}

function add(database: AsyncDatabase, id: string, hash = id): Promise<number> {
  return database.run(
    `INSERT INTO images (id, project_id, batch_id, name, hash, bytes, format, width, height, split,
       metadata, created) VALUES (?, 'p', 'b', ?, ?, 1, 'png', 4, 4, 'train', '{}', 1)`,
    [id, `${id}.png`, hash],
  );
}

const indexed = (database: AsyncDatabase) =>
  database.all(
    `SELECT image_id FROM image_ordinals JOIN search_names USING (ordinal) ORDER BY image_id`,
    [],
    (row) => row.text('image_id'),
  );

it('writes those that come at once in one transaction, and brings all into the index', async () => {
  const { database, changes, begun } = await openChanges();
  const ids = ['a', 'b', 'c'];
  const done = ids.map((id) => changes.change(id, async () => `${id} ${await add(database, id)}`));
  expect(await Promise.all(done)).toEqual(['a 1', 'b 1', 'c 1']);
  expect(begun).toHaveBeenCalledTimes(1);
  expect(await indexed(database)).toEqual(ids);
});

it('undoes the one that fails, and no other', async () => {
  const { database, changes } = await openChanges();
  const ends = await Promise.allSettled([
    changes.change('a', () => add(database, 'a')),
    changes.change('b', () => add(database, 'b', 'a')),
    changes.change('c', async () => {
      await add(database, 'c');
      throw new Error('mine');
    }),
    changes.change('d', () => add(database, 'd')),
  ]);
  expect(ends.map(({ status }) => status)).toEqual([
    'fulfilled',
    'rejected',
    'rejected',
    'fulfilled',
  ]);
  expect(ends[2]).toMatchObject({ reason: { message: 'mine' } });
  expect(await indexed(database)).toEqual(['a', 'd']);
});

it('keeps the changes of two callers apart, and belongs to a transaction that is there', async () => {
  const { database, changes, begun } = await openChanges();
  const one = runFor({ name: 'one' }, () => changes.change('a', () => add(database, 'a')));
  const two = runFor({ name: 'two' }, () => changes.change('b', () => add(database, 'b')));
  await Promise.all([one, two]);
  expect(begun).toHaveBeenCalledTimes(2);
  const undone = database.transaction(async () => {
    await changes.change('c', () => add(database, 'c'));
    throw new Error('undone');
  });
  await expect(undone).rejects.toThrow('undone');
  expect(await indexed(database)).toEqual(['a', 'b']);
});
