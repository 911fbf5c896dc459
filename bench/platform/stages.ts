// The stages of the benchmark; each runs in a process of its own, whose memory is measured.

import { existsSync } from 'node:fs';
import { mkdir, open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { systemClock } from '../../src/clock.ts';
import { images } from '../../src/contract/images.ts';
import { projects } from '../../src/contract/projects.ts';
import { tasks } from '../../src/contract/tasks.ts';
import { createClient } from '../../src/http-client/create-client.ts';
import { createLog } from '../../src/log.ts';
import { createSqliteStore } from '../../src/platform/database/create-store.ts';
import { platformMigrations } from '../../src/platform/database/migrations.ts';
import { startPlatform } from '../../src/platform/platform.ts';
import { Secret } from '../../src/secret.ts';
import { openAsyncDatabase } from '../../src/storage/async-database.ts';
import { openDatabase } from '../../src/storage/database.ts';
import { createTaskQueue } from '../../src/storage/task-queue.ts';
import { openPeer } from './label-studio.ts';
import { type TimedKind, timeKinds } from './query-kinds.ts';
import { fillDatabase } from './rows.ts';
import { type Timed, timeSearches, timeSimilarity } from './searches.ts';

export interface StageInput {
  readonly folder: string;
  readonly images: number;
  readonly runs: number;
}

export interface Filling {
  readonly rowsMs: number;
  readonly indexMs: number;
  readonly indexCpuMs: number;
}

export interface Searching {
  readonly timed: readonly Timed[];
  readonly similarityMs: readonly number[];
  readonly kinds: readonly TimedKind[];
}

export interface Moving {
  readonly ms: number;
  /** Of one plain statement that moves as many, on a copy of the rows. */
  readonly sqlMs: number;
  readonly moved: number;
}

export interface Uploading {
  readonly uploadMs: number;
  readonly copyMs: number;
  readonly bytes: number;
}

/** Makes the rows and their index. */
export async function fill({ folder, images: count }: StageInput): Promise<Filling> {
  if (existsSync(join(folder, 'platform.db'))) return { rowsMs: 0, indexMs: 0, indexCpuMs: 0 };
  const onStep = (done: number) => process.stderr.write(`  ${done} images indexed\n`);
  const filled = await fillDatabase(folder, count, onStep);
  const { database, shared, rowsMs, indexMs, indexCpuMs } = filled;
  shared.close();
  database.close();
  return { rowsMs, indexMs, indexCpuMs };
}

/** Searches in what `fill` made, in a process that has just started. */
export async function find({ folder, images: count, runs }: StageInput): Promise<Searching> {
  const database = openDatabase(join(folder, 'platform.db'), platformMigrations);
  const shared = openAsyncDatabase(join(folder, 'platform.db'), platformMigrations);
  const work = createTaskQueue(shared, { clock: systemClock, owner: 'bench' });
  const store = createSqliteStore(shared, work);
  const workspace = await store.workspaces.ensure('bench', 1);
  const filled = { database, shared, store, workspaceId: workspace.id };
  const peer = openPeer(folder);
  const timed = await timeSearches(filled, peer, runs, count > 100_000 ? 1 : 3);
  peer.close();
  const similarityMs = await timeSimilarity(filled, runs);
  const kinds = await timeKinds(filled, runs);
  shared.close();
  database.close();
  return { timed, similarityMs, kinds };
}

/** Rebalances the first project of what `fill` made, over HTTP. */
export async function rebalance({ folder }: StageInput): Promise<Moving> {
  const sqlMs = timePlainUpdate(folder);
  const { client, close } = await startOn(folder);
  try {
    const start = systemClock.monotonic();
    const { body } = await client.call(projects.projects_rebalance_splits, {
      workspace: 'bench',
      project: 'project-0',
      splits: { train: 20, valid: 40, test: 40 },
    });
    for (;;) {
      const inTask = { workspace: 'bench', taskId: body.taskId };
      const { body: task } = await client.call(tasks.tasks_get, inTask);
      if (task.status === 'completed') {
        const moved = Number(task.result?.moved);
        return { ms: systemClock.monotonic() - start, sqlMs, moved };
      }
      if (task.status === 'failed') throw new Error(`the rebalance failed: ${task.error}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  } finally {
    await close();
  }
}

/** The same shares by one UPDATE, on a copy of the table with an index on its projects. */
function timePlainUpdate(folder: string): number {
  const database = openDatabase(join(folder, 'platform.db'), platformMigrations);
  try {
    database.run('CREATE TABLE plain_images AS SELECT * FROM images');
    database.run('CREATE INDEX plain_images_project ON plain_images (project_id, split)');
    const start = systemClock.monotonic();
    database.run(
      `UPDATE plain_images SET split =
         CASE WHEN rowid % 5 = 0 THEN 'train' WHEN rowid % 5 < 3 THEN 'valid' ELSE 'test' END
       WHERE project_id = 'project-0'`,
    );
    return systemClock.monotonic() - start;
  } finally {
    database.run('DROP TABLE IF EXISTS plain_images');
    database.close();
  }
}

/** Uploads photos over HTTP, four at a time, and copies the same files with a sync of each. */
export async function upload({ folder, images: count }: StageInput): Promise<Uploading> {
  const photos = await makePhotos(count);
  const bytes = photos.reduce((sum, { length }) => sum + length, 0);
  const { client, close } = await startOn(folder);
  await client.call(projects.projects_create, {
    workspace: 'bench',
    name: 'Photos',
    type: 'object-detection',
    annotation: 'things',
  });
  const start = systemClock.monotonic();
  await fourAtATime(photos, async (content, number) => {
    const file = { name: `photo_${number}.jpg`, content };
    await client.call(images.images_upload, { project: 'photos', file });
  });
  const uploadMs = systemClock.monotonic() - start;
  await close();
  const copies = join(folder, 'copies');
  await mkdir(copies);
  const copying = systemClock.monotonic();
  await fourAtATime(photos, (content, number) => writeSynced(join(copies, `${number}`), content));
  return { uploadMs, copyMs: systemClock.monotonic() - copying, bytes };
}

async function startOn(data: string) {
  const service = await startPlatform({
    data,
    host: '127.0.0.1',
    port: 0,
    workspace: 'bench',
    keys: [new Secret('bench-key')],
    log: createLog('error'),
    clock: systemClock,
  });
  const upstream = async () => ({ url: service.url, credential: new Secret('bench-key') });
  const client = createClient({
    upstreams: { base: upstream, device: upstream },
    clock: systemClock,
    timeoutMs: 60_000,
  });
  return {
    client,
    close: async () => {
      await client.close();
      await service.close();
    },
  };
}

/** Photos of 640 x 480 pixels: a real one, each time with another patch in it. */
async function makePhotos(count: number): Promise<readonly Buffer[]> {
  const source = await readFile(
    new URL('../../sample/blood-cells/JPEGImages/BloodImage_00040.jpg', import.meta.url),
  );
  const { data, info } = await sharp(source)
    .resize(640, 480)
    .raw()
    .toBuffer({ resolveWithObject: true });
  const photos: Buffer[] = [];
  for (let number = 0; number < count; number += 1) {
    for (let at = 0; at < 48; at += 1) data[at * 3] = (number >> (at % 16)) & 1 ? 255 : 0;
    const raw = { width: info.width, height: info.height, channels: 3 } as const;
    photos.push(await sharp(data, { raw }).jpeg({ quality: 85 }).toBuffer());
  }
  return photos;
}

async function fourAtATime(
  photos: readonly Buffer[],
  act: (content: Buffer, number: number) => Promise<void>,
): Promise<void> {
  const rest = [...photos.entries()];
  const lane = async () => {
    for (let next = rest.shift(); next; next = rest.shift()) await act(next[1], next[0]);
  };
  await Promise.all([lane(), lane(), lane(), lane()]);
}

async function writeSynced(path: string, content: Buffer): Promise<void> {
  const file = await open(path, 'wx');
  try {
    await file.writeFile(content);
    await file.sync();
  } finally {
    await file.close();
  }
}
