// Near-duplicates, outliers and clusters of a project with very many images: seconds, and how long
// the main thread is held up meanwhile.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { systemClock } from '../../src/clock.ts';
import { drawImageMap } from '../../src/imaging/image-map.ts';
import { encodeImage } from '../../src/imaging/image-thread-pool.ts';
import { createStore } from '../../src/platform/database/create-store.ts';
import { startLongReadThreads } from '../../src/platform/database/long-reads/long-read-threads.ts';
import { platformMigrations } from '../../src/platform/database/migrations.ts';
import { bitSlicedImageIndex } from '../../src/platform/database/search-index/bit-sliced-image-index.ts';
import { openServerRows } from '../../src/platform/postgres/server-rows.ts';
import type { Store } from '../../src/platform/store/store.ts';
import { below, between, type Random, randomFrom } from '../../src/seeded-random.ts';
import { type AsyncDatabase, openAsyncDatabase } from '../../src/storage/async-database.ts';
import { createTaskQueue } from '../../src/storage/task-queue.ts';
import { yieldToEventLoop } from '../../src/storage/yield-to-event-loop.ts';
import { quantise } from '../../src/vector-search/quantise.ts';
import { addLargeProject } from '../../test/fixtures/large-project.ts';
import { hasPostgres, startPostgres } from '../../test/fixtures/postgres-server.ts';
import { formatTable } from '../measure/text-table.ts';

export interface ManyImages {
  readonly images: number;
  /** Of the vectors of an embedding model; 0: images are known by their looks alone. */
  readonly dimensions: number;
}

/** On SQLite, and on PostgreSQL where it is installed. Gives lines to print. */
export async function measureManyImages(many: ManyImages): Promise<string> {
  const rows = [
    [
      'database',
      'finding',
      'first page s',
      'next page s',
      'held up ms',
      'of these at work',
      'found',
    ],
  ];
  rows.push(...(await onSqlite(many)));
  if (hasPostgres) rows.push(...(await onServer(many)));
  return formatTable(rows);
}

async function onSqlite(many: ManyImages) {
  const folder = mkdtempSync(join(tmpdir(), 'fovea-curation-'));
  const file = join(folder, 'platform.db');
  const database = openAsyncDatabase(file, platformMigrations);
  const queue = createTaskQueue(database, { clock: systemClock, owner: 'bench' });
  const store = createStore(database, bitSlicedImageIndex, queue, startLongReadThreads(file));
  try {
    return await measure('SQLite', { store, database, looks: 'likeness_vectors' }, many);
  } finally {
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function onServer(many: ManyImages) {
  const server = await startPostgres();
  const rows = await openServerRows(await server.database(), undefined, systemClock);
  const { database } = rows;
  const queue = createTaskQueue(database, { clock: systemClock, owner: 'bench' });
  const store = createStore(database, rows.index, queue, rows.reads);
  try {
    return await measure('PostgreSQL', { store, database, looks: 'image_looks' }, many);
  } finally {
    await store.close();
    await rows.calls.close();
    await server.stop();
  }
}

interface Place {
  readonly store: Store;
  readonly database: AsyncDatabase;
  /** The table of looks. */
  readonly looks: string;
}

const findings = ['near-duplicates', 'leaks', 'outliers', 'clusters'] as const;

async function measure(name: string, place: Place, many: ManyImages): Promise<string[][]> {
  const { store } = place;
  const { images } = many;
  const id = await addLargeProject(store, place.database, { images, validEach: 10 });
  await fillVectors(place, many);
  // What the machine does besides holds this process up too.
  const idle = await timed(() => delay(5_000));
  const rows = [
    [name, '(nothing)', '', '', idle.heldUpMs.toFixed(0), idle.workedMs.toFixed(0), ''],
  ];
  for (const finding of findings) {
    const page = (offset: number) =>
      store.projects.findings(id, 'large-project', { finding, limit: 20, offset });
    const first = await timed(async () => {
      const found = await page(0);
      if (found.kind === 'clusters') await draw(found.map);
      return found;
    });
    const next = await timed(() => page(20));
    const { total, compared = 0 } = first.result;
    const held = Math.max(first.heldUpMs, next.heldUpMs).toFixed(0);
    const worked = Math.max(first.workedMs, next.workedMs).toFixed(0);
    const seconds = [first, next].map(({ ms }) => (ms / 1000).toFixed(2));
    rows.push([name, finding, ...seconds, held, worked, `${total} of ${compared} compared`]);
  }
  return rows;
}

async function draw({ splits, pictures: _, ...dots }: Parameters<typeof mapOf>[0]): Promise<void> {
  await encodeImage(await mapOf({ splits, pictures: [], ...dots }));
}

function mapOf({
  splits,
  ...dots
}: {
  readonly x: Float32Array;
  readonly y: Float32Array;
  readonly clusterOf: Uint8Array;
  readonly splits: readonly unknown[];
  readonly pictures: readonly unknown[];
}) {
  const legend = splits.map((_, cluster) => `${cluster + 1}`);
  return drawImageMap({ title: 'map', legend, dots, pictures: [], pause: yieldToEventLoop });
}

async function timed<Result>(work: () => Promise<Result>) {
  let [heldUpMs, last] = [0, performance.now()];
  let [workedMs, lastCpu] = [0, process.threadCpuUsage()];
  const watch = () => {
    const now = performance.now();
    heldUpMs = Math.max(heldUpMs, now - last - 2);
    last = now;
    const { user, system } = process.threadCpuUsage(lastCpu);
    workedMs = Math.max(workedMs, (user + system) / 1000);
    lastCpu = process.threadCpuUsage();
  };
  const timer = setInterval(watch, 2);
  const startMs = performance.now();
  const result = await work();
  const ms = performance.now() - startMs;
  watch();
  clearInterval(timer);
  return { result, ms, heldUpMs, workedMs };
}

const rowsAtOnce = 500;

async function fillVectors({ database, looks }: Place, many: ManyImages): Promise<void> {
  const look = looksOf(64, 30);
  const embedding = looksOf(many.dimensions, 30);
  const isOnServer = looks === 'image_looks';
  const addLook = `INSERT INTO ${looks} (ordinal, vector, sharpness${isOnServer ? ', hash' : ''})
    VALUES (?, ?, 0${isOnServer ? ', 0::bit(64)' : ''})`;
  if (many.dimensions > 0) {
    await database.run(
      `INSERT INTO embedding_models (fingerprint, name, dimensions, used)
       VALUES ('f', 'made', ?, 1)`,
      [many.dimensions],
    );
  }
  for (let from = 1; from <= many.images; from += rowsAtOnce) {
    await database.transaction(async () => {
      const end = Math.min(many.images + 1, from + rowsAtOnce);
      for (let at = from; at < end; at += 1) {
        const waves = Int8Array.from(look(), (wave) => Math.round(wave));
        database.send(addLook, [at, bytesOf(waves)]);
        if (many.dimensions === 0) continue;
        const { scale, values } = quantise(unit(embedding()));
        database.send(
          'INSERT INTO embedding_vectors (model, ordinal, scale, vector) VALUES (1, ?, ?, ?)',
          [at, scale, bytesOf(values)],
        );
      }
    });
  }
}

function bytesOf(values: Int8Array): Uint8Array {
  return new Uint8Array(values.buffer, values.byteOffset, values.length);
}

/** Of images of a few hundred scenes, some of them twice, and one in a thousand like no other. */
function looksOf(length: number, most: number): () => Float32Array {
  const random = randomFrom('scenes');
  const scenes = Array.from({ length: 300 }, () => any(random, length, most));
  let before = any(random, length, most);
  return () => {
    const kind = random();
    const scene = scenes[below(random, scenes.length)] ?? before;
    const spread = most * 0.5;
    if (kind < 0.001) before = any(random, length, most * 1.5);
    else if (kind < 0.951) before = scene.map((wave) => wave + between(random, -spread, spread));
    return before;
  };
}

function any(random: Random, length: number, most: number): Float32Array {
  return Float32Array.from({ length }, () => between(random, -most, most));
}

function unit(vector: Float32Array): Float32Array {
  const length = Math.hypot(...vector);
  return vector.map((value) => value / length);
}
