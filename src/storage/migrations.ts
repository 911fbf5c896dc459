// Migrates a database file to the newest schema, once, however many processes open it.

import type { DatabaseSync } from 'node:sqlite';
import { FoveaError } from '../errors.ts';

/**
 * One step of a schema. Its number is its place in the service's list, counted from 1: lists grow
 * at the end, and a step that was released never changes.
 */
export interface Migration {
  /** What the step brings, for error messages, for example `work`. */
  readonly name: string;
  /** One or more statements. They run in one transaction of ours, so without BEGIN or COMMIT. */
  readonly sql: string;
  /** What PostgreSQL runs in place of them, where that is more than the same in its own words. */
  readonly postgres?: string;
  /**
   * Whether a Fovea that does not know it can no longer work with the tables. Others add alone:
   * tables, indexes, columns that may be left out. So old and new processes run side by side.
   */
  readonly endsOlder?: true;
}

/**
 * Throws `internal` when the file belongs to a newer Fovea or to another program. Reads only, so
 * that a file that is not ours stays as it is.
 */
export function refuseForeign(handle: DatabaseSync, migrations: readonly Migration[]): void {
  const version = readNumber(handle, 'PRAGMA user_version');
  if (version > migrations.length) {
    const message = `The database is of version ${version}; this Fovea knows versions up to ${migrations.length}.`;
    throw new FoveaError('internal', message, {
      hint: 'Use the newer Fovea that wrote it, or another data folder.',
    });
  }
  if (version === 0 && readNumber(handle, 'SELECT count(*) FROM sqlite_schema') > 0) {
    throw new FoveaError('internal', 'The database was made by another program.', {
      hint: 'Use another data folder.',
    });
  }
}

/**
 * For a process that runs: throws `unavailable` where others have made the tables such that it
 * cannot work with them. They have `version` steps, of which it must know `least`, and knows
 * `known`.
 */
export function refuseOtherTables(version: number, least: number, known: number): void {
  if (least > known) {
    const message = 'A newer Fovea has changed the tables: this one is too old.';
    throw otherTables(message, 'Replace this process by the newer Fovea.');
  }
  if (version < known) {
    const message = 'The tables are those of an older Fovea, as after a backup was put back.';
    throw otherTables(message, 'Start this process again: it brings them up to date.');
  }
}

function otherTables(message: string, hint: string): FoveaError {
  return new FoveaError('unavailable', message, { hint, retryAfterSeconds: 1 });
}

/** Runs the steps that are missing. Each is wholly done or not at all. */
export function migrate(handle: DatabaseSync, migrations: readonly Migration[]): void {
  while (readNumber(handle, 'PRAGMA user_version') < migrations.length) {
    runNext(handle, migrations);
  }
}

/** The first number of an answer. */
export function readNumber(handle: DatabaseSync, sql: string): number {
  const [value] = Object.values(handle.prepare(sql).get() ?? {});
  if (typeof value === 'number') return value;
  throw new FoveaError('internal', `The database does not answer to ${sql}.`);
}

function runNext(handle: DatabaseSync, migrations: readonly Migration[]): void {
  handle.exec('BEGIN IMMEDIATE');
  try {
    // Read again under the lock: another process may have run the step while we waited.
    const version = readNumber(handle, 'PRAGMA user_version');
    refuseForeign(handle, migrations);
    const next = migrations[version];
    if (next !== undefined) {
      handle.exec(next.sql);
      handle.exec(`PRAGMA user_version = ${version + 1}`);
    }
    handle.exec('COMMIT');
  } catch (thrown) {
    handle.exec('ROLLBACK');
    throw thrown;
  }
}
