// The image rows of the store, where another process is faster than the request.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { writeAnnotation } from '../../../src/annotations/serialized-annotation.ts';
import { systemClock } from '../../../src/clock.ts';
import { createSqliteStore } from '../../../src/platform/database/create-store.ts';
import { platformMigrations } from '../../../src/platform/database/migrations.ts';
import { openAsyncDatabase } from '../../../src/storage/async-database.ts';
import { createTaskQueue } from '../../../src/storage/task-queue.ts';

async function openStore() {
  const folder = await mkdtemp(join(tmpdir(), 'fovea-store-'));
  const database = openAsyncDatabase(join(folder, 'platform.db'), platformMigrations);
  const store = createSqliteStore(
    database,
    createTaskQueue(database, { clock: systemClock, owner: 'x' }),
  );
  onTestFinished(async () => {
    await store.close();
    await rm(folder, { recursive: true, force: true });
  });
  return store;
}

it('changes nothing of an image that was deleted meanwhile, and says so', async () => {
  const { images } = await openStore();
  const empty = writeAnnotation({ kind: 'detection', boxes: [] });
  const change = { metadata: { a: 1 }, removeMetadata: [], addTags: ['a'], removeTags: [] };
  expect(await images.annotate('gone', empty, { overwrite: true, isPredicted: false }, 1)).toBe(
    'missing',
  );
  expect(await images.changeTags('gone', { operation: 'add', tags: ['a'] })).toBeUndefined();
  expect(await images.change('gone', change)).toBe(false);
});

it('freezes no version of a project whose images are gone', async () => {
  const { projects, workspaces, versions } = await openStore();
  const workspace = await workspaces.ensure('acme', 1);
  const project = await projects.add({
    id: 'p1',
    workspaceId: workspace.id,
    name: 'Cells',
    type: 'object-detection',
    annotation: 'cells',
    license: undefined,
    isPublic: false,
    folderId: undefined,
    created: 1,
  });
  const settings = { preprocessing: {}, augmentation: {} };
  const version = { id: 'v1', projectId: project.id, name: undefined, settings, taskId: 't1' };
  expect(await versions.add({ ...version, created: 1 }, undefined)).toBeUndefined();
  expect(await versions.list(project.id)).toEqual([]);
});
