// A file lock that the operating system releases when its process dies, built on SQLite's locks.

import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { loadSqlite } from './sqlite-connection.ts';
import { isBusy, translated } from './sqlite-errors.ts';

/** Holds for as long as its process lives, or until it is released. */
export interface Lock {
  /** A second call does nothing. */
  release(): void;
}

/**
 * Takes the lock of a path, among all processes of this machine: `exclusive` if no one else holds
 * it, `shared` if no one holds it exclusively. Undefined if it is taken; does not wait. Makes the
 * file, which stays empty, and its folder. Throws `internal` for a file with other content.
 */
export function tryLock(path: string, mode: 'exclusive' | 'shared'): Lock | undefined {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const { DatabaseSync } = loadSqlite();
  const handle = translated(() => new DatabaseSync(path, { timeout: 0 }));
  try {
    translated(() => {
      // Locks of the file itself: those of a write-ahead log let readers and a writer together.
      handle.exec('PRAGMA journal_mode = DELETE; PRAGMA synchronous = OFF;');
      take(handle, mode);
    });
  } catch (thrown) {
    handle.close();
    if (isBusy(thrown)) return undefined;
    throw thrown;
  }
  return { release: () => handle.isOpen && handle.close() };
}

/** A deferred transaction holds its lock from its first read on. */
function take(handle: DatabaseSync, mode: 'exclusive' | 'shared'): void {
  const isExclusive = mode === 'exclusive';
  handle.exec(isExclusive ? 'BEGIN EXCLUSIVE' : 'BEGIN; SELECT count(*) FROM sqlite_schema');
}
