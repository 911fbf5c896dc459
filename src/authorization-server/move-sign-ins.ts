// Moves accounts, applications and sign-ins between the file of a data folder and PostgreSQL. The
// source stays as it is.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { databaseSchemas } from '../database-url.ts';
import { FoveaError } from '../errors.ts';
import { limits } from '../limits.ts';
import type { Secret } from '../secret.ts';
import { type AsyncDatabase, type AsyncReader, asAsyncReader } from '../storage/async-database.ts';
import { type Database, openDatabase } from '../storage/database.ts';
import { describeTables } from '../storage/described-tables.ts';
import { digestRows, type OrderedTable, readPages } from '../storage/ordered-rows.ts';
import { readSchemaVersion } from '../storage/schema-version.ts';
import { isBusy } from '../storage/sqlite-errors.ts';
import { openSignInDatabase } from './sign-in-database.ts';
import { signInFile, signInMigrations } from './store/schema.ts';

export interface SignInMove {
  /** A data folder. */
  readonly folder: string;
  readonly databaseUrl: Secret;
  readonly direction: 'to-database' | 'to-folder';
}

export interface MovedSignIns {
  readonly accounts: number;
  readonly applications: number;
  /** Of all tables. */
  readonly rows: number;
}

/**
 * All of them or none, in one transaction, in which they are compared too. What an earlier move
 * brought is replaced. Undefined: the source has nothing of them. Throws `conflict` where a process
 * uses the source, where it is of another version, and where the target has accounts or
 * applications that the source does not have.
 */
export async function moveSignIns(move: SignInMove): Promise<MovedSignIns | undefined> {
  const isToDatabase = move.direction === 'to-database';
  const source = isToDatabase
    ? openFile(join(move.folder, signInFile))
    : await openSchema(move.databaseUrl);
  if (source === undefined) return undefined;
  try {
    const target = await openSignInDatabase(
      move.folder,
      isToDatabase ? move.databaseUrl : undefined,
    );
    try {
      return await target.transaction(() => replaceAll(source.reader, target));
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
}

interface Source {
  readonly reader: AsyncReader;
  close(): void | Promise<void>;
}

/** As long as it is open no other process opens it. */
function openFile(file: string): Source | undefined {
  if (!existsSync(file)) return undefined;
  let database: Database;
  try {
    // Opening it to write would bring an older one up to date.
    refuseVersion(readSchemaVersion(file), file);
    database = openDatabase(file, signInMigrations, {
      busyMsMax: limits.moveWaitMs,
      isAlone: true,
    });
  } catch (thrown) {
    throw isBusy(thrown) ? inUse(file) : thrown;
  }
  return { reader: asAsyncReader(database), close: () => database.close() };
}

/** One state of it, whoever writes meanwhile. */
async function openSchema(url: Secret): Promise<Source | undefined> {
  const { openServerSession } = await import('../storage/postgres/postgres-database.ts');
  const schema = databaseSchemas.signIn;
  const session = await openServerSession(url, schema);
  try {
    await session.command('BEGIN ISOLATION LEVEL REPEATABLE READ');
    const table = `${schema}.schema_version`;
    const isThere = 'SELECT to_regclass(?) IS NOT NULL AS there';
    if (!(await session.get(isThere, [table], (row) => row.boolean('there')))) {
      await session.close();
      return undefined;
    }
    const sql = `SELECT version FROM ${table}`;
    const version = await session.get(sql, [], (row) => row.integer('version'));
    refuseVersion(version, `the schema ${schema}`);
    return { reader: session, close: () => session.close() };
  } catch (thrown) {
    await session.close();
    throw thrown;
  }
}

function refuseVersion(version = 0, place: string): void {
  const own = signInMigrations.length;
  if (version === own) return;
  const message = `The sign-ins in ${place} are of version ${version}; this Fovea moves version ${own}.`;
  throw new FoveaError('conflict', message, {
    hint:
      version < own
        ? 'Run "fovea account list" of this release there once: it brings them up to date.'
        : 'Use the newer Fovea that wrote them.',
  });
}

function inUse(file: string): FoveaError {
  return new FoveaError('conflict', `A process of Fovea uses "${file}".`, {
    hint: 'Stop all of them, and run this again.',
  });
}

/** In a transaction of the target. */
async function replaceAll(source: AsyncReader, target: AsyncDatabase): Promise<MovedSignIns> {
  if (await hasOthers(source, target)) throw ofAnother();
  const tables = describeTables(signInMigrations).map(
    ({ name, columns, key }): OrderedTable => ({ name, copied: columns, key }),
  );
  for (const { name } of tables.toReversed()) await target.run(`DELETE FROM ${name}`);
  const counts = new Map<string, number>();
  for (const table of tables) counts.set(table.name, await copyTable(source, target, table));
  return {
    accounts: counts.get('accounts') ?? 0,
    applications: counts.get('applications') ?? 0,
    rows: [...counts.values()].reduce((sum, count) => sum + count, 0),
  };
}

async function copyTable(
  source: AsyncReader,
  target: AsyncDatabase,
  table: OrderedTable,
): Promise<number> {
  const names = table.copied.map(({ name }) => name).join(', ');
  const marks = table.copied.map(() => '?').join(', ');
  const sql = `INSERT INTO ${table.name} (${names}) VALUES (${marks})`;
  for await (const page of readPages(source, table)) {
    for (const row of page) await target.run(sql, row);
  }
  const [from, to] = [await digestRows(source, table), await digestRows(target, table)];
  if (from.hash === to.hash) return to.rows;
  throw new FoveaError('internal', `Rows of ${table.name} differ at the target: none were moved.`);
}

/** Whether the target has accounts or applications that the source does not have. */
async function hasOthers(source: AsyncReader, target: AsyncReader): Promise<boolean> {
  const sql = 'SELECT id FROM accounts UNION ALL SELECT id FROM applications';
  const idsOf = (reader: AsyncReader) => reader.all(sql, [], (row) => row.text('id'));
  const own = new Set(await idsOf(source));
  return (await idsOf(target)).some((id) => !own.has(id));
}

function ofAnother(): FoveaError {
  const message = 'The target has accounts or applications that the source does not have.';
  return new FoveaError('conflict', message, {
    hint:
      `Remove them there ("fovea account", "fovea application", or the schema ` +
      `${databaseSchemas.signIn}, or ${signInFile}), or move to another place.`,
  });
}
