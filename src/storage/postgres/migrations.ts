// Brings the tables in a PostgreSQL schema to the newest version, once, however many processes
// start.

import type { ClientBase } from 'pg';
import { FoveaError } from '../../errors.ts';
import type { Migration } from '../migrations.ts';
import { functions, tablesOf } from './statements.ts';

/**
 * Runs the steps that are missing: all of them are done, or none. Throws `internal` when the tables
 * belong to a newer Fovea.
 */
export async function migrate(
  client: ClientBase,
  schema: string,
  migrations: readonly Migration[],
): Promise<void> {
  await client.query('BEGIN ISOLATION LEVEL READ COMMITTED');
  try {
    await client.query(schemaLock(schema));
    await refuseUnfinished(client, schema);
    await client.query(`CREATE SCHEMA IF NOT EXISTS ${schema}`);
    await client.query('CREATE TABLE IF NOT EXISTS schema_version (version BIGINT NOT NULL)');
    const { rows } = await client.query('SELECT version FROM schema_version');
    const version = Number(rows[0]?.version ?? 0);
    refuseNewer(version, migrations.length);
    if (version < migrations.length) {
      await client.query(functions);
      for (const { sql, postgres } of migrations.slice(version)) {
        await client.query(tablesOf(postgres ?? sql));
      }
      await client.query('DELETE FROM schema_version');
      await client.query('INSERT INTO schema_version VALUES ($1)', [migrations.length]);
    }
    await client.query('COMMIT');
  } catch (thrown) {
    await client.query('ROLLBACK');
    throw thrown;
  }
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

function refuseNewer(version: number, known: number): void {
  if (version <= known) return;
  const message = `The database is of version ${version}; this Fovea knows versions up to ${known}.`;
  throw new FoveaError('internal', message, { hint: 'Use the newer Fovea that wrote it.' });
}
