// Whether a database file is sound, looked at without changing anything.

import { isDamage, loadSqlite } from './sqlite.ts';

/** `unchecked`: not read through, or not now. */
export type FileState = 'sound' | 'unchecked' | 'damaged';

/**
 * Reads through the whole file where it has at most `bytesMax` bytes, else only its first pages.
 * Others may write meanwhile.
 */
export function checkFile(path: string, bytes: number, bytesMax: number): FileState {
  // SQLite would take it for a new one; here it is one that was lost.
  if (bytes === 0) return 'damaged';
  const { DatabaseSync } = loadSqlite();
  try {
    const handle = new DatabaseSync(path, { readOnly: true });
    try {
      handle.prepare('SELECT count(*) FROM sqlite_schema').get();
      if (bytes > bytesMax) return 'unchecked';
      const answer = handle.prepare('PRAGMA quick_check(1)').get()?.quick_check;
      return answer === 'ok' ? 'sound' : 'damaged';
    } finally {
      handle.close();
    }
  } catch (thrown) {
    // One that cannot be opened, because others write or may not be read, says nothing of itself.
    return isDamage(thrown) ? 'damaged' : 'unchecked';
  }
}
