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
import { startTestPlatform, type TestPlatform } from '../../fixtures/platform.ts';
import { createProject, refusal, resultOf, upload } from '../labelled-projects.ts';

const workspace = 'acme';
const hour = 60 * 60 * 1000;
const days30 = 30 * 24 * hour;
/** A full hour, so that the purge just before the end is another one than that at the end. */
const start = Math.ceil(systemClock.now() / hour) * hour;

/** A platform whose clock stands still, once its purge is over. */
async function at(data: string, now: number): Promise<TestPlatform> {
  const platform = await startTestPlatform({ data, clock: { ...systemClock, now: () => now } });
  onTestFinished(() => platform.close());
  const purge = `SELECT status FROM work WHERE id = 'purge-${Math.floor(now / hour)}'`;
  const status = async () => (await platform.query(purge))[0]?.status;
  while (!['completed', 'failed'].includes(String(await status()))) await delay(5);
  expect(await status()).toBe('completed');
  return platform;
}

async function newFolder(): Promise<string> {
  const data = await mkdtemp(join(tmpdir(), 'fovea-purge-'));
  onTestFinished(() => rm(data, { recursive: true, force: true }));
  return data;
}

/** Every row of every table that has this text somewhere; the log outlives what it tells of. */
function rowsWith(platform: TestPlatform, text: string): Promise<readonly string[]> {
  return platform.look(async (rows) => {
    const found: string[] = [];
    for (const [table, columns] of await rows.tables()) {
      if (/^(activity|noted_)/.test(table)) continue;
      const has = columns.map((column) => `CAST("${column}" AS TEXT) LIKE '%${text}%'`);
      const sql = `SELECT count(*) AS n FROM "${table}" WHERE ${has.join(' OR ')}`;
      const [counted] = await rows.run(sql);
      if (Number(counted?.n) > 0) found.push(`${table}: ${counted?.n}`);
    }
    return found;
  });
}

/** A project with everything in it, in the trash since `start`; what it was known by. */
async function trashProject(platform: TestPlatform, name: string) {
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
  const [made] = await platform.query(`SELECT id FROM versions WHERE project_id = '${gone.id}'`);
  return { id: gone.id ?? '', imageId, versionId: String(made?.id), hash: String(image.hash) };
}

function pathOf(data: string, hash: string): string {
  return join(data, 'blobs', hash.slice(0, 2), hash);
}

it('keeps a project for 30 days, and takes all of it then', async () => {
  const data = await newFolder();
  const first = await at(data, start);
  const kept = await createProject(first.client, 'Kept');
  const keptImage = await upload(first.client, kept, 7, { classes: ['cat'] });
  const gone = await trashProject(first, 'Cells');
  await first.close();

  const before = await at(data, start + days30 - 1);
  const { body } = await before.client.call(trash.trash_list, { workspace });
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
  await before.client.call(trash.trash_restore, restore);
  const cells = { workspace, project: 'cells' };
  const { body: back } = await before.client.call(projects.projects_get, cells);
  expect(back.project).toMatchObject({ images: 2, classes: { cat: 1 } });
  expect(back.versions).toHaveLength(1);
  await before.close();
  await before.query(`UPDATE projects SET deleted_at = ${start} WHERE id = '${gone.id}'`);

  const after = await at(data, start + days30);
  const { client } = after;
  expect((await client.call(trash.trash_list, { workspace })).body.items).toEqual([]);
  expect((await refusal(client.call(trash.trash_restore, restore))).status).toBe(404);
  for (const text of [gone.id, gone.imageId, gone.versionId]) {
    expect(await rowsWith(after, text)).toEqual([]);
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
  const { client } = first;
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
  await first.close();

  const after = await at(data, start + days30);
  const later = after.client;
  const { body: shown } = await later.call(projects.projects_get, { workspace, project });
  expect(shown.versions.map(({ id }) => id)).toEqual(['acme/cells/2']);
  expect(await rowsWith(after, workflow.id)).toEqual([]);
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
  const { client } = first;
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
  await first.close();

  const before = await at(data, start + days30 - 1);
  expect(await resultOf(before.client, bulk.taskId)).toMatchObject({ succeeded: 1 });
  await before.close();
  const after = await at(data, start + days30);
  const missing = await refusal(resultOf(after.client, bulk.taskId));
  expect(missing.status).toBe(404);
  expect(await resultOf(after.client, String(version.taskId))).toMatchObject({
    images: 1,
  });
});

it('forgets records of inferences after 90 days, and ended video jobs after 30', async () => {
  const data = await newFolder();
  const first = await at(data, start);
  const days90 = 90 * 24 * hour;
  await first.query(
    `WITH RECURSIVE numbers (n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM numbers WHERE n < 250)
     INSERT INTO inferences (id, workspace_id, model_name, source, created, metadata)
     SELECT 'seen-' || n, (SELECT id FROM workspaces), 'm', 'hosted',
       ${start} + CASE n WHEN 250 THEN 1 ELSE 0 END, '{}' FROM numbers`,
    "INSERT INTO inference_classes SELECT ordinal, 'cat', 0.5, 0 FROM inferences",
  );
  const jobs = [
    ['ended', 'completed', start],
    ['broken', 'failed', start],
    ['late', 'completed', start + 1],
    ['running', 'running', start],
  ] as const;
  for (const [id, status, updated] of jobs) {
    await first.query(
      `INSERT INTO video_jobs (id, workspace_id, input, settings, hash, bytes, created)
       SELECT '${id}', id, '{}', '{}', 'hash of ${id}', 1, 1 FROM workspaces`,
      `INSERT INTO work (id, kind, payload, status, lease_expires, created, updated)
       VALUES ('${id}', 'video', '{}', '${status}', ${start + days90 * 2}, 1, ${updated})`,
    );
  }
  await first.close();
  const left = async (platform: TestPlatform) => {
    const idsOf = async (sql: string) => (await platform.query(sql)).map(({ id }) => id);
    const [seen] = await platform.query('SELECT count(*) AS n FROM inference_classes');
    return {
      jobs: await idsOf('SELECT id FROM video_jobs ORDER BY id'),
      work: await idsOf("SELECT id FROM work WHERE kind = 'video' ORDER BY id"),
      seen: Number(seen?.n),
    };
  };

  const before = await at(data, start + days30 - 1);
  expect((await left(before)).jobs).toEqual(['broken', 'ended', 'late', 'running']);
  await before.close();
  const month = await at(data, start + days30);
  const kept = ['late', 'running'];
  expect(await left(month)).toEqual({ jobs: kept, work: kept, seen: 250 });
  expect(await rowsWith(month, 'hash of ended')).toEqual([]);
  await month.close();
  const early = await at(data, start + days90 - 1);
  expect(await left(early)).toEqual({ jobs: ['running'], work: ['running'], seen: 250 });
  await early.close();
  const quarter = await at(data, start + days90);
  expect(await left(quarter)).toEqual({ jobs: ['running'], work: ['running'], seen: 1 });
  expect(await rowsWith(quarter, 'seen-250')).toEqual(['inferences: 1']);
});
