// A lock on a file that the operating system frees when its process dies, built on SQLite's own.

import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { isBusy, loadSqlite, translated } from './sqlite.ts';

/** Holds for as long as its process lives, or until it is released. */
export interface Lock {
  /** A second call does nothing. */
  release(): void;
}

/**
 * Takes the lock of that path, in this process and among all others on this machine: `exclusive`
 * when nobody else has it, `shared` when nobody has it exclusively. Undefined when somebody else
 * has it; it does not wait. Makes the file, which holds nothing, and its folder. Throws `internal`
 * for a file that is something else.
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
