// The end of the 30 days: to the millisecond, with all that belongs to it, and nothing else.

import { access, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../../src/clock.ts';
import { evaluations } from '../../../src/contract/evaluations.ts';
import { folders } from '../../../src/contract/folders.ts';
import { images } from '../../../src/contract/images.ts';
import { projects } from '../../../src/contract/projects.ts';
import { trash } from '../../../src/contract/trash.ts';
import { versions } from '../../../src/contract/versions.ts';
import { workflows } from '../../../src/contract/workflows.ts';
import { platformMigrations } from '../../../src/platform/database/migrations.ts';
import { type Database, openDatabase } from '../../../src/storage/database.ts';
import { startTestPlatform, type TestPlatform } from '../../fixtures/platform.ts';
import { createProject, refusal, resultOf, upload } from '../labelled-projects.ts';

const workspace = 'acme';
const hour = 60 * 60 * 1000;
const days30 = 30 * 24 * hour;
/** A full hour, so that the purge just before the end is another one than that at the end. */
const start = Math.ceil(systemClock.now() / hour) * hour;

interface Era {
  readonly platform: TestPlatform;
  readonly database: Database;
}

/** A platform whose clock stands still, once its purge is over. */
async function at(data: string, now: number): Promise<Era> {
  const platform = await startTestPlatform({ data, clock: { ...systemClock, now: () => now } });
  onTestFinished(() => platform.close());
  const database = openDatabase(join(data, 'platform.db'), platformMigrations);
  onTestFinished(() => database.close());
  const ended = () =>
    database.get(
      'SELECT status FROM work WHERE id = ?',
      [`purge-${Math.floor(now / hour)}`],
      (row) => row.text('status'),
    );
  while (!['completed', 'failed'].includes(ended() ?? '')) await delay(5);
  expect(ended()).toBe('completed');
  return { platform, database };
}

async function newFolder(): Promise<string> {
  const data = await mkdtemp(join(tmpdir(), 'fovea-purge-'));
  onTestFinished(() => rm(data, { recursive: true, force: true }));
  return data;
}

/** Every row of every table that has this text somewhere; the log outlives what it tells of. */
function rowsWith(database: Database, text: string): readonly string[] {
  const tables = database.all(
    "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE '%VIRTUAL%' AND name NOT LIKE 'activity%'",
    [],
    (row) => row.text('name'),
  );
  return tables.flatMap((table) => {
    const columns = database.all(`SELECT name FROM pragma_table_info('${table}')`, [], (row) =>
      row.text('name'),
    );
    const found = columns.map((column) => `instr(CAST("${column}" AS TEXT), :text) > 0`);
    if (found.length === 0) return [];
    return database.all(
      `SELECT count(*) AS n FROM "${table}" WHERE ${found.join(' OR ')} HAVING count(*) > 0`,
      { text },
      (row) => `${table}: ${row.integer('n')}`,
    );
  });
}

/** A project with everything in it, in the trash since `start`; what it was known by. */
async function trashProject({ platform, database }: Era, name: string) {
  const { client } = platform;
  const project = await createProject(client, name);
  const imageId = await upload(client, project, 1, { tag: ['a'], classes: ['cat'] });
  await upload(client, project, 2, { split: 'valid' });
  const settings = { preprocessing: {}, augmentation: {} };
  const { body } = await client.call(versions.versions_generate, {
    workspace,
    project,
    ...settings,
  });
  await resultOf(client, String(body.taskId));
  const wanted = { workspace, project, version: 1, format: 'coco' };
  for (;;) {
    const { body: answer } = await client.call(versions.versions_export, wanted);
    if (answer.export) break;
    await delay(10);
  }
  const judged = { workspace, project, version: 1, split: 'train' } as const;
  const box = { image_id: 1, category_id: 1, bbox: [0, 0, 9, 9], score: 0.5 };
  const predictions = { name: 'a.json', content: Buffer.from(JSON.stringify([box])) };
  const evaluation = await client.call(evaluations.evaluations_create, { ...judged, predictions });
  await resultOf(client, evaluation.body.taskId);
  const splits = { train: 1, valid: 1, test: 1 };
  const { body: task } = await client.call(projects.projects_rebalance_splits, {
    workspace,
    project,
    splits,
  });
  await resultOf(client, task.taskId);
  await client.call(folders.folders_create, { workspace, name, projects: [project] });
  const { image } = (await client.call(images.images_get, { workspace, project, imageId })).body;
  const { body: gone } = await client.call(projects.projects_delete, { workspace, project });
  const versionId = database.get('SELECT id FROM versions WHERE project_id = ?', [gone.id], (row) =>
    row.text('id'),
  );
  return { id: gone.id ?? '', imageId, versionId: versionId ?? '', hash: String(image.hash) };
}

function pathOf(data: string, hash: string): string {
  return join(data, 'blobs', hash.slice(0, 2), hash);
}

it('keeps a project for 30 days, and takes all of it then', async () => {
  const data = await newFolder();
  const first = await at(data, start);
  const kept = await createProject(first.platform.client, 'Kept');
  const keptImage = await upload(first.platform.client, kept, 7, { classes: ['cat'] });
  const gone = await trashProject(first, 'Cells');
  await first.platform.close();

  const before = await at(data, start + days30 - 1);
  const { body } = await before.platform.client.call(trash.trash_list, { workspace });
  expect(body.items).toMatchObject([
    {
      type: 'project',
      id: gone.id,
      name: 'Cells',
      deletedBy: 'environment',
      deletedAt: new Date(start).toISOString(),
      scheduledCleanupAt: new Date(start + days30).toISOString(),
    },
  ]);
  const restore = { workspace, type: 'project', id: gone.id } as const;
  await before.platform.client.call(trash.trash_restore, restore);
  const cells = { workspace, project: 'cells' };
  const { body: back } = await before.platform.client.call(projects.projects_get, cells);
  expect(back.project).toMatchObject({ images: 2, classes: { cat: 1 } });
  expect(back.versions).toHaveLength(1);
  await before.platform.close();
  before.database.run('UPDATE projects SET deleted_at = ? WHERE id = ?', [start, gone.id]);

  const after = await at(data, start + days30);
  const { client } = after.platform;
  expect((await client.call(trash.trash_list, { workspace })).body.items).toEqual([]);
  expect((await refusal(client.call(trash.trash_restore, restore))).status).toBe(404);
  for (const text of [gone.id, gone.imageId, gone.versionId]) {
    expect(rowsWith(after.database, text)).toEqual([]);
  }
  expect(await createProject(client, 'Cells')).toBe('cells');
  const { body: others } = await client.call(projects.projects_get, { workspace, project: kept });
  expect(others.project).toMatchObject({ images: 1, classes: { cat: 1 } });
  const keptAt = { workspace, project: kept, imageId: keptImage };
  const { image } = (await client.call(images.images_get, keptAt)).body;
  await access(pathOf(data, String(image.hash)));
  while (
    await access(pathOf(data, gone.hash)).then(
      () => true,
      () => false,
    )
  )
    await delay(5);
});

it('takes a version and a workflow, and leaves the project of the version', async () => {
  const data = await newFolder();
  const first = await at(data, start);
  const { client } = first.platform;
  const project = await createProject(client, 'Cells');
  await upload(client, project, 1);
  const settings = { preprocessing: {}, augmentation: {} };
  for (const version of [1, 2]) {
    const { body } = await client.call(versions.versions_generate, {
      workspace,
      project,
      ...settings,
    });
    expect(body.version).toBe(version);
    await resultOf(client, String(body.taskId));
  }
  await client.call(versions.versions_delete, { workspace, project, version: 1 });
  const made = { workspace, name: 'Flow', config: { specification: {} } };
  const { workflow } = (await client.call(workflows.workflows_create, made)).body;
  await client.call(workflows.workflows_delete, { workspace, workflow: workflow.url });
  await first.platform.close();

  const after = await at(data, start + days30);
  const later = after.platform.client;
  const { body: shown } = await later.call(projects.projects_get, { workspace, project });
  expect(shown.versions.map(({ id }) => id)).toEqual(['acme/cells/2']);
  expect(rowsWith(after.database, workflow.id)).toEqual([]);
  expect((await later.call(trash.trash_list, { workspace })).body.items).toEqual([]);
  const { body: next } = await later.call(versions.versions_generate, {
    workspace,
    project,
    ...settings,
  });
  expect(next.version).toBe(3);
});

it('forgets work that ended 30 days ago, and keeps what versions are known by', async () => {
  const data = await newFolder();
  const first = await at(data, start);
  const { client } = first.platform;
  const project = await createProject(client, 'Cells');
  const imageId = await upload(client, project, 1);
  const { body: bulk } = await client.call(images.images_set_metadata_bulk, {
    workspace,
    updates: [{ imageId, addTags: ['a'] }],
  });
  await resultOf(client, bulk.taskId);
  const settings = { preprocessing: {}, augmentation: {} };
  const { body: version } = await client.call(versions.versions_generate, {
    workspace,
    project,
    ...settings,
  });
  await resultOf(client, String(version.taskId));
  await first.platform.close();

  const before = await at(data, start + days30 - 1);
  expect(await resultOf(before.platform.client, bulk.taskId)).toMatchObject({ succeeded: 1 });
  await before.platform.close();
  const after = await at(data, start + days30);
  const missing = await refusal(resultOf(after.platform.client, bulk.taskId));
  expect(missing.status).toBe(404);
  expect(await resultOf(after.platform.client, String(version.taskId))).toMatchObject({
    images: 1,
  });
});

it('forgets records of inferences after 90 days, and ended video jobs after 30', async () => {
  const data = await newFolder();
  const first = await at(data, start);
  const days90 = 90 * 24 * hour;
  const { database } = first;
  database.run(
    `WITH RECURSIVE numbers (n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM numbers WHERE n < 250)
     INSERT INTO inferences (id, workspace_id, model_name, source, created, metadata)
     SELECT 'seen-' || n, (SELECT id FROM workspaces), 'm', 'hosted', ? + (n = 250), '{}'
     FROM numbers`,
    [start],
  );
  database.run("INSERT INTO inference_classes SELECT ordinal, 'cat', 0.5, 0 FROM inferences");
  const jobs = [
    ['ended', 'completed', start],
    ['broken', 'failed', start],
    ['late', 'completed', start + 1],
    ['running', 'running', start],
  ] as const;
  for (const [id, status, updated] of jobs) {
    database.run(
      `INSERT INTO video_jobs (id, workspace_id, input, settings, hash, bytes, created)
       SELECT ?, id, '{}', '{}', ?, 1, 1 FROM workspaces`,
      [id, `hash of ${id}`],
    );
    database.run(
      `INSERT INTO work (id, kind, payload, status, lease_expires, created, updated)
       VALUES (?, 'video', '{}', ?, ?, 1, ?)`,
      [id, status, start + days90 * 2, updated],
    );
  }
  await first.platform.close();
  const left = (era: Era) => ({
    jobs: era.database.all('SELECT id FROM video_jobs ORDER BY id', [], (row) => row.text('id')),
    work: era.database.all("SELECT id FROM work WHERE kind = 'video' ORDER BY id", [], (row) =>
      row.text('id'),
    ),
    seen: era.database.get('SELECT count(*) AS n FROM inference_classes', [], (row) =>
      row.integer('n'),
    ),
  });

  const before = await at(data, start + days30 - 1);
  expect(left(before).jobs).toEqual(['broken', 'ended', 'late', 'running']);
  await before.platform.close();
  const month = await at(data, start + days30);
  const kept = ['late', 'running'];
  expect(left(month)).toEqual({ jobs: kept, work: kept, seen: 250 });
  expect(rowsWith(month.database, 'hash of ended')).toEqual([]);
  await month.platform.close();
  const early = await at(data, start + days90 - 1);
  expect(left(early)).toEqual({ jobs: ['running'], work: ['running'], seen: 250 });
  await early.platform.close();
  const quarter = await at(data, start + days90);
  expect(left(quarter)).toEqual({ jobs: ['running'], work: ['running'], seen: 1 });
  expect(rowsWith(quarter.database, 'seen-250')).toEqual(['inferences: 1']);
});
