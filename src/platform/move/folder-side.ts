// A data folder as a side of a move.

import { existsSync, renameSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder, syncFolder } from '../../durable-folders.ts';
import { FoveaError, notFound } from '../../errors.ts';
import { limits } from '../../limits.ts';
import { asAsyncReader, openAsyncDatabase } from '../../storage/async-database.ts';
import { type Database, openDatabase } from '../../storage/database.ts';
import { type Lock, tryLock } from '../../storage/file-lock.ts';
import { readSchemaVersion } from '../../storage/schema-version.ts';
import { isBusy } from '../../storage/sqlite-errors.ts';
import { platformMigrations } from '../database/migrations.ts';
import { bitSlicedImageIndex } from '../database/search-index/bit-sliced-image-index.ts';
import {
  movingLockFile,
  refuseUnfinishedMove,
  rowsFile,
  unfinishedFile,
  unfinishedName,
} from '../open-platform-database.ts';
import { makeKeyFile, readKeyFile } from '../signed-links/signing-key.ts';
import {
  type ClaimedTarget,
  inUse,
  notEmpty,
  ofAnother,
  patiently,
  refuseVersion,
  type Source,
  type Target,
} from './source-and-target.ts';
import type { MovedTable } from './tables.ts';

/** As long as it is open no other process opens the rows. */
export async function openFolderSource(folder: string): Promise<Source> {
  const file = rowsFile(folder);
  refuseUnfinishedMove(folder);
  if (!existsSync(file)) throw noDatasets(folder);
  const database = openAlone(file, folder);
  const reader = asAsyncReader(database);
  return {
    reader,
    index: bitSlicedImageIndex,
    key: (await readKeyFile(folder)) ?? (await makeKeyFile(folder)),
    lastNumber: async ({ name, numbered }) =>
      database.get(
        `SELECT max(coalesce((SELECT seq FROM sqlite_sequence WHERE name = ?), 0),
           coalesce((SELECT max(${numbered}) FROM ${name}), 0)) AS n`,
        [name],
        (row) => row.integer('n'),
      ) ?? 0,
    close: async () => database.close(),
  };
}

function noDatasets(folder: string): FoveaError {
  const below = join(folder, 'platform');
  const hint = existsSync(rowsFile(below))
    ? `It is a FOVEA_HOME: give "${below}".`
    : 'Give the data folder of a platform: that of --data, or platform in FOVEA_HOME.';
  return notFound('file', rowsFile(folder), hint);
}

function openAlone(file: string, folder: string): Database {
  const busyMsMax = limits.moveWaitMs;
  try {
    // Opening it to write would bring an older one up to date.
    refuseVersion(readSchemaVersion(file), `"${folder}"`);
    return openDatabase(file, platformMigrations, { busyMsMax, isAlone: true });
  } catch (thrown) {
    throw isBusy(thrown) ? inUse(`"${folder}"`) : thrown;
  }
}

/** Throws `conflict` where the folder has datasets, or something of another platform than `key`. */
export async function claimFolder(folder: string, key: Buffer): Promise<ClaimedTarget> {
  makeFolder(folder);
  const own = await readKeyFile(folder);
  const isOther = own !== undefined && !own.equals(key);
  if (existsSync(rowsFile(folder))) {
    throw notEmpty(`"${folder}"`, {
      isMoved: own !== undefined && !isOther,
      fix: 'Give another folder, or rename platform.db in this one.',
    });
  }
  if (isOther) throw ofAnother(`"${folder}"`);
  const lockFile = movingLockFile(folder);
  const lock: Lock | undefined = await patiently(async () => tryLock(lockFile, 'exclusive'));
  if (lock === undefined) throw inUse(`"${folder}"`);
  const draft = unfinishedFile(folder);
  return {
    open: async () => {
      if (!existsSync(draft) || readSchemaVersion(draft) !== platformMigrations.length) {
        await removeUnfinished(folder, () => true);
      }
      const target = await openFolderTarget(folder);
      if (own === undefined) await makeKeyFile(folder, key);
      return target;
    },
    discard: () => removeUnfinished(folder, () => true),
    release: async () => {
      await rm(lockFile, { force: true });
      lock.release();
    },
  };
}

async function removeUnfinished(folder: string, isRemoved: (name: string) => boolean) {
  for (const name of await readdir(folder)) {
    if (name.startsWith(unfinishedName) && isRemoved(name)) await rm(join(folder, name));
  }
}

/** Files that a killed process left while it made the draft. */
function isLeftOver(name: string): boolean {
  return !['', '-wal', '-shm'].some((end) => name === unfinishedName + end);
}

async function openFolderTarget(folder: string): Promise<Target> {
  const draft = unfinishedFile(folder);
  // What a power cut takes of it is copied again.
  const database = openAsyncDatabase(draft, platformMigrations, { isDerived: true });
  await removeUnfinished(folder, isLeftOver);
  // Rows come table by table; all of them are checked at the end.
  await database.run('PRAGMA foreign_keys = OFF');
  return {
    database,
    index: bitSlicedImageIndex,
    insert: async (table, rows) => {
      const columns = table.columns.map((column) => (table.copied.includes(column) ? '?' : '0'));
      const names = table.columns.map(({ name }) => name).join(', ');
      const sql = `INSERT INTO ${table.name} (${names}) VALUES (${columns.join(', ')})`;
      await database.transaction(async () => {
        for (const row of rows) await database.run(sql, row);
      });
    },
    finish: async (numbers) => {
      const broken = await database.all('PRAGMA foreign_key_check', [], (row) => row.text('table'));
      if (broken.length > 0) throw brokenReferences(broken);
      for (const [table, number] of numbers) await keepNumber(database, table, number);
      database.close();
      if (existsSync(`${draft}-wal`)) {
        throw new FoveaError(
          'internal',
          'The moved database could not be completed: run it again.',
        );
      }
      renameSync(draft, rowsFile(folder));
      await syncFolder(folder);
    },
    close: async () => database.close(),
  };
}

function brokenReferences(tables: readonly string[]): FoveaError {
  const names = [...new Set(tables)].join(', ');
  return new FoveaError('internal', `Rows refer to others that are not there: ${names}.`);
}

/** So that no number is given twice. Tables that count from their last row need it not. */
async function keepNumber(
  database: Target['database'],
  { name }: MovedTable,
  number: number,
): Promise<void> {
  await database.transaction(async () => {
    await database.run('DELETE FROM sqlite_sequence WHERE name = ?', [name]);
    await database.run(
      `INSERT INTO sqlite_sequence (name, seq) SELECT name, ? FROM sqlite_schema
       WHERE name = ? AND sql LIKE '%AUTOINCREMENT%'`,
      [number, name],
    );
  });
}
