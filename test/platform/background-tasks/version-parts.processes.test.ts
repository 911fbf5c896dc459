// A version of so many images that it is made in parts, by two processes at once, of which one is
// killed: it comes to the same bytes as by one worker, on either engine.

import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../../src/clock.ts';
import { images } from '../../../src/contract/images.ts';
import { taskExtensions, tasks } from '../../../src/contract/tasks.ts';
import { trash } from '../../../src/contract/trash.ts';
import { versions } from '../../../src/contract/versions.ts';
import type { Client } from '../../../src/http-client/client.ts';
import { createClient } from '../../../src/http-client/create-client.ts';
import { inParallel } from '../../../src/platform/background-tasks/process-items.ts';
import { Secret } from '../../../src/secret.ts';
import { type RunningService, startFovea } from '../../fixtures/fovea-services.ts';
import { testImage } from '../../fixtures/images.ts';
import { killProcess } from '../../fixtures/kill-process.ts';
import { openPlatformRows, type PlatformRows } from '../../fixtures/platform-rows.ts';
import { hasPostgres, type PostgresServer, startPostgres } from '../../fixtures/postgres-server.ts';
import { temporaryFolder } from '../../fixtures/temporary-folder.ts';
import { createProject, endOf } from '../labelled-projects.ts';

// Of train and of valid: 75 batches of eight images each, and 128 are the most of one part.
const ofEachSplit = 600;
const sources = 2 * ofEachSplit;
const copies = 2;
const made = ofEachSplit * copies + ofEachSplit;

const inCells = { workspace: 'acme', project: 'cells' };

interface Opened {
  readonly client: Client;
  /** Another one on the same data, which takes tasks until the end of a test. */
  start(): Promise<RunningService>;
  /** Looks into the database, or changes it. */
  readonly rows: PlatformRows['run'];
  close(): Promise<void>;
}

/**
 * On a platform that takes no tasks, with the images of all tests, which take as long as they do;
 * `databaseUrl` undefined: on SQLite.
 */
async function open(databaseUrl: Secret | undefined): Promise<Opened> {
  const data = await mkdtemp(join(tmpdir(), 'fovea-version-parts-'));
  const begin = (settings: Readonly<Record<string, string>> = {}) =>
    startFovea(['platform', '--port', '0', '--data', data], {
      FOVEA_API_KEY: 'a-key-for-tests',
      FOVEA_WORKSPACE: 'acme',
      FOVEA_RATE_LIMIT: '0',
      FOVEA_LOG: 'error',
      HOME: data,
      ...(databaseUrl !== undefined && { FOVEA_DATABASE_URL: databaseUrl.reveal() }),
      ...settings,
    });
  const { url, child } = await begin({ FOVEA_TASKS: 'off' });
  const upstream = async () => ({ url, credential: new Secret('a-key-for-tests') });
  const client = createClient({
    upstreams: { base: upstream, device: upstream },
    clock: systemClock,
    timeoutMs: 30_000,
  });
  const rows = await openPlatformRows(data, databaseUrl);
  await uploadAll(client);
  const start = async () => {
    const service = await begin();
    onTestFinished(() => killProcess(service.child));
    return service;
  };
  const close = async () => {
    await client.close();
    await rows.close();
    await killProcess(child);
    await rm(data, { recursive: true, force: true });
  };
  return { client, start, rows: rows.run, close };
}

async function uploadAll(client: Client): Promise<void> {
  await createProject(client, 'cells');
  const numbers = Array.from({ length: sources }, (_, number) => number);
  const add = async (number: number) => {
    await client.call(images.images_upload, {
      project: 'cells',
      file: { name: `${number}.png`, content: await testImage(number) },
      split: number < ofEachSplit ? 'train' : 'valid',
    });
  };
  await inParallel(numbers, 16, add, new AbortController().signal);
}

/** Of the next version. */
async function generate(client: Client) {
  const { body } = await client.call(versions.versions_generate, {
    ...inCells,
    // So large that both processes come to work at it, however fast they are.
    preprocessing: { resize: { width: 240, height: 240, format: 'Stretch to' } },
    augmentation: { mosaic: true, rotate: { degrees: 15 }, image: { versions: copies } },
  });
  return { taskId: String(body.taskId), version: Number(body.version) };
}

async function progressOf(client: Client, taskId: string): Promise<number> {
  const { body } = await client.call(tasks.tasks_get, { workspace: 'acme', taskId });
  expect(body.status).toBe('running');
  expect(body.progress?.total).toBe(sources);
  return body.progress?.current ?? 0;
}

/** Who works on which part, once so many do. */
async function partsInWork(rows: PlatformRows['run'], version: number, count: number) {
  for (;;) {
    const parts = await rows(
      `SELECT id, lease_owner, current FROM work WHERE kind = 'version-part'
       AND status = 'running' AND current > 0 ORDER BY id`,
    );
    if (parts.length >= count) return parts;
    // Where the version were ready already, it would have had no such parts.
    const ready = `SELECT id FROM versions WHERE ready = 1 AND number = ${version}`;
    expect(await rows(ready)).toEqual([]);
    await delay(10);
  }
}

async function hashOfExport(client: Client, version: number): Promise<string> {
  for (;;) {
    const wanted = { ...inCells, version, format: 'coco' };
    const { body } = await client.call(versions.versions_export, wanted);
    if (body.export) {
      const path = join(await temporaryFolder(), 'export.zip');
      await client.download(body.export.link, path);
      return createHash('sha256')
        .update(await readFile(path))
        .digest('hex');
    }
    await delay(20);
  }
}

/** Makes the images of one split anew: so few that one worker makes them, not in parts. */
async function makeAgain({ client, rows }: Opened, taskId: string, split: string): Promise<void> {
  await rows('DELETE FROM exports');
  await rows('UPDATE versions SET ready = 0, images = 0');
  await rows(`DELETE FROM version_images WHERE split = '${split}'`);
  await rows(`UPDATE version_sources SET done = 0 WHERE split = '${split}'`);
  await rows(`UPDATE work SET status = 'created', result = NULL WHERE id = '${taskId}'`);
  expect(await endOf(client, taskId)).toMatchObject({
    status: 'completed',
    result: { images: made },
  });
}

async function killOneOfTwo(opened: Opened): Promise<void> {
  const { client, start, rows } = opened;
  const { taskId, version } = await generate(client);
  const [one] = await Promise.all([start(), start()]);
  const [first, second] = await partsInWork(rows, version, 2);
  expect(first?.lease_owner).not.toBe(second?.lease_owner);
  const { body: listed } = await client.call(taskExtensions.tasks_list, { workspace: 'acme' });
  expect(listed.tasks.filter(({ kind }) => kind.startsWith('version'))).toMatchObject([
    { kind: 'version', status: 'running', progress: { total: sources } },
  ]);
  await killProcess(one.child);
  const left = await progressOf(client, taskId);
  expect(left).toBeGreaterThan(0);
  expect(left).toBeLessThan(sources);
  const before = await rows('SELECT id, current FROM work WHERE parent IS NOT NULL ORDER BY id');
  expect(before.length).toBe(2);
  expect(before.reduce((sum, { current }) => sum + Number(current), 0)).toBeGreaterThanOrEqual(
    left,
  );
  // The lease of the dead one need not be waited for; that of the other one is renewed.
  await rows("UPDATE work SET lease_expires = lease_expires - 10000 WHERE kind = 'version-part'");
  expect(await endOf(client, taskId)).toMatchObject({
    status: 'completed',
    progress: { current: sources, total: sources },
    result: { version, images: made },
  });
  expect(await rows("SELECT id FROM work WHERE kind = 'version-part'")).toEqual([]);
  expect(await rows('SELECT task_id FROM version_parts')).toEqual([]);
  const { body } = await client.call(versions.versions_get, { ...inCells, version });
  expect(body.version).toMatchObject({
    images: made,
    splits: { train: ofEachSplit * copies, valid: ofEachSplit, test: 0 },
  });
  const inParts = await hashOfExport(client, version);
  await makeAgain(opened, taskId, 'train');
  await makeAgain(opened, taskId, 'valid');
  expect(await hashOfExport(client, version)).toBe(inParts);
}

async function deleteMeanwhile({ client, start, rows }: Opened): Promise<void> {
  const { taskId, version } = await generate(client);
  await start();
  await partsInWork(rows, version, 1);
  const { body: gone } = await client.call(versions.versions_delete, { ...inCells, version });
  expect(await endOf(client, taskId)).toMatchObject({
    status: 'failed',
    error: 'The version was deleted while it was generated.',
  });
  expect(await rows("SELECT id FROM work WHERE kind = 'version-part'")).toEqual([]);
  const doneOf = async () => {
    const [row] = await rows(
      `SELECT sum(done) AS n FROM version_sources
       WHERE version_id = (SELECT id FROM versions WHERE number = ${version})`,
    );
    return Number(row?.n);
  };
  const left = await doneOf();
  expect(left).toBeGreaterThan(0);
  expect(left).toBeLessThan(sources);

  const item = { type: 'version', id: String(version), parentId: String(gone.parentId) } as const;
  await client.call(trash.trash_restore, { workspace: 'acme', ...item });
  expect(await endOf(client, taskId)).toMatchObject({
    status: 'completed',
    progress: { current: sources, total: sources },
    result: { images: made },
  });
}

describe.each([
  { engine: 'SQLite', isHere: true, isServer: false },
  { engine: 'PostgreSQL', isHere: hasPostgres, isServer: true },
])('a large version on $engine', { timeout: 180_000 }, ({ isHere, isServer }) => {
  let server: PostgresServer | undefined;
  let opened: Opened;

  beforeAll(async () => {
    if (!isHere) return;
    if (isServer) server = await startPostgres();
    opened = await open(await server?.database());
  }, 120_000);

  afterAll(async () => {
    await opened?.close();
    await server?.stop();
  });

  test.skipIf(!isHere)('is made by two processes, one of which is killed', () =>
    killOneOfTwo(opened),
  );

  test.skipIf(!isHere)('that is deleted ends its parts, and goes on when it is restored', () =>
    deleteMeanwhile(opened),
  );
});
