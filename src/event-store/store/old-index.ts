// The index of earlier Foveas stood in the tables of the events. Its rows go a few at a time.

import { limits } from '../../limits.ts';
import type { Database } from '../../storage/database.ts';

/** Each with what its rows are told apart by. */
const tables = [
  ['terms', 'key, bucket, value, arrival'],
  ['window_columns', 'id'],
  ['windows', 'until'],
  ['term_keys', 'id'],
] as const;

/** Whether any rows are left: the tables of a new store never had any. */
export function hasOldIndex(database: Database): boolean {
  return tables.some(([table]) => isThere(database, table) && hasRows(database, table));
}

/** Takes some rows away, or a table that has none; false: nothing is left of it. */
export function removeOldIndex(database: Database): boolean {
  for (const [table, key] of tables) {
    if (!isThere(database, table)) continue;
    const removed = database.run(
      `DELETE FROM ${table} WHERE (${key}) IN (SELECT ${key} FROM ${table} LIMIT ?)`,
      [limits.oldIndexRowsAtOnceMax],
    );
    if (removed === 0) database.run(`DROP TABLE ${table}`);
    return true;
  }
  return false;
}

function isThere(database: Database, table: string): boolean {
  const sql = 'SELECT 1 FROM sqlite_schema WHERE name = ?';
  return database.get(sql, [table], () => true) ?? false;
}

function hasRows(database: Database, table: string): boolean {
  return database.get(`SELECT 1 FROM ${table} LIMIT 1`, [], () => true) ?? false;
}
