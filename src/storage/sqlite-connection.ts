// Opens a connection to a SQLite file: its settings (PRAGMA), which make commits durable, and the
// checks that refuse what is damaged or not ours.

import { randomUUID } from 'node:crypto';
import { closeSync, existsSync, linkSync, openSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type * as Sqlite from 'node:sqlite';
import type { DatabaseSync } from 'node:sqlite';
import { systemClock } from '../clock.ts';
import { makeFolder, syncFolderNow } from '../durable-folders.ts';
import { FoveaError, systemErrorCode } from '../errors.ts';
import { limits } from '../limits.ts';
import { type Migration, migrate, readNumber, refuseForeign } from './migrations.ts';
import { isBusy, translated } from './sqlite-errors.ts';

export interface SqliteFileOptions {
  /** Pages that the connection keeps in memory, in bytes; else SQLite's own 2 MB. */
  readonly cacheBytes?: number;
  /** Whether space of removed rows can be given back to the disk: settled when a file is made. */
  readonly canShrink?: boolean;
  /** The longest wait for another connection's transaction; that of `limits` unless given. */
  readonly busyMsMax?: number;
  /** The wait is split into such steps, so that a thread can be terminated between them. */
  readonly busyStepMs?: number;
  /** Made of other data: a power cut may take its last commits, and damages nothing. */
  readonly isDerived?: boolean;
  /** No other connection may be open, and none can be opened before this one ends. */
  readonly isAlone?: boolean;
}

/** A connection to a file at the newest schema. Throws as `openDatabase` does. */
export function openSqliteFile(
  path: string,
  migrations: readonly Migration[],
  options: SqliteFileOptions = {},
): DatabaseSync {
  if (isMissing(path)) createFile(path, migrations, options);
  return connectPatiently(path, migrations, options);
}

/** A connection that only reads: it makes nothing, and leaves a log when it is closed. */
export function openReadOnly(
  path: string,
  { cacheBytes, busyMsMax = limits.databaseBusyMsMax }: SqliteFileOptions,
): DatabaseSync {
  const { DatabaseSync } = loadSqlite();
  return translated(() => {
    const handle = new DatabaseSync(path, { readOnly: true, timeout: busyMsMax });
    if (cacheBytes !== undefined) handle.exec(cacheOf(cacheBytes));
    return handle;
  });
}

/** The same in a transaction whose state is that of now. */
export function openSnapshot(path: string): DatabaseSync {
  return translated(() => {
    const handle = openReadOnly(path, {});
    // A transaction has no state before its first read.
    handle.exec('BEGIN; SELECT count(*) FROM sqlite_schema');
    return handle;
  });
}

/** A connection that moves the log into the file as durably as those that write. */
export function openToMoveLog(path: string): DatabaseSync {
  const { DatabaseSync } = loadSqlite();
  const handle = new DatabaseSync(path, { timeout: 0 });
  configure(handle, {});
  return handle;
}

/** The length of each wait for a lock, and their number. */
export function busySteps(options: SqliteFileOptions): {
  readonly stepMs: number;
  readonly steps: number;
} {
  const { busyMsMax = limits.databaseBusyMsMax, busyStepMs = busyMsMax } = options;
  return { stepMs: busyStepMs, steps: Math.ceil(busyMsMax / busyStepMs) };
}

/**
 * Loads SQLite without the warning that Node 22 prints ("experimental"), and only when called: a
 * static import would be loaded at the start of a bundle.
 */
export function loadSqlite(): typeof Sqlite {
  const emitWarning = process.emitWarning;
  process.emitWarning = () => {};
  try {
    return process.getBuiltinModule('node:sqlite');
  } finally {
    process.emitWarning = emitWarning;
  }
}

/**
 * Whether the file is to be made. SQLite would take an empty file for a new database, and throw
 * the log beside a missing one away; both are databases that were lost. The log is looked at
 * first, since another process may be making both.
 */
function isMissing(path: string): boolean {
  const hasLog = (statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0;
  const file = statSync(path, { throwIfNoEntry: false });
  if (file === undefined && !hasLog) return true;
  if (file !== undefined && file.size > 0) return false;
  const found = file === undefined ? 'gone, but its log is still there' : 'empty';
  throw new FoveaError('internal', `The database file is ${found}.`, {
    hint: 'Nothing was changed. Restore the data folder from a copy, or use another one.',
  });
}

/**
 * Makes the file under another name first, so that it is complete from the moment it is there, and
 * readable by its owner only; SQLite gives its log the same mode.
 */
function createFile(
  path: string,
  migrations: readonly Migration[],
  options: SqliteFileOptions,
): void {
  const draft = `${path}.${randomUUID()}`;
  try {
    makeFolder(dirname(path));
    closeSync(openSync(draft, 'wx', 0o600));
    connectPatiently(draft, migrations, options).close();
    publish(draft, path);
    syncFolderNow(dirname(path));
  } catch (thrown) {
    if (thrown instanceof FoveaError) throw thrown;
    const code = systemErrorCode(thrown);
    const isFull = code === 'ENOSPC' || code === 'EDQUOT';
    throw new FoveaError(isFull ? 'full' : 'internal', 'The database file cannot be made.', {
      cause: thrown,
    });
  } finally {
    rmSync(draft, { force: true });
  }
}

/** Gives the draft its name, unless another process was first. */
function publish(draft: string, path: string): void {
  try {
    linkSync(draft, path);
  } catch (thrown) {
    if (systemErrorCode(thrown) === 'EEXIST') return;
    // File systems without hard links: FAT on a memory stick, Android.
    if (!existsSync(path)) renameSync(draft, path);
  }
}

function connect(
  path: string,
  migrations: readonly Migration[],
  options: SqliteFileOptions,
): DatabaseSync {
  const { DatabaseSync } = loadSqlite();
  const handle = new DatabaseSync(path, { timeout: busySteps(options).stepMs });
  try {
    // Before the first look: only so is the lock that of the file, which all connections share.
    if (options.isAlone) handle.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; COMMIT');
    refuseForeign(handle, migrations);
    configure(handle, options);
    refuseDamaged(handle);
    migrate(handle, migrations);
    return handle;
  } catch (thrown) {
    handle.close();
    throw thrown;
  }
}

/** The settings of a connection, and proof of the two that durability hangs on. */
function configure(handle: DatabaseSync, options: SqliteFileOptions): void {
  const { cacheBytes, canShrink, isDerived = false } = options;
  // Only a file without any page takes this one.
  if (canShrink) handle.exec('PRAGMA auto_vacuum = INCREMENTAL');
  if (cacheBytes !== undefined) handle.exec(cacheOf(cacheBytes));
  handle.exec(`
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = ${isDerived ? 'NORMAL' : 'FULL'};
    PRAGMA fullfsync = ON;
    PRAGMA checkpoint_fullfsync = ON;
    PRAGMA foreign_keys = ON;
    PRAGMA trusted_schema = OFF;
    PRAGMA wal_autocheckpoint = 4000;
    PRAGMA journal_size_limit = ${limits.databaseLogBytesMax};
  `);
  const mode = handle.prepare('PRAGMA journal_mode').get()?.journal_mode;
  const wanted = isDerived ? synchronous.normal : synchronous.full;
  if (mode === 'wal' && readNumber(handle, 'PRAGMA synchronous') === wanted) return;
  throw new FoveaError('internal', 'The disk does not let the database commit durably.', {
    hint: 'Put the data folder on a local disk.',
  });
}

/** Values of the setting of this name. */
const synchronous = { normal: 1, full: 2 } as const;

function cacheOf(bytes: number): string {
  return `PRAGMA cache_size = -${bytes / 1024}`;
}

/** Truncation is found by SQLite at any size; the rest only by reading all, so in small files. */
function refuseDamaged(handle: DatabaseSync): void {
  const pages = readNumber(handle, 'PRAGMA page_count');
  const bytes = pages * readNumber(handle, 'PRAGMA page_size');
  if (bytes > limits.databaseCheckBytesMax) return;
  const finding = handle.prepare('PRAGMA quick_check(1)').get()?.quick_check;
  if (finding === 'ok') return;
  throw new FoveaError('internal', 'The database file is damaged.', {
    hint: 'Restore the data folder from a copy.',
    cause: finding,
  });
}

/** SQLite does not wait for some locks while processes open a new file at the same moment. */
function connectPatiently(
  path: string,
  migrations: readonly Migration[],
  options: SqliteFileOptions,
): DatabaseSync {
  const { stepMs, steps } = busySteps(options);
  const deadlineMs = systemClock.monotonic() + stepMs * steps;
  for (;;) {
    try {
      return translated(() => connect(path, migrations, options));
    } catch (thrown) {
      if (!isBusy(thrown) || systemClock.monotonic() > deadlineMs) throw thrown;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);
    }
  }
}
