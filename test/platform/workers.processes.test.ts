// `fovea worker`: processes that take the tasks of a platform, which takes none itself, by lane,
// whatever becomes of one of them.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import { search } from '../../src/contract/search.ts';
import { tasks } from '../../src/contract/tasks.ts';
import { versions } from '../../src/contract/versions.ts';
import type { Client } from '../../src/http-client/client.ts';
import { createClient } from '../../src/http-client/create-client.ts';
import { Secret } from '../../src/secret.ts';
import { runFovea, startFovea } from '../fixtures/fovea-services.ts';
import { killProcess } from '../fixtures/kill-process.ts';
import { objectsSettings } from '../fixtures/platform.ts';
import { hasPostgres, type PostgresServer, startPostgres } from '../fixtures/postgres-server.ts';
import { hasS3Server, type S3Server, startS3Server } from '../fixtures/s3-server.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';
import {
  countRunning,
  entryUnderTest,
  nodeUnderTest,
  startedOnce,
} from '../fixtures/under-test.ts';
import { createProject, endOf, upload } from './labelled-projects.ts';

const isHere = hasPostgres && hasS3Server;
let server: PostgresServer;
let objectStore: S3Server;

beforeAll(async () => {
  if (!isHere) return;
  server = await startPostgres();
  objectStore = await startS3Server();
}, 60_000);

afterAll(async () => {
  await server?.stop();
  await objectStore?.stop();
});

type Environment = Readonly<Record<string, string>>;

interface Shared {
  readonly environment: Environment;
  /** Of a platform that takes no tasks. */
  readonly client: Client;
  /** Looks into the database. */
  readonly sql: pg.Client;
}

async function start(): Promise<Shared> {
  const url = (await server.database()).reveal();
  const environment = {
    ...objectsSettings(await objectStore.place('fovea/')),
    FOVEA_DATABASE_URL: url,
    FOVEA_WORKSPACE: 'acme',
    FOVEA_LOG: 'error',
  };
  const data = await temporaryFolder();
  const service = await startFovea(['platform', '--port', '0', '--data', data], {
    ...environment,
    FOVEA_API_KEY: 'a-key-for-tests',
    FOVEA_RATE_LIMIT: '0',
    FOVEA_TASKS: 'off',
    HOME: data,
  });
  const upstream = async () => ({ url: service.url, credential: new Secret('a-key-for-tests') });
  const client = createClient({
    upstreams: { base: upstream, device: upstream },
    clock: systemClock,
    timeoutMs: 30_000,
  });
  const sql = new pg.Client({ connectionString: url });
  await sql.connect();
  onTestFinished(async () => {
    await sql.end();
    await client.close();
    await killProcess(service.child);
  });
  return { environment, client, sql };
}

/** Resolves once it takes tasks. */
async function startWorker(
  { environment }: Shared,
  ...lanes: readonly string[]
): Promise<ChildProcess> {
  const data = await temporaryFolder();
  const words = ['worker', '--data', data, ...lanes.flatMap((lane) => ['--lane', lane])];
  const child = spawn(nodeUnderTest, [entryUnderTest(), ...words], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { PATH: process.env.PATH, ...startedOnce, ...environment, HOME: data },
  });
  countRunning(child);
  onTestFinished(() => killProcess(child));
  for await (const line of createInterface(child.stdout)) {
    expect(line).toMatch(/^takes tasks: \w/);
    return child;
  }
  throw new Error('The worker ended.');
}

const inCells = { workspace: 'acme', project: 'cells' };

/** A version of two copies of each of 40 images, and the task that makes it. */
async function queueVersion({ client }: Shared): Promise<string> {
  await createProject(client, 'cells');
  await Promise.all(Array.from({ length: 40 }, (_, shade) => upload(client, 'cells', shade)));
  const { body } = await client.call(versions.versions_generate, {
    ...inCells,
    preprocessing: {},
    augmentation: { flip: { horizontal: true }, image: { versions: 2 } },
  });
  return String(body.taskId);
}

/** Waits until some of a task is done. */
async function begun({ client }: Shared, taskId: string): Promise<void> {
  for (let done = 0; done < 3; ) {
    const { body } = await client.call(tasks.tasks_get, { workspace: 'acme', taskId });
    expect(body.status).not.toBe('completed');
    done = body.progress?.current ?? 0;
    await delay(2);
  }
}

async function rowsOf({ sql }: Shared): Promise<unknown> {
  const { rows } = await sql.query(
    `SELECT (SELECT count(*) FROM fovea_platform.version_images)::int AS images,
       (SELECT count(DISTINCT (ordinal, copy)) FROM fovea_platform.version_images)::int AS copies,
       (SELECT count(*) FROM fovea_platform.version_sources WHERE done = 0)::int AS open`,
  );
  return rows[0];
}

describe.skipIf(!isHere)('workers of a platform without tasks', { timeout: 120_000 }, () => {
  test('of a lane take its tasks, and leave the others', async () => {
    const shared = await start();
    const { client, sql } = shared;
    const version = await queueVersion(shared);
    await startWorker(shared, 'exports', 'looks');
    const asked = { workspace: 'acme', query: 'project:cells', format: 'coco' };
    const { body } = await client.call(search.search_export_start, asked);
    const exported = await sql.query(
      "SELECT id FROM fovea_platform.work WHERE kind = 'search-export'",
    );
    expect(body).toBeDefined();
    expect(await endOf(client, exported.rows[0].id)).toMatchObject({ status: 'completed' });
    const { rows } = await sql.query(
      'SELECT status, attempts::int FROM fovea_platform.work WHERE id = $1',
      [version],
    );
    expect(rows).toEqual([{ status: 'created', attempts: 0 }]);
    await startWorker(shared, 'versions');
    expect(await endOf(client, version)).toMatchObject({ status: 'completed' });
  });

  test('one that is killed in the middle of a version leaves it to another', async () => {
    const shared = await start();
    const version = await queueVersion(shared);
    const one = await startWorker(shared);
    await begun(shared, version);
    const two = startWorker(shared, 'versions');
    await killProcess(one);
    await two;
    expect(await endOf(shared.client, version)).toMatchObject({ status: 'completed' });
    expect(await rowsOf(shared)).toEqual({ images: 80, copies: 80, open: 0 });
  });

  test('one that is told to stop gives its task back, and ends well', async () => {
    const shared = await start();
    const version = await queueVersion(shared);
    const one = await startWorker(shared, 'versions');
    await begun(shared, version);
    const ended = once(one, 'exit');
    one.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
    const { rows } = await shared.sql.query(
      'SELECT status, lease_owner FROM fovea_platform.work WHERE id = $1',
      [version],
    );
    expect(rows).toEqual([{ status: 'created', lease_owner: null }]);
    await startWorker(shared);
    expect(await endOf(shared.client, version)).toMatchObject({ status: 'completed' });
    expect(await rowsOf(shared)).toEqual({ images: 80, copies: 80, open: 0 });
  });
});

test('a lane that there is not is refused with those that there are', async () => {
  const { code, stderr } = await runFovea(['worker', '--lane', 'renders'], { HOME: '/nowhere' });
  expect(code).toBe(2);
  expect(stderr).toContain('--lane: must be one of versions, exports, changes, imports, models,');
});
