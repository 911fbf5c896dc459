// Finds the database files of a data folder, and checks them without changing anything.

import { readdir, stat } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { limits } from '../limits.ts';
import { loadSqlite } from './sqlite-connection.ts';
import { isDamage } from './sqlite-errors.ts';

interface FoundDatabase {
  /** Below the data folder. */
  readonly name: string;
  readonly bytes: number;
  readonly state: DatabaseFileState;
}

/** In the folder and one level below; none where there is no folder yet. */
export async function findDatabases(home: string): Promise<readonly FoundDatabase[]> {
  const entries = await readdir(home, { withFileTypes: true }).catch(() => []);
  const folders = entries
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => join(home, name));
  const inside = await Promise.all(
    [home, ...folders].map(async (folder) => {
      const names = await readdir(folder).catch((): string[] => []);
      return names.filter((name) => /\.(db|sqlite)$/.test(name)).map((name) => join(folder, name));
    }),
  );
  return Promise.all(
    inside
      .flat()
      .toSorted()
      .map(async (path) => {
        const { size } = await stat(path);
        const state = checkDatabaseFile(path, size, limits.doctorStoreBytesMax);
        return { name: relative(home, path), bytes: size, state };
      }),
  );
}

/** `unchecked`: not read through, or not now. */
export type DatabaseFileState = 'sound' | 'unchecked' | 'damaged';

/**
 * Reads through the whole file where it has at most `bytesMax` bytes, else only its first pages.
 * Others may write meanwhile.
 */
function checkDatabaseFile(path: string, bytes: number, bytesMax: number): DatabaseFileState {
  // SQLite would take an empty file for a new database; here its content was lost.
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
