// The file of the index: its tables, and how it is opened to write and thrown away. It holds
// nothing that the events do not hold, so whatever is wrong with it, it is made anew.

import { readdirSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { FoveaError } from '../../errors.ts';
import { limits } from '../../limits.ts';
import { type Database, openDatabase, type Reader } from '../../storage/database.ts';
import type { Migration } from '../../storage/migrations.ts';
import type { Arrival } from '../store/store.ts';

/** Another one for other tables or other tokens: the index of another Fovea is made anew. */
const format = 2;

const tables: readonly Migration[] = [
  {
    name: 'index',
    sql: `
      CREATE TABLE progress (
        format INTEGER NOT NULL,
        -- Of the store whose events are in here.
        store_id TEXT NOT NULL,
        salt INTEGER NOT NULL,
        -- Events until here are in, so many ever.
        arrival INTEGER NOT NULL,
        number INTEGER NOT NULL
      ) STRICT;
      -- Each has a table of its own, from its first event to its last.
      CREATE TABLE parts (
        part INTEGER PRIMARY KEY,
        since INTEGER NOT NULL,
        until INTEGER NOT NULL
      ) STRICT;
    `,
  },
];

/** How far an index is. */
export interface Progress {
  readonly salt: number;
  /** Events until here are in. */
  readonly arrival: Arrival;
  /** The number of the last of them. */
  readonly number: number;
}

export interface Part {
  readonly part: number;
  readonly since: Arrival;
  readonly until: Arrival;
}

export function indexPathOf(data: string): string {
  return join(data, 'index.db');
}

/** Makes the file where there is none. Throws as `openDatabase` does for one that is of no use. */
export function openIndexFile(path: string): Database {
  return openDatabase(path, tables, {
    cacheBytes: limits.indexCacheBytes,
    isDerived: true,
  });
}

export function beginProgress(database: Database, storeId: string): void {
  const salt = crypto.getRandomValues(new Int32Array(1))[0] ?? 0;
  const sql =
    'INSERT INTO progress (format, store_id, salt, arrival, number) VALUES (?, ?, ?, 0, 0)';
  database.run(sql, [format, storeId, salt]);
}

/** Undefined: it is the index of another store, or of another Fovea. */
export function readProgress(database: Reader, storeId: string): Progress | undefined {
  const sql = 'SELECT salt, arrival, number FROM progress WHERE format = ? AND store_id = ?';
  return database.get(sql, [format, storeId], (row) => ({
    salt: row.integer('salt'),
    arrival: row.integer('arrival'),
    number: row.integer('number'),
  }));
}

export function readParts(database: Reader): Part[] {
  return database.all('SELECT part, since, until FROM parts ORDER BY part', [], (row) => ({
    part: row.integer('part'),
    since: row.integer('since'),
    until: row.integer('until'),
  }));
}

export function tableOf(part: number): string {
  return `terms_${part}`;
}

/**
 * Another number once the file is another one; undefined: there is none, or it is no file. To open
 * a pipe would wait for ever.
 */
export function fileIdOf(path: string): number | undefined {
  const found = statSync(path, { throwIfNoEntry: false });
  return found?.isFile() ? found.ino : undefined;
}

/** Takes away what is no file, and what processes left that died while they made the file. */
export function clearWay(path: string): void {
  if (fileIdOf(path) === undefined) removeIndexFile(path);
  for (const name of readdirSync(dirname(path))) {
    if (draftName.test(name)) rmSync(join(dirname(path), name), { force: true });
  }
}

/** As `openDatabase` calls a file until it is whole. */
const draftName = /^index\.db\.[\da-f-]{36}/;

/** Throws `internal` where it cannot be removed. */
export function removeIndexFile(path: string): void {
  try {
    for (const end of ['', '-wal', '-shm']) rmSync(path + end, { force: true });
  } catch (cause) {
    const message = 'The index of events is of no use, and cannot be removed.';
    throw new FoveaError('internal', message, { cause });
  }
}
