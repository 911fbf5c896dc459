// An open SQLite database: durable commits, typed rows, nested transactions, cached statements.

import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { FoveaError } from '../errors.ts';
import { limits } from '../limits.ts';
import { LruCache } from '../lru-cache.ts';
import { type Migration, readNumber } from './migrations.ts';
import {
  busySteps,
  openReadOnly,
  openSnapshot,
  openSqliteFile,
  type SqliteFileOptions,
} from './sqlite-connection.ts';
import { isBusy, translated } from './sqlite-errors.ts';
import { type Columns, readRow, StatementColumns } from './typed-row.ts';

/**
 * A row. Every method throws `internal`, naming the column, when the stored value is of another
 * type, or the answer has no such column. The `optional` ones give undefined for NULL.
 */
export interface Row {
  text(column: string): string;
  optionalText(column: string): string | undefined;
  /** A whole number within ±2^53. */
  integer(column: string): number;
  optionalInteger(column: string): number | undefined;
  /** Any number. */
  real(column: string): number;
  optionalReal(column: string): number | undefined;
  /** Stored as 0 or 1. */
  boolean(column: string): boolean;
  /** A BLOB. */
  bytes(column: string): Uint8Array;
  optionalBytes(column: string): Uint8Array | undefined;
  /** A text column parsed as JSON. */
  json(column: string): unknown;
  optionalJson(column: string): unknown;
}

/** What a parameter may be. `undefined` is stored as NULL, a boolean as 0 or 1. */
export type SqlValue = string | number | bigint | boolean | Uint8Array | null | undefined;

/** Values for the `?` of a statement, or by name for its `:name`. */
export type SqlParameters = readonly SqlValue[] | Readonly<Record<string, SqlValue>>;

/**
 * An open database. All calls are synchronous. They throw `full` when the disk is full, and
 * `internal` for all else that SQLite refuses: use ON CONFLICT DO NOTHING and look at the changes
 * where a row may be there already.
 */
export interface Database {
  /** All rows of an answer, each through `read`. */
  all<T>(sql: string, parameters: SqlParameters, read: (row: Row) => T): T[];
  /**
   * Rows of an answer, each through `read`, as long as that gives true: what comes behind is not
   * even made. `read` must not use the same SQL.
   */
  each(sql: string, parameters: SqlParameters, read: (row: Row) => boolean): void;
  /** The first row of an answer, through `read`; undefined when there is none. */
  get<T>(sql: string, parameters: SqlParameters, read: (row: Row) => T): T | undefined;
  /** Runs one statement that changes rows; says how many. */
  run(sql: string, parameters?: SqlParameters): number;
  /**
   * Runs `work` in one transaction that holds the write lock from its start: all of it is on the
   * disk when this returns, none of it when `work` throws. A call inside `work` is a part of the
   * outer transaction: when the inner one throws only its own changes are undone, and nothing is
   * on the disk before the outer one ends. `work` must not be async.
   */
  transaction<T>(work: () => T): T;
  /** Runs reads of one state: what others commit meanwhile is not seen. */
  readingOneState<T>(reads: () => T): T;
  /** The same for reads that wait for each other. Nobody else may read here meanwhile. */
  readingOneStateAsync<T>(reads: () => Promise<T>): Promise<T>;
  /** False too where SQLite has undone a transaction by itself, as on a full disk. */
  readonly isInTransaction: boolean;
  /** Begins one that `commit` or `rollback` ends: use `transaction` where you can. */
  begin(): void;
  /** Ends it: all of it is on the disk when this returns. What it throws is rolled back already. */
  commit(): void;
  /** Ends it: nothing of it has happened. Throws nothing. */
  rollback(): void;
  /**
   * Moves what was committed from the log into the file, as far as no reader needs the log. Waits
   * for nobody, and is never needed: the log itself is durable, and SQLite does it when it is long.
   */
  checkpoint(): void;
  /**
   * Another connection, which sees the state of now as long as it is open, whatever is written
   * meanwhile. The log grows until it is closed.
   */
  snapshot(): Snapshot;
  /** Ends the connection. A second call does nothing. */
  close(): void;
}

/** A database to read. */
export type Reader = Pick<
  Database,
  'all' | 'each' | 'get' | 'readingOneState' | 'readingOneStateAsync' | 'close'
>;

/** One state of a database, to read. */
export type Snapshot = Reader;

/**
 * Opens a database file and brings it to the newest schema; makes it, with its folder, where there
 * is none. Only the owner can read what this makes. Throws `internal` for a file that is damaged,
 * of a newer Fovea, or not a database, and where the disk cannot keep the promises of a commit.
 */
export function openDatabase(
  path: string,
  migrations: readonly Migration[],
  options: SqliteFileOptions = {},
): Database {
  const handle = openSqliteFile(path, migrations, options);
  return new SqliteDatabase(path, handle, busySteps(options).steps);
}

/** A connection to a file that is there, which only reads. Throws `internal` as `openDatabase`. */
export function openToRead(path: string, options: SqliteFileOptions = {}): Reader {
  return new SqliteDatabase(path, openReadOnly(path, options), 1);
}

class SqliteDatabase implements Database {
  readonly #path: string;
  readonly #handle: DatabaseSync;
  readonly #statements = new LruCache<string, Prepared>({
    weightMax: limits.databaseStatementsMax,
  });
  readonly #busySteps: number;
  #depth = 0;
  #isOpen = true;

  constructor(path: string, handle: DatabaseSync, busyStepsMax: number) {
    this.#path = path;
    this.#handle = handle;
    this.#busySteps = busyStepsMax;
  }

  all<T>(sql: string, parameters: SqlParameters, read: (row: Row) => T): T[] {
    const { statement, columns } = this.#statement(sql);
    const rows = translated(() =>
      isList(parameters)
        ? statement.all(...parameters.map(bindable))
        : statement.all(named(parameters)),
    );
    return rows.map((values) => read(readRow(values, columns)));
  }

  each(sql: string, parameters: SqlParameters, read: (row: Row) => boolean): void {
    const { statement, columns } = this.#statement(sql);
    translated(() => {
      const rows = isList(parameters)
        ? statement.iterate(...parameters.map(bindable))
        : statement.iterate(named(parameters));
      for (const values of rows) if (!read(readRow(values, columns))) return;
    });
  }

  get<T>(sql: string, parameters: SqlParameters, read: (row: Row) => T): T | undefined {
    const { statement, columns } = this.#statement(sql);
    const values = translated(() =>
      isList(parameters)
        ? statement.get(...parameters.map(bindable))
        : statement.get(named(parameters)),
    );
    return values === undefined ? undefined : read(readRow(values, columns));
  }

  run(sql: string, parameters: SqlParameters = []): number {
    const { statement } = this.#statement(sql);
    const { changes } = translated(() =>
      isList(parameters)
        ? statement.run(...parameters.map(bindable))
        : statement.run(named(parameters)),
    );
    return Number(changes);
  }

  transaction<T>(work: () => T): T {
    this.begin();
    let result: T;
    try {
      result = work();
      refusePromise(result);
    } catch (thrown) {
      this.rollback();
      throw thrown;
    }
    this.commit();
    return result;
  }

  readingOneState<T>(reads: () => T): T {
    this.run('SAVEPOINT reading');
    try {
      return reads();
    } finally {
      this.run('RELEASE reading');
    }
  }

  async readingOneStateAsync<T>(reads: () => Promise<T>): Promise<T> {
    this.run('SAVEPOINT reading');
    try {
      return await reads();
    } finally {
      this.run('RELEASE reading');
    }
  }

  get isInTransaction(): boolean {
    return this.#handle.isTransaction;
  }

  begin(): void {
    if (this.#depth === 0) this.#beginOuter();
    else this.run('SAVEPOINT inner');
    this.#depth += 1;
  }

  commit(): void {
    const isOuter = this.#depth === 1;
    try {
      this.run(isOuter ? 'COMMIT' : 'RELEASE inner');
      this.#depth -= 1;
    } catch (thrown) {
      this.rollback();
      if (isOuter) this.#overwriteFailedCommit();
      throw thrown;
    }
  }

  rollback(): void {
    if (this.#depth === 0) return;
    this.#undo(this.#depth === 1);
    this.#depth -= 1;
  }

  checkpoint(): void {
    translated(() => this.#handle.exec('PRAGMA wal_checkpoint(PASSIVE)'));
  }

  snapshot(): Snapshot {
    return new SqliteDatabase(this.#path, openSnapshot(this.#path), 1);
  }

  close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#statements.clear();
    this.#handle.close();
  }

  #beginOuter(): void {
    for (let step = 1; ; step += 1) {
      try {
        this.run('BEGIN IMMEDIATE');
        return;
      } catch (thrown) {
        if (!isBusy(thrown) || step >= this.#busySteps) throw thrown;
      }
    }
  }

  #undo(isOuter: boolean): void {
    try {
      this.#handle.exec(isOuter ? 'ROLLBACK' : 'ROLLBACK TO inner; RELEASE inner');
    } catch {
      // A full or failing disk has made SQLite undo all of it already.
    }
  }

  /**
   * A commit whose sync failed stands in the log all the same, and would count after a crash. The
   * next commit takes its place: so there is one now, before anybody hears of the failure; or
   * whoever has the lock makes it.
   */
  #overwriteFailedCommit(): void {
    for (let attempt = 1; attempt <= limits.databaseOverwritesMax; attempt += 1) {
      try {
        this.#handle.exec('BEGIN IMMEDIATE');
        const version = readNumber(this.#handle, 'PRAGMA user_version');
        this.#handle.exec(`PRAGMA user_version = ${version}; COMMIT`);
        return;
      } catch (thrown) {
        if (isBusy(thrown)) return;
        // The disk still fails.
        this.#undo(true);
      }
    }
  }

  /** Prepared statements are cached: nearly always all of them, so none is moved to the end. */
  #statement(sql: string): Prepared {
    const known = this.#statements.peek(sql);
    if (known) return known;
    const prepared = translated(() => prepare(this.#handle, sql));
    this.#statements.set(sql, prepared);
    return prepared;
  }
}

interface Prepared {
  readonly statement: StatementSync;
  readonly columns: Columns;
}

/** Its rows come as lists: for an object SQLite would be asked for every name again. */
function prepare(handle: DatabaseSync, sql: string): Prepared {
  const statement = handle.prepare(sql);
  statement.setReturnArrays(true);
  return { statement, columns: new StatementColumns(statement) };
}

function refusePromise(result: unknown): void {
  if (!(result instanceof Promise)) return;
  result.catch(() => {});
  throw new FoveaError('internal', 'A transaction cannot wait for a promise.');
}

function isList(parameters: SqlParameters): parameters is readonly SqlValue[] {
  return Array.isArray(parameters);
}

type Bindable = string | number | bigint | Uint8Array | null;

function named(parameters: Readonly<Record<string, SqlValue>>): Record<string, Bindable> {
  return Object.fromEntries(
    Object.entries(parameters).map(([name, value]) => [name, bindable(value)]),
  );
}

function bindable(value: SqlValue): Bindable {
  if (typeof value === 'boolean') return value ? 1 : 0;
  return value ?? null;
}
