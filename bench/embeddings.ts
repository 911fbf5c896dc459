// `npm run bench:embeddings`: searches by meaning among many images, beside a plain loop over the
// same vectors; then embedding photos, beside the runtime alone. `--only searches` or `--only
// throughput` does one of both. Ends with 1 where a search takes too long, or holds up the main
// thread.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { systemClock } from '../src/clock.ts';
import { limits } from '../src/limits.ts';
import { createStore } from '../src/platform/database/create-store.ts';
import { startLongReadThreads } from '../src/platform/database/long-reads/long-read-threads.ts';
import { platformMigrations } from '../src/platform/database/migrations.ts';
import { bitSlicedImageIndex } from '../src/platform/database/search-index/bit-sliced-image-index.ts';
import type { TermChange } from '../src/platform/store/image-index.ts';
import type { Store } from '../src/platform/store/store.ts';
import type { Query } from '../src/query-language/query-syntax-tree.ts';
import { term } from '../src/query-language/search-terms.ts';
import { randomFrom } from '../src/seeded-random.ts';
import { openAsyncDatabase } from '../src/storage/async-database.ts';
import { openDatabase } from '../src/storage/database.ts';
import { createTaskQueue } from '../src/storage/task-queue.ts';
import { addLargeProject } from '../test/fixtures/large-project.ts';
import { measureThroughput } from './embeddings/throughput.ts';
import { Said } from './measure/said.ts';
import { formatRange, formatTable, median } from './measure/text-table.ts';

const { values } = parseArgs({
  options: {
    images: { type: 'string', default: '1000000' },
    dimensions: { type: 'string', default: '512' },
    runs: { type: 'string', default: '20' },
    only: { type: 'string' },
    write: { type: 'boolean', default: false },
  },
});
const [images, dimensions, runs] = [values.images, values.dimensions, values.runs].map(Number);
if (!images || !dimensions || !runs) throw new Error('--images, --dimensions, --runs are numbers');

/** A median search, and how long it may hold up the main thread. */
const searchMsMax = 100;
const heldUpMsMax = 50;
const fewImages = 5_000;

const folder = mkdtempSync(join(tmpdir(), 'fovea-embeddings-'));
const file = join(folder, 'platform.db');
const said = new Said();
try {
  if (values.only !== 'throughput') await main(images, dimensions, runs);
  if (values.only !== 'searches') said.say(`\n${await measureThroughput()}`);
  if (values.write) said.write('npm run bench:embeddings');
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function main(count: number, length: number, runCount: number): Promise<void> {
  const store = openStore();
  const workspaceId = await fill(store.store, count, length);
  said.say(`${count} images with a vector of ${length} numbers, ${runCount} searches of each kind`);
  const queries: readonly (readonly [string, Query])[] = [
    ['all', { kind: 'all' }],
    ['half of them (split:train)', { kind: 'term', term: term('split', 'train') }],
    [`${fewImages} of them (tag:few)`, { kind: 'term', term: term('tag', 'few') }],
  ];
  const before = process.memoryUsage.rss();
  const search = searcher(store.store, workspaceId, length);
  const first = await search({ kind: 'all' });
  const rows = [['Searches', 'images', 'ms', 'main thread held up ms']];
  rows.push([
    'the first, which reads all vectors',
    String(first.compared),
    first.ms.toFixed(0),
    first.heldUpMs.toFixed(0),
  ]);
  for (const [name, query] of queries) {
    const found = [];
    for (let run = 0; run < runCount; run += 1) found.push(await search(query));
    const ms = found.map((one) => one.ms);
    const heldUpMs = found.map((one) => one.heldUpMs);
    rows.push([name, String(found[0]?.compared), formatRange(ms), formatRange(heldUpMs)]);
    judge(`${name}: a search takes`, median(ms), searchMsMax);
    judge(`${name}: the main thread is held up for`, median(heldUpMs), heldUpMsMax);
  }
  const plainMs = plainLoop(Math.min(count, 100_000), length) * (count / Math.min(count, 100_000));
  rows.push(['a plain loop over as many bytes', String(count), plainMs.toFixed(0), '–']);
  said.say(formatTable(rows));
  const peak = process.memoryUsage.rss();
  await delay(limits.readThreadIdleMsMax + 2_000);
  const after = process.memoryUsage.rss();
  const megabytes = [before, peak, after].map((bytes) => (bytes / 1024 ** 2).toFixed(0));
  said.say(
    `Memory of the process: ${megabytes[0]} MB before, ${megabytes[1]} MB while searches go on, ${megabytes[2]} MB when they have ended`,
  );
  await store.close();
}

function judge(what: string, ms: number, msMax: number): void {
  if (ms <= msMax) return;
  said.say(`FALLS SHORT: ${what} ${ms.toFixed(0)} ms, more than ${msMax}`);
  process.exitCode = 1;
}

function openStore() {
  const database = openAsyncDatabase(file, platformMigrations);
  const queue = createTaskQueue(database, { clock: systemClock, owner: 'bench' });
  const reads = startLongReadThreads(file);
  const store = createStore(database, bitSlicedImageIndex, queue, reads);
  return { store, database, close: () => store.close() };
}

/** Gives the workspace. */
async function fill(store: Store, count: number, length: number): Promise<string> {
  const rows = openAsyncDatabase(file, platformMigrations);
  const id = await addLargeProject(store, rows, { images: count });
  rows.close();
  const database = openDatabase(file, platformMigrations);
  database.transaction(() => {
    const vectors = pool(length);
    for (let ordinal = 1; ordinal <= count; ordinal += 1) {
      database.run(
        'INSERT INTO embedding_vectors (model, ordinal, scale, vector) VALUES (1, ?, ?, ?)',
        [ordinal, 1 / 127 / Math.sqrt(length / 3), vectors(ordinal)],
      );
    }
  });
  database.close();
  await fillIndex(id, count);
  return id;
}

async function fillIndex(workspaceId: string, count: number): Promise<void> {
  const database = openAsyncDatabase(file, platformMigrations);
  for (let from = 1; from <= count; from += 100_000) {
    const changes: TermChange[] = [];
    for (let ordinal = from; ordinal < Math.min(count + 1, from + 100_000); ordinal += 1) {
      const names = [term('workspace', workspaceId), term('project', 'large-project')];
      if (ordinal % 2 === 0) names.push(term('split', 'train'));
      if (ordinal <= fewImages) names.push(term('tag', 'few'));
      for (const name of names) changes.push({ ordinal, term: name, isSet: true });
    }
    await database.transaction(() => bitSlicedImageIndex.changeTerms(database, changes));
  }
  database.close();
}

/** Vectors of random bytes: parts of a long row, as making each anew would take minutes. */
function pool(length: number): (ordinal: number) => Uint8Array {
  const random = randomFrom('vectors');
  const bytes = Uint8Array.from({ length: length * 1_000 + 65_521 }, () => random() * 256);
  return (ordinal) => {
    const start = (ordinal * 7_919) % (bytes.length - length);
    return bytes.subarray(start, start + length);
  };
}

function searcher(store: Store, workspaceId: string, length: number) {
  const random = randomFrom('queries');
  return async (query: Query) => {
    const values = Array.from({ length }, () => random() - 0.5);
    const size = Math.hypot(...values);
    const vector = Float32Array.from(values, (value) => value / size);
    let heldUpMs = 0;
    let last = performance.now();
    const watch = () => {
      const now = performance.now();
      heldUpMs = Math.max(heldUpMs, now - last - 2);
      last = now;
    };
    const timer = setInterval(watch, 2);
    const startMs = performance.now();
    const page = await store.embeddings.nearest(
      { workspaceId, projectIds: undefined },
      { model: 1, vector, query, offset: 0, limit: 50, withAnnotations: false },
    );
    const ms = performance.now() - startMs;
    watch();
    clearInterval(timer);
    return { ms, heldUpMs, compared: page.compared };
  };
}

/** What it takes without a kernel, and without a database. */
function plainLoop(count: number, length: number): number {
  const bytes = new Int8Array(count * length).fill(3);
  const query = new Int16Array(length).fill(1_000);
  const startMs = performance.now();
  let most = 0;
  for (let from = 0; from < bytes.length; from += length) {
    let sum = 0;
    for (let at = 0; at < length; at += 1) sum += (bytes[from + at] ?? 0) * (query[at] ?? 0);
    most = Math.max(most, sum);
  }
  return most === 0 ? 0 : performance.now() - startMs;
}
