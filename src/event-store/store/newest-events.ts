// The newest events, which are in no index yet, as queries look through them. What filters look at
// never changes in an event, but for drafts: so what was read once is kept until it is in an index.

import { limits } from '../../limits.ts';
import type { Database, Row } from '../../storage/database.ts';
import { keptWith } from './kept-with.ts';
import { type FilteredEvent, matches } from './matching.ts';
import type { Bounds } from './runs.ts';
import type { Arrival, EventFilter } from './store.ts';
import { filteredColumns, readFiltered } from './stored-event.ts';
import { coveredUntil } from './windows.ts';

class NewestEvents {
  readonly #database: Database;
  /** All between two arrivals, in their order. */
  #kept: { readonly event: FilteredEvent; readonly characters: number }[] = [];
  #after: Arrival = 0;
  #until: Arrival = 0;
  #characters = 0;

  constructor(database: Database) {
    this.#database = database;
  }

  /**
   * The arrivals within bounds of events that may match; some may be gone by now. `rest`: there
   * are more than are kept; where to look for those.
   */
  find(
    query: EventFilter,
    { from, until }: Bounds,
  ): { readonly arrivals: Arrival[]; readonly rest: Bounds | undefined } {
    this.#forget(Math.min(coveredUntil(this.#database), from - 1));
    const isAll = this.#readMore();
    // A draft may be finalized by now.
    const filter = { ...query, includeDrafts: true };
    const arrivals: Arrival[] = [];
    for (const { event } of this.#kept) {
      if (event.arrival < from || event.arrival > until) continue;
      if (matches(event, filter)) arrivals.push(event.arrival);
    }
    return { arrivals, rest: isAll ? undefined : { from: Math.max(from, this.#until + 1), until } };
  }

  /** Those until this arrival; what was forgotten too early is read again. */
  #forget(after: Arrival): void {
    if (after < this.#after || after >= this.#until) {
      this.#kept = [];
      this.#characters = 0;
      this.#until = after;
    }
    this.#after = after;
    const first = this.#kept.findIndex(({ event }) => event.arrival > after);
    for (const { characters } of this.#kept.splice(0, Math.max(first, 0))) {
      this.#characters -= characters;
    }
  }

  /** False: there are too many. */
  #readMore(): boolean {
    const sql = `SELECT ${filteredColumns} FROM events WHERE arrival > ? ORDER BY arrival`;
    let isAll = true;
    this.#database.each(sql, [this.#until], (row) => {
      isAll = this.#keep(row);
      return isAll;
    });
    return isAll;
  }

  /** False: there is no room for it. */
  #keep(row: Row): boolean {
    const characters = eventCharacters + (row.optionalText('custom_metadata')?.length ?? 0);
    if (this.#characters + characters > limits.newestEventsCharactersMax) return false;
    const event = readFiltered(row);
    this.#kept.push({ event, characters });
    this.#characters += characters;
    this.#until = event.arrival;
    return true;
  }
}

/** About what an event takes beside its metadata. */
const eventCharacters = 400;

/** Of an open database. */
export const newestEvents = keptWith((database) => new NewestEvents(database));
