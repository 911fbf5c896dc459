// What a process keeps in memory beside an open database: made with its first use.

import type { Database } from '../../storage/database.ts';

/** One for each database; it goes with it. */
export function keptWith<Kept>(make: (database: Database) => Kept): (database: Database) => Kept {
  const all = new WeakMap<Database, { readonly kept: Kept }>();
  return (database) => {
    const entry = all.get(database) ?? { kept: make(database) };
    all.set(database, entry);
    return entry.kept;
  };
}
