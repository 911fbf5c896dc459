// Events behind the last window, while they come together for the next one.

import { limits } from '../../limits.ts';
import type { Database } from '../../storage/database.ts';
import {
  type CreatedEvent,
  type IndexedEvent,
  indexedColumns,
  readIndexedEvent,
} from './indexed-event.ts';
import type { Totals } from './totals.ts';
import { coveredUntil } from './windows.ts';

/**
 * They come together after each transaction, so that none has to wait until hundreds do. An event
 * never changes in what is indexed; when any was removed, or another process made a window, they
 * are read anew.
 */
export class Gathering {
  #events: IndexedEvent[] = [];
  #created: readonly CreatedEvent[] = [];
  #covered = -1;
  #counted = -1;
  #removals = -1;

  /** The events of a transaction that may yet fail. */
  note(created: readonly CreatedEvent[]): void {
    this.#created = created;
  }

  /** Takes in what is on the disk, up to two windows: what was noted, or as it is read there. */
  read(database: Database, totals: Totals): void {
    if (!this.#isOf(totals)) this.#begin(database, totals);
    const missing = 2 * limits.unindexedEventsMax - this.#events.length;
    const last = this.#events.at(-1);
    if (missing <= 0 || last?.number === totals.get('last_number')) return;
    const created = this.#created;
    this.#created = [];
    if (last && isBehind(database, last, created)) {
      this.#events.push(...created);
      return;
    }
    const sql = `SELECT ${indexedColumns} FROM events WHERE arrival > ? ORDER BY arrival LIMIT ?`;
    const after = last?.arrival ?? this.#covered;
    // One after the other: of a large one most is let go.
    database.each(sql, [after, missing], (row) => {
      this.#events.push(readIndexedEvent(row));
      return true;
    });
  }

  /** The events of the next windows, once. */
  take(database: Database, totals: Totals): readonly (readonly IndexedEvent[])[] {
    const atOnce = limits.unindexedEventsMax;
    if (this.#events.length < atOnce) return [];
    const isNext = this.#isOf(totals) && this.#covered === coveredUntil(database);
    const events = isNext ? this.#events : [];
    this.#removals = -1;
    const windows: IndexedEvent[][] = [];
    for (let end = atOnce; end <= events.length; end += atOnce) {
      windows.push(events.slice(end - atOnce, end));
    }
    return windows;
  }

  #begin(database: Database, totals: Totals): void {
    this.#events = [];
    this.#covered = coveredUntil(database);
    this.#counted = totals.get('counted_arrival');
    this.#removals = totals.get('last_line');
  }

  /** Every removal writes a line. */
  #isOf(totals: Totals): boolean {
    return (
      this.#counted === totals.get('counted_arrival') && this.#removals === totals.get('last_line')
    );
  }
}

/** Whether these are on the disk, and nothing between. Numbers have no gaps; ids are random. */
function isBehind(
  database: Database,
  last: IndexedEvent,
  created: readonly CreatedEvent[],
): boolean {
  const end = created.at(-1);
  if (end === undefined || created[0]?.number !== last.number + 1) return false;
  const sql = 'SELECT id FROM events WHERE arrival = ?';
  return database.get(sql, [end.arrival], (row) => row.text('id')) === end.id;
}
