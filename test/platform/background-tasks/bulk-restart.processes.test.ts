// Rebalance, fork, changes of classes, bulk metadata and purge: killed in the middle, they end as
// if nobody had.

import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../../src/clock.ts';
import { limits } from '../../../src/limits.ts';
import type { Database } from '../../../src/storage/database.ts';
import type { RunningService } from '../../fixtures/fovea-services.ts';
import { killProcess } from '../../fixtures/kill-process.ts';
import { startPlatformProcess, startTestPlatform } from '../../fixtures/platform.ts';
import { endOf } from '../labelled-projects.ts';
import { numberIn, type Seeded, seedImages } from '../seed-images.ts';

const key = 'a-key-for-tests';
/** Nobody holds a lease of the dead process any more. */
const later = { ...systemClock, now: () => systemClock.now() + 2 * limits.taskLeaseMs };

async function launch(data: string): Promise<RunningService> {
  const service = await startPlatformProcess(data);
  onTestFinished(() => killProcess(service.child));
  return service;
}

async function call(url: string, method: string, path: string, body?: object) {
  const answer = await fetch(url + path, {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  return JSON.parse(await answer.text());
}

/** Starts work in another process, kills it once some of it is done, and tells how much was. */
async function startAndKill({ data }: Seeded, path: string, body: object) {
  const { child, url } = await launch(data);
  const { taskId } = await call(url, 'POST', path, body);
  const ended = once(child, 'exit');
  for (;;) {
    const { status, progress } = await call(url, 'GET', `/acme/asynctasks/${taskId}`);
    expect(['created', 'running']).toContain(status);
    if (progress !== null && progress.current > 0) {
      child.kill('SIGKILL');
      await ended;
      expect(progress.current).toBeLessThan(progress.total);
      return { taskId: String(taskId), ...progress };
    }
  }
}

/** How it ends in the next process. */
async function goOn(seeded: Seeded, taskId: string) {
  const platform = await startTestPlatform({ data: seeded.data, clock: later });
  onTestFinished(() => platform.close());
  return endOf(platform.client, taskId);
}

it('a rebalance moves so many images in all attempts together, and no more', async () => {
  const seeded = await seedImages(24_000);
  const splits = { train: 1, valid: 1, test: 2 };
  const { taskId } = await startAndKill(seeded, '/acme/large/splits/rebalance', { splits });
  const moved = numberIn(
    seeded.database,
    "SELECT count(*) AS n FROM images WHERE split != 'train'",
  );
  expect(moved).toBeGreaterThan(0);
  expect(moved).toBeLessThan(18_000);
  const { result } = await goOn(seeded, taskId);
  expect(result).toEqual({
    moved: 18_000,
    images: 24_000,
    before: { train: 24_000, valid: 0, test: 0 },
    splits: { train: 6_000, valid: 6_000, test: 12_000 },
    keptTogether: { groups: 0, images: 0, compared: 0, complete: false },
  });
});

/** Each image has a box of each of two classes. */
function label(database: Database): void {
  const box = (name: string) => `{"label":"${name}","x":8,"y":8,"width":4,"height":4}`;
  database.run(
    `UPDATE images SET objects = 2,
       annotation = '{"kind":"detection","boxes":[${box('a')},${box('b')}]}'`,
  );
  for (const name of ['a', 'b']) {
    database.run(`INSERT INTO image_labels SELECT id, project_id, '${name}', 1 FROM images`);
  }
}

it('a change of classes is made in each image once, and so is its undoing', async () => {
  const seeded = await seedImages(6_000);
  const { database } = seeded;
  label(database);
  const first = (name: string) =>
    numberIn(
      database,
      `SELECT count(*) AS n FROM images WHERE annotation ->> '$.boxes[0].label' = '${name}'`,
    );
  const path = '/acme/large/class-changes';
  // Made twice in an image, it would be as before.
  const { taskId } = await startAndKill(seeded, path, { rename: { a: 'b', b: 'a' } });
  expect(first('b')).toBeGreaterThan(0);
  expect(first('b')).toBeLessThan(6_000);
  const platform = await startTestPlatform({ data: seeded.data, clock: later });
  const { result } = await endOf(platform.client, taskId);
  await platform.close();
  expect(result).toEqual({ changeId: taskId, labels: 12_000, images: 6_000, emptied: 0 });
  expect(first('b')).toBe(6_000);
  const undone = await startAndKill(seeded, path, { undo: taskId });
  expect(first('a')).toBeGreaterThan(0);
  const end = await goOn(seeded, undone.taskId);
  expect(end.result).toEqual({ changeId: taskId, restored: 6_000, changed: 0, gone: 0 });
  expect(first('a')).toBe(6_000);
});

it('a fork has each image once', async () => {
  const seeded = await seedImages(8_000);
  const body = { source_project: 'large' };
  const { taskId } = await startAndKill(seeded, '/acme/projects/fork', body);
  const { result } = await goOn(seeded, taskId);
  expect(result).toMatchObject({ id: 'acme/large-2', images: 8_000 });
  const { database } = seeded;
  const copied = `FROM images JOIN projects ON projects.id = project_id WHERE slug = 'large-2'`;
  expect(numberIn(database, `SELECT count(*) AS n ${copied}`)).toBe(8_000);
  expect(numberIn(database, `SELECT count(DISTINCT hash) AS n ${copied}`)).toBe(8_000);
  expect(numberIn(database, 'SELECT count(*) AS n FROM image_tags')).toBe(16_000);
});

it('a fork keeps what it has when its source is deleted in the middle, and says so', async () => {
  const seeded = await seedImages(8_000);
  const { database } = seeded;
  const body = { source_project: 'large' };
  const { taskId } = await startAndKill(seeded, '/acme/projects/fork', body);
  database.run("UPDATE projects SET deleted_at = 1, deleted_by = 'x' WHERE slug = 'large'");
  const images = "SELECT count(*) AS n FROM images WHERE project_id != 'large-project'";
  const copied = numberIn(database, images);
  expect(copied).toBeGreaterThan(0);
  expect(await goOn(seeded, taskId)).toMatchObject({
    status: 'failed',
    error: 'The source was deleted; "large-2" has what was copied until then.',
  });
  expect(numberIn(database, images)).toBe(copied);
  expect(numberIn(database, "SELECT count(*) AS n FROM projects WHERE slug = 'large-2'")).toBe(1);
});

it('a rebalance leaves a project alone that went to the trash meanwhile', async () => {
  const seeded = await seedImages(24_000);
  const { database } = seeded;
  const body = { splits: { train: 0, valid: 1, test: 0 } };
  const { taskId } = await startAndKill(seeded, '/acme/large/splits/rebalance', body);
  const now = systemClock.now();
  database.run("UPDATE projects SET deleted_at = ? WHERE slug = 'large'", [now]);
  const images = "SELECT count(*) AS n FROM images WHERE split = 'valid'";
  const moved = numberIn(database, images);
  expect(await goOn(seeded, taskId)).toMatchObject({
    status: 'failed',
    error: 'The project is in the trash.',
  });
  expect(numberIn(database, images)).toBe(moved);
});

it('metadata is on every image', async () => {
  const seeded = await seedImages(1_000);
  const updates = Array.from({ length: 1_000 }, (_, n) => ({
    imageId: n === 999 ? 'nobody' : `image-${n + 1}`,
    metadata: { n },
    addTags: ['new'],
  }));
  const { taskId } = await startAndKill(seeded, '/acme/images/metadata', { updates });
  const { result } = await goOn(seeded, taskId);
  expect(result).toEqual({
    succeeded: 999,
    failed: 1,
    failedItems: [{ imageId: 'nobody', error: 'There is no such image.' }],
  });
  const { database } = seeded;
  const changed = "SELECT count(*) AS n FROM images WHERE metadata ->> 'n' IS NOT NULL";
  expect(numberIn(database, changed)).toBe(999);
  const tagged = "SELECT count(*) AS n FROM image_tags WHERE tag = 'new'";
  expect(numberIn(database, tagged)).toBe(999);
});

it('a purge that began is ended, and what it began on cannot come back', async () => {
  const seeded = await seedImages(8_000);
  const { data, database } = seeded;
  const old = systemClock.now() - limits.trashRetentionMs - 1;
  database.run("UPDATE projects SET deleted_at = ? WHERE id = 'large-project'", [old]);
  const { child, url } = await launch(data);
  const left = () => numberIn(database, 'SELECT count(*) AS n FROM images');
  while (left() === 8_000) await delay(1);
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
  expect(left()).toBeGreaterThan(0);
  expect(url).toContain('http');

  // Even with a clock that went back by a month.
  const early = { ...systemClock, now: () => systemClock.now() - limits.trashRetentionMs };
  const past = await startTestPlatform({ data, clock: early });
  const restore = { type: 'project', id: 'large-project' };
  expect(await call(past.url, 'POST', '/acme/trash/restore', restore)).toMatchObject({
    error: { message: expect.stringContaining('There is no project in the trash') },
  });
  await past.close();

  const platform = await startTestPlatform({ data, clock: later });
  onTestFinished(() => platform.close());
  const projects = () => numberIn(database, 'SELECT count(*) AS n FROM projects');
  while (projects() > 0) await delay(5);
  expect(left()).toBe(0);
  expect(numberIn(database, 'SELECT count(*) AS n FROM batches')).toBe(0);
});
