// What goes to the trash while work on it waits or runs: nothing is begun, nothing is moved.

import { expect, it } from 'vitest';
import { systemClock } from '../../../src/clock.ts';
import { createSqliteStore } from '../../../src/platform/database/create-store.ts';
import { createTaskQueue } from '../../../src/storage/task-queue.ts';
import { numberIn, seedImages } from '../seed-images.ts';

const projectId = 'large-project';
const free = <T>(writes: () => Promise<T>) => writes();

/** A project with a version and a training that waits; what is needed to look into both. */
async function withTraining() {
  const { database, shared } = await seedImages(3);
  const work = createTaskQueue(shared, { clock: systemClock, owner: 'x' });
  const store = createSqliteStore(shared, work);
  const workspaceId = (await store.workspaces.ensure('acme', 1)).id;
  const settings = { preprocessing: {}, augmentation: {} };
  const version = { id: 'v1', projectId, name: undefined, settings, taskId: 't1', created: 1 };
  await store.versions.add(version, undefined);
  await store.trainings.add({
    id: 'r1',
    versionId: 'v1',
    projectId,
    workspaceId,
    modelType: 'a',
    recipe: {},
    epochs: 1,
    created: 1,
  });
  return { database, store, work };
}

it.each(['project', 'version', 'training'] as const)(
  'ends a training in the transaction that puts its %s in the trash',
  async (type) => {
    const { database, store, work } = await withTraining();
    // Where the end of the training cannot be written, the trash is not either.
    database.run(
      `CREATE TRIGGER refuse BEFORE UPDATE OF status ON trainings
         BEGIN SELECT RAISE(ABORT, 'refused'); END`,
    );
    const trash = () => {
      if (type === 'project') return store.projects.trash(projectId, 5, 'me');
      if (type === 'version') return store.versions.trash('v1', 5, 'me');
      return store.trainings.trash('r1', 5, 'me');
    };
    await expect(trash()).rejects.toThrow();
    const table = `${type}s`;
    const inTrash = `SELECT count(*) AS n FROM ${table} WHERE deleted_at IS NOT NULL`;
    expect(numberIn(database, inTrash)).toBe(0);
    database.run('DROP TRIGGER refuse');
    expect(await trash()).toBe(true);
    expect(numberIn(database, inTrash)).toBe(1);
    expect(await store.trainings.get('r1')).toMatchObject({ status: 'cancelled', ended: 5 });
    expect(await work.get('r1')).toMatchObject({ status: 'failed', errorCode: 'cancelled' });
    expect(await trash()).toBe(false);
  },
);

it.each(['projects', 'versions'])(
  'begins no training where %s are in the trash, and cancels it',
  async (table) => {
    const { database, store } = await withTraining();
    // As a start of a training leaves it that looked just before the deletion.
    database.run(`UPDATE ${table} SET deleted_at = 1`);
    expect(await store.trainings.begin('r1', 7, free)).toBe(false);
    database.run(`UPDATE ${table} SET deleted_at = NULL`);
    expect(await store.trainings.get('r1')).toMatchObject({ status: 'cancelled', ended: 7 });
    expect(await store.trainings.begin('r1', 8, free)).toBe(false);
  },
);

it('moves no image of a project that went to the trash, and says so', async () => {
  const { database, store } = await withTraining();
  await store.splits.begin('task', { train: 3, valid: 0, test: 0 }, free);
  const move = (imageId: string) =>
    store.splits.move('task', projectId, [{ imageId, to: 'valid' }], free, 9);
  expect(await move('image-1')).toBe(1);
  await store.projects.trash(projectId, 5, 'me');
  await expect(move('image-2')).rejects.toMatchObject({
    code: 'conflict',
    message: 'The project is in the trash.',
  });
  const moved = "SELECT count(*) AS n FROM images WHERE split = 'valid'";
  expect(numberIn(database, moved)).toBe(1);
});
