// Events behind the last window, while they come together for the next one.

import { limits } from '../../limits.ts';
import type { Database } from '../../storage/database.ts';
import { type IndexedEvent, indexedColumns, readIndexedEvent } from './indexed-event.ts';
import type { Totals } from './totals.ts';
import { coveredUntil } from './windows.ts';

/**
 * They are read after each transaction, so that none has to wait until hundreds are. An event never
 * changes in what is indexed; when any was removed, or another process made a window, they are read
 * anew.
 */
export class Gathering {
  #events: IndexedEvent[] = [];
  #covered = -1;
  #counted = -1;
  #removals = -1;

  /** Reads those that have come, up to two windows of them. */
  read(database: Database, totals: Totals): void {
    if (!this.#isOf(totals)) this.#begin(database, totals);
    const missing = 2 * limits.unindexedEventsMax - this.#events.length;
    if (missing <= 0) return;
    const last = this.#events.at(-1)?.arrival ?? this.#covered;
    const sql = `SELECT ${indexedColumns} FROM events WHERE arrival > ? ORDER BY arrival LIMIT ?`;
    this.#events.push(...database.all(sql, [last, missing], readIndexedEvent));
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
