// A version of a large project is frozen in many transactions: nobody sees part of it, and it has
// one state of the project.

import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { systemClock } from '../../../src/clock.ts';
import { createSqliteStore } from '../../../src/platform/database/create-store.ts';
import { createTaskQueue } from '../../../src/storage/task-queue.ts';
import { allOf } from '../../fixtures/all-of.ts';
import { numberIn, seedImages } from '../seed-images.ts';

const projectId = 'large-project';
const version = {
  id: 'v1',
  projectId,
  name: undefined,
  taskId: 't1',
  created: 5,
  settings: { preprocessing: {}, augmentation: {} },
};
// A turn takes 10 ms: several, also on a machine that is much faster.
const imageCount = 15_000;
const frozen = 'SELECT count(*) AS n FROM version_sources';

/** A project whose images take several turns to freeze, where it has no fewer. */
async function largeProject(count = imageCount) {
  const { database, shared } = await seedImages(count);
  const store = createSqliteStore(
    shared,
    createTaskQueue(shared, { clock: systemClock, owner: 'x' }),
  );
  await store.workspaces.ensure('acme', 1);
  return { database, store };
}

it('has the state of its beginning, whatever is written meanwhile', async () => {
  const { database, store } = await largeProject();
  const adding = store.versions.add(version, undefined);
  let turns = 0;
  while (numberIn(database, frozen) === 0) await nextTurn();
  for (; numberIn(database, frozen) < imageCount; turns += 1) {
    // What comes last is changed while the first is frozen.
    if (turns === 0) {
      database.run(`DELETE FROM images WHERE id = 'image-${imageCount}'`);
      database.run(`UPDATE images SET split = 'test' WHERE id = 'image-${imageCount - 1}'`);
      database.run(`UPDATE images SET annotation = NULL WHERE id = 'image-${imageCount - 2}'`);
    }
    const seen = [
      ...(await store.versions.list(projectId)),
      ...[await store.versions.find(projectId, 1)].filter((found) => found !== undefined),
    ];
    // What was seen before all of it was there.
    if (numberIn(database, frozen) < imageCount) expect(seen).toEqual([]);
    await nextTurn();
  }
  expect(turns).toBeGreaterThan(2);
  expect(await adding).toMatchObject({ number: 1, state: 'generating' });
  const last = await store.versions.sources('v1', [imageCount - 2, imageCount - 1, imageCount]);
  expect(last.map(({ imageId }) => imageId)).toEqual(
    [2, 1, 0].map((back) => `image-${imageCount - back}`),
  );
  expect(last.map(({ split }) => split)).not.toContain('test');
  expect(last[0]?.annotation).toBeDefined();
  expect(await store.versions.list(projectId)).toHaveLength(1);
  const outlines = await allOf(store.versions.outlines('v1'));
  expect(outlines.map(({ ordinal }) => ordinal)).toEqual(
    Array.from({ length: imageCount }, (_, at) => at + 1),
  );
});

it('takes the images that were chosen, in their order', async () => {
  const { store } = await largeProject(2_000);
  const keeps = ({ id }: { readonly id: string }) => id.endsWith('00');
  expect(await store.versions.add(version, { keeps })).toMatchObject({ number: 1 });
  const ordinals = Array.from({ length: 21 }, (_, at) => at + 1);
  const sources = await store.versions.sources('v1', ordinals);
  expect(sources.map(({ imageId }) => imageId)).toEqual(
    Array.from({ length: 20 }, (_, at) => `image-${100 * (at + 1)}`),
  );
});

it('that a crash left half-made is seen by nobody, and goes when it is old', async () => {
  const { database, store } = await largeProject();
  // As a process leaves it that ended between two transactions.
  const adding = store.versions.add(version, undefined);
  while (numberIn(database, frozen) === 0) await nextTurn();
  database.run(`CREATE TRIGGER refuse BEFORE INSERT ON version_sources
                  BEGIN SELECT RAISE(ABORT, 'refused'); END`);
  await expect(adding).rejects.toThrow();
  database.run('DROP TRIGGER refuse');
  expect(numberIn(database, frozen)).toBeGreaterThan(0);
  expect(await store.versions.list(projectId)).toEqual([]);
  const workspace = await store.workspaces.ensure('acme', 1);
  expect(await store.trash.list(workspace.id, 0)).toEqual([]);
  expect(await store.versions.isFreezing(version.created - 1)).toBe(true);
  expect(await store.versions.isFreezing(version.created)).toBe(false);
  expect(await store.purge.due(0, version.created - 1)).toEqual([]);
  expect(await store.purge.due(0, version.created)).toEqual([{ type: 'version', id: 'v1' }]);
  const next = { ...version, id: 'v2', taskId: 't2' };
  expect(await store.versions.add(next, undefined)).toMatchObject({ number: 2 });
});

it('is a conflict when the purge took it meanwhile', async () => {
  const { database, store } = await largeProject();
  const adding = store.versions.add(version, undefined);
  while (numberIn(database, frozen) === 0) await nextTurn();
  database.run('DELETE FROM version_sources');
  database.run('DELETE FROM versions');
  await expect(adding).rejects.toMatchObject({ code: 'conflict', retry: 'safe' });
});

it('leaves no number behind where no image was chosen, or the choice refused', async () => {
  const { store } = await largeProject(2_000);
  expect(await store.versions.add(version, { keeps: () => false })).toBeUndefined();
  const refuse = () => {
    throw new Error('refused');
  };
  await expect(store.versions.add(version, { keeps: refuse })).rejects.toThrow('refused');
  expect(await store.versions.isFreezing(0)).toBe(false);
  expect(await store.versions.add(version, undefined)).toMatchObject({ number: 1 });
});
