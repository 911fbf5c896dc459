// How values that queries look for stand in the table `terms`.

import type { Database } from '../../storage/database.ts';
import { bucketBits } from './schema.ts';
import type { MetadataValue } from './store.ts';

/** Keys of the table that are no key of custom_metadata. */
export const externalIdKey = -1;
export const relatedEventIdKey = -2;

/** SQLite orders numbers before text before blobs, so the types never meet. */
export function storedValue(value: MetadataValue): string | number | Uint8Array {
  if (typeof value === 'boolean') return value ? storedTrue : storedFalse;
  return typeof value === 'string' ? value.slice(0, charactersMax) : value;
}

/** Longer text is looked for by its start; the whole is compared in the event. */
const charactersMax = 200;

const storedFalse = Uint8Array.of(0);
const storedTrue = Uint8Array.of(1);

export function bucketOf(eventNumber: number): number {
  return Math.floor(eventNumber / 2 ** bucketBits);
}

/** A row of `terms`, without its bucket and arrival. */
export interface Term {
  readonly key: number;
  readonly value: string | number | Uint8Array;
}

/** Ids of key names, with how many events have each; kept exact within one transaction. */
export class TermKeys {
  readonly #database: Database;
  readonly #known = new Map<string, { readonly id: number; added: number }>();

  constructor(database: Database) {
    this.#database = database;
  }

  /** The id of a name, which `events` more events have now; makes a new one. */
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
    const find = 'SELECT id FROM term_keys WHERE name = ?';
    const known = this.#database.get(find, [name], (row) => row.integer('id'));
    if (known !== undefined) return known;
    this.#database.run('INSERT INTO term_keys (name, events) VALUES (?, 0)', [name]);
    return this.#idOf(name);
  }
}
