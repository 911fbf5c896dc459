// Brings the tables in a PostgreSQL schema to the newest version, once, however many processes
// start.

import { setTimeout as sleep } from 'node:timers/promises';
import type { ClientBase } from 'pg';
import { FoveaError } from '../../errors.ts';
import { limits } from '../../limits.ts';
import { type Migration, refuseOtherTables } from '../migrations.ts';
import { isHeldUp, isTableMissing } from './errors.ts';
import { functions, tablesOf } from './statements.ts';

/** By which a server knows the connections of a process that works on datasets or sign-ins. */
export const applicationName = 'fovea';

/**
 * Runs the steps that are missing: all of them are done, or none. Who reads for long is waited for
 * in turns with others, who would wait behind a change of the tables. Tables of a newer Fovea are
 * left as they are; throws `internal` when an older one cannot work with them.
 */
export async function migrate(
  client: ClientBase,
  schema: string,
  migrations: readonly Migration[],
): Promise<void> {
  for (let attempts = 1; ; attempts += 1) {
    try {
      return await attempt(client, schema, migrations);
    } catch (thrown) {
      if (!isHeldUp(thrown) || attempts === limits.databaseChangeAttemptsMax) throw thrown;
      await sleep(limits.databaseChangeRetryMs);
    }
  }
}

async function attempt(
  client: ClientBase,
  schema: string,
  migrations: readonly Migration[],
): Promise<void> {
  await client.query('BEGIN ISOLATION LEVEL READ COMMITTED');
  try {
    // Others wait for the one who makes the steps, as long as these take.
    await client.query('SET LOCAL statement_timeout = 0');
    await client.query(schemaLock(schema));
    await refuseUnfinished(client, schema);
    await client.query(`CREATE SCHEMA IF NOT EXISTS ${schema}`);
    await client.query('CREATE TABLE IF NOT EXISTS schema_version (version BIGINT NOT NULL)');
    const { version, least } = await readVersions(client);
    if (least > migrations.length) throw tooOld(version, migrations.length);
    if (version < migrations.length) await runSteps(client, migrations, version);
    await client.query('COMMIT');
  } catch (thrown) {
    await client.query('ROLLBACK');
    throw thrown;
  }
}

/** As `refuseOtherTables`, for one that knows `known` steps. */
export async function checkVersions(client: ClientBase, known: number): Promise<void> {
  // Where transactions are SERIALIZABLE, one that waits here for a change sees what was before it.
  const begun = client.query('BEGIN ISOLATION LEVEL READ COMMITTED');
  const read = readVersions(client).catch((thrown: unknown) => {
    if (isTableMissing(thrown)) return { version: 0, least: 0 };
    throw thrown;
  });
  const [{ version, least }] = await Promise.all([read, begun, client.query('COMMIT')]);
  refuseOtherTables(version, least, known);
}

interface Versions {
  /** The steps that were made. */
  readonly version: number;
  /** How many of them a Fovea must know to work with the tables. */
  readonly least: number;
}

async function readVersions(client: ClientBase): Promise<Versions> {
  const { rows } = await client.query('SELECT * FROM schema_version');
  const version = Number(rows[0]?.version ?? 0);
  // Before there was such a column, none could work with tables of more steps than it knew.
  return { version, least: Number(rows[0]?.least ?? version) };
}

async function runSteps(
  client: ClientBase,
  migrations: readonly Migration[],
  version: number,
): Promise<void> {
  const missing = migrations.slice(version);
  await client.query(`SET LOCAL lock_timeout = ${limits.databaseChangeWaitMsMax}`);
  if (version > 0 && missing.some(({ endsOlder }) => endsOlder)) await endOthers(client);
  await client.query(functions);
  for (const { sql, postgres } of missing) await client.query(tablesOf(postgres ?? sql));
  await client.query(
    'ALTER TABLE schema_version ADD COLUMN IF NOT EXISTS least BIGINT NOT NULL DEFAULT 0',
  );
  await client.query('DELETE FROM schema_version');
  const least = migrations.findLastIndex(({ endsOlder }) => endsOlder) + 1;
  await client.query('INSERT INTO schema_version (version, least) VALUES ($1, $2)', [
    migrations.length,
    least,
  ]);
}

/** Those who come back wait at the look at the versions, and see them as they are then. */
async function endOthers(client: ClientBase): Promise<void> {
  await client.query('LOCK TABLE schema_version IN ACCESS EXCLUSIVE MODE');
  await client.query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
     WHERE application_name = $1 AND datname = current_database() AND usename = current_user
       AND pid <> pg_backend_pid()`,
    [applicationName],
  );
}

/** Held by whoever makes or changes the tables of a schema, to the end of the transaction. */
export function schemaLock(schema: string): string {
  return `SELECT pg_advisory_xact_lock(hashtext('fovea ${schema}'))`;
}

/** Where tables are while they are moved into the database, before all of them are there. */
export function unfinishedSchema(schema: string): string {
  return `${schema}_moving`;
}

export function unfinishedMove(hint: string): FoveaError {
  return new FoveaError('conflict', 'The database has an unfinished move of datasets.', { hint });
}

async function refuseUnfinished(client: ClientBase, schema: string): Promise<void> {
  const sql = 'SELECT 1 FROM pg_namespace WHERE nspname = $1';
  const { rowCount } = await client.query(sql, [unfinishedSchema(schema)]);
  if (rowCount === 0) return;
  throw unfinishedMove(
    'Run the same "fovea migrate" again: it goes on where it was. To give it up: DROP SCHEMA ' +
      `${unfinishedSchema(schema)} CASCADE.`,
  );
}

function tooOld(version: number, known: number): FoveaError {
  const message = `The database is of version ${version}; this Fovea knows versions up to ${known}.`;
  return new FoveaError('internal', message, { hint: 'Use the newer Fovea that wrote it.' });
}
