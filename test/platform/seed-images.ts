// A data folder with many images, written as rows: pixels are of no use to what moves rows.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import { createSqliteStore } from '../../src/platform/database/create-store.ts';
import { platformMigrations } from '../../src/platform/database/migrations.ts';
import { type OpenAsyncDatabase, openAsyncDatabase } from '../../src/storage/async-database.ts';
import { type Database, openDatabase } from '../../src/storage/database.ts';
import { createTaskQueue } from '../../src/storage/task-queue.ts';
import { addLargeProject } from '../fixtures/large-project.ts';

export interface Seeded {
  readonly data: string;
  /** Another connection to the database, to look into it. */
  readonly database: Database;
  /** For the stores. */
  readonly shared: OpenAsyncDatabase;
}

/** The project `large` of the workspace `acme`, whose images are `image-1` and so on, in train. */
export async function seedImages(images: number): Promise<Seeded> {
  const data = await mkdtemp(join(tmpdir(), 'fovea-seeded-'));
  const database = openDatabase(join(data, 'platform.db'), platformMigrations);
  const shared = openAsyncDatabase(join(data, 'platform.db'), platformMigrations);
  onTestFinished(async () => {
    shared.close();
    database.close();
    await rm(data, { recursive: true, force: true });
  });
  const work = createTaskQueue(shared, { clock: systemClock, owner: 'seed' });
  const store = createSqliteStore(shared, work);
  await addLargeProject(store, shared, { images, areAnnotated: true });
  database.run("INSERT INTO image_tags SELECT id, 'seeded' FROM images");
  return { data, database, shared };
}

/** One whole number of the database. */
export function numberIn(database: Database, sql: string): number {
  return database.get(sql, [], (row) => row.integer('n')) ?? 0;
}
