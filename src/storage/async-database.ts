// A database whose calls resolve once they are done, as those of a server do, and its driver for
// SQLite: two connections, one of which writes, one transaction after the other.

import { AsyncLocalStorage } from 'node:async_hooks';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { systemClock } from '../clock.ts';
import { limits } from '../limits.ts';
import { SerialQueue } from '../serial-queue.ts';
import {
  type Database,
  openDatabase,
  openToRead,
  type Reader,
  type Row,
  type SqlParameters,
} from './database.ts';
import { moveLogAfter } from './log-thread.ts';
import { type Migration, refuseOtherTables } from './migrations.ts';
import type { SqliteFileOptions } from './sqlite-connection.ts';
import { isBusy } from './sqlite-errors.ts';
import { TransactionScope } from './transaction-scope.ts';

/** Statements that read; they throw as those of `Database` do. */
export interface AsyncReader {
  /** All rows of an answer, each through `read`. */
  all<T>(sql: string, parameters: SqlParameters, read: (row: Row) => T): Promise<T[]>;
  /**
   * Rows of an answer, each through `read`, as long as that gives true: what comes behind is not
   * even made. `read` must not use the same SQL.
   */
  each(sql: string, parameters: SqlParameters, read: (row: Row) => boolean): Promise<void>;
  /** The first row of an answer, through `read`; undefined when there is none. */
  get<T>(sql: string, parameters: SqlParameters, read: (row: Row) => T): Promise<T | undefined>;
}

/**
 * What is called within the work of a transaction, in functions that this calls too, belongs to it.
 * Other statements see what was committed before; one that changes rows and gives an answer
 * (RETURNING) stands in a transaction.
 */
export interface AsyncDatabase extends AsyncReader {
  /** Runs one statement that changes rows; says how many. */
  run(sql: string, parameters?: SqlParameters): Promise<number>;
  /**
   * Within a transaction: the same, without waiting for it and in the order of the calls. Where it
   * fails, the transaction does.
   */
  send(sql: string, parameters?: SqlParameters): void;
  /**
   * Runs `work` in one transaction that holds the write lock from its start: all of it is on the
   * disk when this resolves, none of it when `work` throws. A transaction within it is a part of
   * it: when the inner one throws only its own changes are undone. Others wait for it meanwhile, so
   * `work` waits for statements alone, and for all that it starts. Statements run in the order of
   * their calls, also where nobody waits between them: a server then gets them in one round trip.
   * Those that wait together share one commit.
   */
  transaction<T>(work: () => Promise<T>): Promise<T>;
  /** Whether the caller is the work of a transaction. */
  readonly isInTransaction: boolean;
  /** One state of the database, that of now, until it is closed. The log grows meanwhile. */
  snapshot(): Promise<AsyncSnapshot>;
  /**
   * Throws `unavailable` where others have made tables meanwhile that this process cannot work
   * with, and as statements do.
   */
  checkTables(): Promise<void>;
}

/** The one who opened it closes it. */
export interface OpenAsyncDatabase extends AsyncDatabase {
  /** Reads what is committed without waiting, for queries made of many small reads. */
  readonly reader: Reader;
  /** Ends its connections. A second call does nothing. */
  close(): void;
}

export interface AsyncSnapshot extends AsyncReader {
  /** Resolves once the log that it kept holds up nobody. Throws nothing. */
  close(): Promise<void>;
}

/** Opens or makes a SQLite file. Throws as `openDatabase` does. */
export function openAsyncDatabase(
  path: string,
  migrations: readonly Migration[],
  options: SqliteFileOptions = {},
): OpenAsyncDatabase {
  const writer = openDatabase(path, migrations, options);
  try {
    return new SqliteDriver(writer, openToRead(path, options), {
      path,
      known: migrations.length,
      busyMsMax: options.busyMsMax,
    });
  } catch (thrown) {
    writer.close();
    throw thrown;
  }
}

/** A transaction that has not begun. */
interface Waiting {
  /** Does its work; what it gives tells the caller of its end. */
  readonly run: () => Promise<() => void>;
  readonly reject: (reason: unknown) => void;
}

abstract class SqliteReads implements AsyncReader {
  /** The connection for the next statement. */
  protected abstract toRead(): Reader;

  async all<T>(sql: string, parameters: SqlParameters, read: (row: Row) => T): Promise<T[]> {
    return this.toRead().all(sql, parameters, read);
  }

  async each(sql: string, parameters: SqlParameters, read: (row: Row) => boolean): Promise<void> {
    this.toRead().each(sql, parameters, read);
  }

  async get<T>(
    sql: string,
    parameters: SqlParameters,
    read: (row: Row) => T,
  ): Promise<T | undefined> {
    return this.toRead().get(sql, parameters, read);
  }
}

interface SqliteFile {
  readonly path: string;
  /** How many steps of its schema the driver knows. */
  readonly known: number;
  readonly busyMsMax: number | undefined;
}

class SqliteDriver extends SqliteReads implements OpenAsyncDatabase {
  readonly reader: Reader;
  readonly #path: string;
  readonly #writer: Database;
  readonly #busyMsMax: number;
  readonly #queue = new SerialQueue();
  /** Of a transaction the turns of those within it. */
  readonly #scope = new TransactionScope<SerialQueue>();
  readonly #waiting: Waiting[] = [];
  readonly #known: number;
  #isCommitting = false;

  constructor(writer: Database, reader: Reader, { path, known, busyMsMax }: SqliteFile) {
    super();
    this.#path = path;
    // Waiting inside SQLite would hold up all else that this thread does.
    writer.get('PRAGMA busy_timeout = 0', [], () => undefined);
    this.#writer = writer;
    this.#busyMsMax = busyMsMax ?? limits.databaseBusyMsMax;
    this.#known = known;
    this.reader = reader;
  }

  get isInTransaction(): boolean {
    return this.#scope.isInside;
  }

  async run(sql: string, parameters?: SqlParameters): Promise<number> {
    if (this.#scope.current() !== undefined) return this.#writer.run(sql, parameters);
    return this.#queue.run(() => this.#whenFree(() => this.#writer.run(sql, parameters)));
  }

  send(sql: string, parameters?: SqlParameters): void {
    this.#scope.toSend();
    this.#writer.run(sql, parameters);
  }

  transaction<T>(work: () => Promise<T>): Promise<T> {
    const innerQueue = this.#scope.current();
    if (innerQueue !== undefined) return innerQueue.run(() => this.#transact(work));
    return new Promise<T>((resolve, reject) => {
      // Its work belongs to its caller, whoever begins the group.
      const run = AsyncLocalStorage.bind(async () => {
        const result = await this.#transact(work);
        return () => resolve(result);
      });
      this.#waiting.push({ run, reject });
      if (this.#isCommitting) return;
      this.#isCommitting = true;
      void this.#commitAll();
    });
  }

  /** Others than transactions are served between two commits. */
  async #commitAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      await this.#queue.run(() => this.#commitGroup());
      if (this.#waiting.length > 0) await nextTurn();
    }
    this.#isCommitting = false;
  }

  /** Those that wait together share one commit; each is undone alone where its own work throws. */
  async #commitGroup(): Promise<void> {
    const begun: Waiting[] = [];
    try {
      await this.#whenFree(() => this.#writer.begin());
      const endMs = systemClock.monotonic() + limits.databaseSharedCommitMsMax;
      const ends: (() => void)[] = [];
      do {
        const next = this.#waiting.shift();
        if (next === undefined) break;
        begun.push(next);
        ends.push(await this.#endOf(next));
      } while (systemClock.monotonic() < endMs);
      this.#writer.commit();
      for (const end of ends) end();
    } catch (thrown) {
      this.#writer.rollback();
      // Where it could not begin, all have waited for the same lock.
      for (const { reject } of begun.length > 0 ? begun : this.#waiting.splice(0)) reject(thrown);
    }
  }

  /** What its caller is told after the commit. Throws where SQLite has undone all of the group. */
  async #endOf({ run, reject }: Waiting): Promise<() => void> {
    try {
      return await run();
    } catch (thrown) {
      // It does that by itself, for example on a full disk.
      if (!this.#writer.isInTransaction) throw thrown;
      return () => reject(thrown);
    }
  }

  /** Within another one. */
  async #transact<T>(work: () => Promise<T>): Promise<T> {
    this.#writer.begin();
    let result: T;
    try {
      result = await this.#scope.within(new SerialQueue(), work);
    } catch (thrown) {
      this.#writer.rollback();
      throw thrown;
    }
    this.#writer.commit();
    return result;
  }

  async snapshot(): Promise<AsyncSnapshot> {
    const snapshot = this.#writer.snapshot();
    return new SqliteSnapshot(snapshot, () => moveLogAfter(this.#path, () => snapshot.close()));
  }

  /** A file does not say which steps end older processes: each may. */
  async checkTables(): Promise<void> {
    const version = this.reader.get('PRAGMA user_version', [], (row) =>
      row.integer('user_version'),
    );
    refuseOtherTables(version ?? 0, version ?? 0, this.#known);
  }

  close(): void {
    this.reader.close();
    this.#writer.close();
  }

  protected toRead(): Reader {
    return this.#scope.current() === undefined ? this.reader : this.#writer;
  }

  /** Waits while another process, or another connection of this one, has the write lock. */
  async #whenFree<T>(work: () => T): Promise<T> {
    const endMs = systemClock.monotonic() + this.#busyMsMax;
    for (;;) {
      try {
        return work();
      } catch (thrown) {
        if (!isBusy(thrown) || systemClock.monotonic() > endMs) throw thrown;
        await sleep(limits.databaseBusyRetryMs);
      }
    }
  }
}

/** The reads of a connection of this thread. */
export function asAsyncReader(reader: Reader): AsyncReader {
  return new SqliteSnapshot(reader, async () => reader.close());
}

class SqliteSnapshot extends SqliteReads implements AsyncSnapshot {
  readonly close: () => Promise<void>;
  readonly #reader: Reader;

  constructor(reader: Reader, close: () => Promise<void>) {
    super();
    this.#reader = reader;
    this.close = close;
  }

  protected toRead(): Reader {
    return this.#reader;
  }
}
