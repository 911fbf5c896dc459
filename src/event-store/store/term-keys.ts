// Keys of custom_metadata have ids of their own, since their names stand in every event.

import type { Database } from '../../storage/database.ts';
import type { CountedTable } from './counted-ids.ts';

export const termKeys: CountedTable<string> = {
  name: 'term_keys',
  nameOf: (name) => name,
  find: findTermKey,
  insert: (database, name) => {
    database.run('INSERT INTO term_keys (name, events) VALUES (?, 0)', [name]);
  },
};

/** Undefined: no indexed event has the key. */
export function findTermKey(database: Database, name: string): number | undefined {
  return database.get('SELECT id FROM term_keys WHERE name = ?', [name], (row) =>
    row.integer('id'),
  );
}
