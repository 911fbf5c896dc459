// Things that many events have in common get ids of their own, with how many events have each.

import { FoveaError } from '../../errors.ts';
import { limits } from '../../limits.ts';
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
  /** What is found stays there until something is removed. */
  readonly #kept: Map<string, number>;
  readonly #known = new Map<string, { readonly id: number; added: number }>();

  constructor(database: Database, table: CountedTable<Thing>, kept: Map<string, number>) {
    this.#database = database;
    this.#table = table;
    this.#kept = kept;
  }

  /** The id of a thing; makes a new one. So many indexed events more have it. */
  idOf(thing: Thing, events: 0 | 1 | -1 = 0): number {
    const entry = this.#entry(thing);
    entry.added += events;
    return entry.id;
  }

  finish(): void {
    const { name } = this.#table;
    const changes = [...this.#known.values()].filter(({ added }) => added !== 0);
    if (changes.length === 0) return;
    // All at once: one by one they would take half as long again as the events.
    this.#database.run(
      `UPDATE ${name} SET events = events + (changes.value ->> 1)
       FROM json_each(?) AS changes WHERE ${name}.id = (changes.value ->> 0)`,
      [JSON.stringify(changes.map(({ id, added }) => [id, added]))],
    );
    const fewer = changes.filter(({ added }) => added < 0);
    if (fewer.length === 0) return;
    this.#database.run(
      `DELETE FROM ${name} WHERE events = 0 AND id IN (SELECT value FROM json_each(?))`,
      [JSON.stringify(fewer.map(({ id }) => id))],
    );
  }

  #entry(thing: Thing): { readonly id: number; added: number } {
    const name = this.#table.nameOf(thing);
    const known = this.#known.get(name);
    if (known) return known;
    const entry = { id: this.#kept.get(name) ?? this.#storedId(thing, name), added: 0 };
    this.#known.set(name, entry);
    return entry;
  }

  /** One that is made here is not kept, since the transaction may fail. */
  #storedId(thing: Thing, name: string): number {
    const known = this.#table.find(this.#database, thing);
    if (known === undefined) {
      this.#table.insert(this.#database, thing);
      const made = this.#table.find(this.#database, thing);
      if (made === undefined) throw new FoveaError('internal', 'A row that was made is not there.');
      return made;
    }
    if (this.#kept.size >= limits.countedIdsKeptMax) this.#kept.clear();
    this.#kept.set(name, known);
    return known;
  }
}
