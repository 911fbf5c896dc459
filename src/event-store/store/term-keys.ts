// Keys of custom_metadata have ids of their own, since their names stand in every event.

import type { Database } from '../../storage/database.ts';

/** The ids within one transaction, with how many indexed events have each key. */
export class TermKeys {
  readonly #database: Database;
  readonly #known = new Map<string, { readonly id: number; added: number }>();

  constructor(database: Database) {
    this.#database = database;
  }

  /** The id of a key, which so many more events have now; makes a new one. */
  count(name: string, events: 1 | -1): number {
    let key = this.#known.get(name);
    if (key === undefined) {
      key = { id: this.#idOf(name), added: 0 };
      this.#known.set(name, key);
    }
    key.added += events;
    return key.id;
  }

  finish(): void {
    for (const { id, added } of this.#known.values()) {
      this.#database.run('UPDATE term_keys SET events = events + ? WHERE id = ?', [added, id]);
      if (added > 0) continue;
      this.#database.run('DELETE FROM term_keys WHERE id = ? AND events = 0', [id]);
    }
  }

  #idOf(name: string): number {
    const known = findTermKey(this.#database, name);
    if (known !== undefined) return known;
    this.#database.run('INSERT INTO term_keys (name, events) VALUES (?, 0)', [name]);
    return this.#idOf(name);
  }
}

/** Undefined: no indexed event has the key. */
export function findTermKey(database: Database, name: string): number | undefined {
  return database.get('SELECT id FROM term_keys WHERE name = ?', [name], (row) =>
    row.integer('id'),
  );
}
