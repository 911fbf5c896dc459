// Keys of custom_metadata have ids of their own, since their names stand in every event.

import type { Database } from '../../storage/database.ts';

/** The ids within one transaction, with how many indexed events have each key. */
export class TermKeys {
  readonly #database: Database;
  readonly #known = new Map<string, { readonly id: number; added: number }>();

  constructor(database: Database) {
    this.#database = database;
  }

  /** So many events more have a key. */
  count(name: string, events: 1 | -1): void {
    this.#entry(name).added += events;
  }

  /** The id of a key; makes a new one. */
  idOf(name: string): number {
    return this.#entry(name).id;
  }

  finish(): void {
    for (const { id, added } of this.#known.values()) {
      if (added === 0) continue;
      this.#database.run('UPDATE term_keys SET events = events + ? WHERE id = ?', [added, id]);
      if (added > 0) continue;
      this.#database.run('DELETE FROM term_keys WHERE id = ? AND events = 0', [id]);
    }
  }

  #entry(name: string): { readonly id: number; added: number } {
    const known = this.#known.get(name);
    if (known) return known;
    const entry = { id: this.#storedId(name), added: 0 };
    this.#known.set(name, entry);
    return entry;
  }

  #storedId(name: string): number {
    const known = findTermKey(this.#database, name);
    if (known !== undefined) return known;
    this.#database.run('INSERT INTO term_keys (name, events) VALUES (?, 0)', [name]);
    return this.#storedId(name);
  }
}

/** Undefined: no indexed event has the key. */
export function findTermKey(database: Database, name: string): number | undefined {
  return database.get('SELECT id FROM term_keys WHERE name = ?', [name], (row) =>
    row.integer('id'),
  );
}
