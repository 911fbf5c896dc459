// A platform's database with as many images as are wanted, made row by row and then indexed by the
// platform's own job: uploads of a million pictures would take hours.

import { join } from 'node:path';
import { systemClock } from '../../src/clock.ts';
import { createSqliteStore } from '../../src/platform/database/create-store.ts';
import { platformMigrations } from '../../src/platform/database/migrations.ts';
import type { Store } from '../../src/platform/store/store.ts';
import { type OpenAsyncDatabase, openAsyncDatabase } from '../../src/storage/async-database.ts';
import { type Database, openDatabase } from '../../src/storage/database.ts';
import { createTaskQueue } from '../../src/storage/task-queue.ts';

export interface OpenStore {
  readonly database: Database;
  /** That of the store. */
  readonly shared: OpenAsyncDatabase;
  readonly store: Store;
  readonly workspaceId: string;
}

export interface Filled extends OpenStore {
  /** What the making took. */
  readonly rowsMs: number;
  readonly indexMs: number;
  /** Of the indexing: without what other processes took. */
  readonly indexCpuMs: number;
}

/** A stream of numbers that is the same in each run (mulberry32). */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

const projects = 10;
const tags = [
  'night',
  'day',
  'rain',
  'fog',
  'review',
  'blurry',
  'line-1',
  'line-2',
  'line-3',
  'new',
];
const classes = ['RBC', 'WBC', 'Platelets', 'scratch', 'dent', 'screw', 'person', 'car'];
const sides = [
  [640, 480],
  [1280, 720],
  [1920, 1080],
  [416, 416],
  [4032, 3024],
] as const;
const rowsAtOnce = 10_000;
const indexedAtOnce = 1_000;

/** Makes the database in a folder. `onStep` is told how far it is. */
export async function fillDatabase(
  folder: string,
  images: number,
  onStep: (done: number) => void,
): Promise<Filled> {
  const database = openDatabase(join(folder, 'platform.db'), platformMigrations);
  const shared = openAsyncDatabase(join(folder, 'platform.db'), platformMigrations);
  const work = createTaskQueue(shared, { clock: systemClock, owner: 'bench' });
  const store = createSqliteStore(shared, work);
  const workspace = await store.workspaces.ensure('bench', 1);
  addProjects(database, workspace.id);
  const random = randomNumbers(1);
  const start = systemClock.now();
  for (let done = 0; done < images; done += rowsAtOnce) {
    const end = Math.min(images, done + rowsAtOnce);
    database.transaction(() => {
      for (let number = done; number < end; number += 1) addImage(database, number, images, random);
    });
  }
  const indexing = systemClock.now();
  const cpu = process.cpuUsage();
  for (let done = 0; ; done += indexedAtOnce) {
    const open = await store.search.unindexed(indexedAtOnce);
    if (open.length === 0) break;
    const ids = open.map(({ imageId }) => imageId);
    await store.search.index(ids, (writes) => shared.transaction(writes));
    if (done % 50_000 === 0) onStep(done);
  }
  const { user, system } = process.cpuUsage(cpu);
  return {
    database,
    shared,
    store,
    workspaceId: workspace.id,
    rowsMs: indexing - start,
    indexMs: systemClock.now() - indexing,
    indexCpuMs: (user + system) / 1000,
  };
}

function addProjects(database: Database, workspaceId: string): void {
  for (let number = 0; number < projects; number += 1) {
    database.run(
      `INSERT INTO projects (id, workspace_id, slug, name, type, annotation, public, created, updated)
       VALUES (?, ?, ?, ?, 'object-detection', 'things', 1, 1, 1)`,
      [`project-${number}`, workspaceId, `project-${number}`, `Project ${number}`],
    );
    database.run('INSERT INTO batches (id, project_id, name, created) VALUES (?, ?, ?, 1)', [
      `batch-${number}`,
      `project-${number}`,
      'one',
    ]);
  }
}

/** Three quarters of all images are in the first project; the rest is spread. */
function addImage(database: Database, number: number, images: number, random: () => number): void {
  const place = number < images * 0.75 ? 0 : 1 + (number % (projects - 1));
  const id = `i${number.toString(36).padStart(8, '0')}`;
  const [width, height] = sides[Math.floor(random() ** 2 * sides.length)] ?? [640, 480];
  const share = random();
  const split = share < 0.7 ? 'train' : share < 0.9 ? 'valid' : 'test';
  const labels = random() < 0.8 ? labelsOf(random) : undefined;
  const objects = labels && [...labels.values()].reduce((sum, count) => sum + count, 0);
  database.run(
    `INSERT INTO images (id, project_id, batch_id, name, hash, bytes, format, width, height, split,
       metadata, annotation, objects, created) VALUES (?, ?, ?, ?, ?, 1, 'jpeg', ?, ?, ?, ?, ?, ?, ?)`,
    [
      id,
      `project-${place}`,
      `batch-${place}`,
      nameOf(number, random),
      `hash-${number}`,
      width,
      height,
      split,
      JSON.stringify({ site: `site-${Math.floor(random() * 50)}` }),
      labels && annotationOf(labels),
      objects,
      number,
    ],
  );
  database.run('INSERT INTO image_ordinals (image_id, indexed) VALUES (?, 0)', [id]);
  for (const [at, tag] of tags.entries()) {
    if (random() < 0.5 / (at + 1)) {
      database.run('INSERT INTO image_tags (image_id, tag) VALUES (?, ?)', [id, tag]);
    }
  }
  for (const [label, count] of labels ?? []) {
    database.run('INSERT INTO image_labels (image_id, project_id, label, n) VALUES (?, ?, ?, ?)', [
      id,
      `project-${place}`,
      label,
      count,
    ]);
  }
  addLook(database, number + 1, random);
}

function nameOf(number: number, random: () => number): string {
  const digits = String(number).padStart(7, '0');
  const kind = random();
  if (kind < 0.6) return `frame_${digits}.jpg`;
  if (kind < 0.9) return `IMG_${digits}.JPG`;
  return `cam${Math.floor(random() * 9)}-2026${digits}.png`;
}

function labelsOf(random: () => number): ReadonlyMap<string, number> {
  const labels = new Map<string, number>();
  for (const [at, label] of classes.entries()) {
    if (random() < 0.6 / (at + 1)) labels.set(label, 1 + Math.floor(random() ** 3 * 30));
  }
  return labels;
}

function annotationOf(labels: ReadonlyMap<string, number>): string {
  const boxes = [...labels].flatMap(([label, count]) =>
    Array.from({ length: Math.min(count, 3) }, () => ({ label, x: 9, y: 9, width: 5, height: 5 })),
  );
  return JSON.stringify({ kind: 'detection', boxes });
}

/** As the upload would have found it, but for the pictures. */
function addLook(database: Database, ordinal: number, random: () => number): void {
  const vector = Uint8Array.from({ length: 64 }, () => Math.floor(random() * 256));
  database.run('INSERT INTO likeness_vectors (ordinal, vector, sharpness) VALUES (?, ?, 0)', [
    ordinal,
    vector,
  ]);
  if (ordinal % 256 !== 1) return;
  const hashes = Uint8Array.from({ length: 2_048 }, () => Math.floor(random() * 256));
  database.run('INSERT INTO likeness_hashes (chunk, hashes) VALUES (?, ?)', [
    Math.floor(ordinal / 256),
    hashes,
  ]);
}
