// Things that many events have in common get ids of their own, with how many events have each.

import type { Database } from '../../storage/database.ts';

/** A table with the columns `id` and `events`. */
export interface CountedTable<Thing> {
  readonly name: 'kinds' | 'term_keys';
  /** Another text for each thing. */
  nameOf(thing: Thing): string;
  /** The id of its row; undefined where there is none. */
  find(database: Database, thing: Thing): number | undefined;
  /** Puts it in, with no events. */
  insert(database: Database, thing: Thing): void;
}

/** The ids within one transaction. */
export class CountedIds<Thing> {
  readonly #database: Database;
  readonly #table: CountedTable<Thing>;
  readonly #known = new Map<string, { readonly id: number; added: number }>();

  constructor(database: Database, table: CountedTable<Thing>) {
    this.#database = database;
    this.#table = table;
  }

  /** The id of a thing; makes a new one. So many indexed events more have it. */
  idOf(thing: Thing, events: 0 | 1 | -1 = 0): number {
    const entry = this.#entry(thing);
    entry.added += events;
    return entry.id;
  }

  finish(): void {
    const { name } = this.#table;
    for (const { id, added } of this.#known.values()) {
      if (added === 0) continue;
      this.#database.run(`UPDATE ${name} SET events = events + ? WHERE id = ?`, [added, id]);
      if (added > 0) continue;
      this.#database.run(`DELETE FROM ${name} WHERE id = ? AND events = 0`, [id]);
    }
  }

  #entry(thing: Thing): { readonly id: number; added: number } {
    const name = this.#table.nameOf(thing);
    const known = this.#known.get(name);
    if (known) return known;
    const entry = { id: this.#storedId(thing), added: 0 };
    this.#known.set(name, entry);
    return entry;
  }

  #storedId(thing: Thing): number {
    const known = this.#table.find(this.#database, thing);
    if (known !== undefined) return known;
    this.#table.insert(this.#database, thing);
    return this.#storedId(thing);
  }
}
