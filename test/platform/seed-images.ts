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
  const { id: workspaceId } = await store.workspaces.ensure('acme', 1);
  await store.projects.add({
    id: 'large-project',
    workspaceId,
    name: 'Large',
    type: 'object-detection',
    annotation: 'things',
    license: undefined,
    isPublic: false,
    folderId: undefined,
    created: 1,
  });
  database.transaction(() => addRows(database, images));
  return { data, database, shared };
}

function addRows(database: Database, images: number): void {
  const numbers = `WITH RECURSIVE numbers (n) AS (
    VALUES (1) UNION ALL SELECT n + 1 FROM numbers WHERE n < ${images})`;
  database.run("INSERT INTO batches VALUES ('large-batch', 'large-project', 'first', 1)");
  database.run(
    `${numbers} INSERT INTO images (id, project_id, batch_id, name, hash, bytes, format, width,
       height, split, metadata, annotation, objects, annotated_at, created)
     SELECT 'image-' || n, 'large-project', 'large-batch', n || '.png', printf('%064d', n), 100,
       'png', 64, 48, 'train', '{}', '{"kind":"detection","boxes":[]}', 0, 1, n FROM numbers`,
  );
  database.run(`${numbers} INSERT INTO image_tags SELECT 'image-' || n, 'seeded' FROM numbers`);
  database.run('INSERT INTO image_ordinals (image_id, indexed) SELECT id, 1 FROM images');
}

/** One whole number of the database. */
export function numberIn(database: Database, sql: string): number {
  return database.get(sql, [], (row) => row.integer('n')) ?? 0;
}
