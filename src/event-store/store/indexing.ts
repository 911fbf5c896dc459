// Puts events into the index, many at once, and takes them out.

import { limits } from '../../limits.ts';
import type { Database } from '../../storage/database.ts';
import { Chunks } from './chunks.ts';
import { Gathering } from './gathering.ts';
import type { IndexedEvent } from './indexed-event.ts';
import { insertShare, mergePlace, openMerge } from './merging.ts';
import type { Arrival, MetadataValue } from './store.ts';
import { bucketOf, reservedKeys, scalarsOf, storedValue, type TermValue } from './terms.ts';
import { Totals } from './totals.ts';
import { addWindow, removeFromWindow } from './windows.ts';
import { beginWriting, finishWriting, type Writing } from './writing.ts';

/**
 * Events go into the index in two steps. Hundreds together become a window: its columns are found
 * with little, and written with little. Thousands of events later its rows go into `terms` with
 * those of many windows, in the order in which they will lie. Both are made ready a little after
 * each transaction, and go in with later ones that store events, so that none has to wait for all.
 * How far all of this is, is in the database.
 */
export class Indexing {
  readonly #gathering = new Gathering();
  readonly #chunks = new Chunks();
  /** Events that were stored since the last share, and since the last step of making chunks. */
  #owed = 0;
  #unmade = 0;

  /** Makes ready what the next transactions put in. */
  prepare(database: Database): void {
    const totals = new Totals(database);
    this.#gathering.read(database, totals);
    this.#chunks.make(database, mergePlace(totals), this.#unmade);
    this.#unmade = 0;
  }

  /** Puts in what is ready: a window, and the share of so many new events. */
  advance(writing: Writing, created = writing.created.length): void {
    const { database, totals } = writing;
    const windows = this.#gathering.take(database, totals);
    for (const events of windows) addWindow(writing, events);
    if (windows.length > 0) openMerge(writing);
    this.#gathering.note(writing.created);
    this.#unmade += created;
    const chunk = this.#chunks.at(mergePlace(totals));
    if (chunk === undefined || created === 0) return;
    this.#owed += created;
    if (this.#owed >= shareEventsMin) this.#owed -= insertShare(writing, chunk, this.#owed);
  }

  /** Puts in the next window and the next rows, in a transaction of its own: some milliseconds. */
  complete(database: Database): void {
    const place = mergePlace(new Totals(database));
    this.#chunks.make(database, place, Number.POSITIVE_INFINITY);
    if (this.#chunks.at(place) === undefined) return;
    database.transaction(() => {
      const writing = beginWriting(database, 0);
      this.advance(writing, limits.mergedEventsMin);
      finishWriting(writing);
    });
    this.#owed = 0;
  }
}

/** A share of a few rows would write pages that the next one writes again. */
const shareEventsMin = 96;

/** Takes an event out that is removed in this transaction. */
export function removeFromIndex(writing: Writing, event: IndexedEvent): void {
  const { database, totals } = writing;
  const { arrival } = event;
  if (arrival > totals.get('counted_arrival')) return;
  for (const term of uncountedTerms(writing, event)) removeTerm(database, term);
  if (arrival <= totals.get('indexed_arrival')) return;
  removeFromWindow(writing, arrival);
  if (arrival > totals.get('merge_until')) return;
  // The rows of the others are no longer where they were.
  totals.add('merge_removals', 1);
  totals.set('indexed_rows', 0);
}

/** The row of an event, or its place in a list: the first row that is not before it. */
function removeTerm(database: Database, [key, bucket, value, arrival]: Term): void {
  const run = 'key = ? AND bucket = ? AND value = ?';
  const row = `${run} AND arrival =
    (SELECT arrival FROM terms WHERE ${run} AND arrival >= ? ORDER BY arrival LIMIT 1)`;
  const found = [key, bucket, value, key, bucket, value, arrival];
  const isLast = '(arrival = ? AND arrivals IS NULL OR arrivals IS NOT NULL AND gone = events - 1)';
  if (database.run(`DELETE FROM terms WHERE ${row} AND ${isLast}`, [...found, arrival]) > 0) return;
  database.run(`UPDATE terms SET gone = gone + 1 WHERE ${row} AND arrivals IS NOT NULL`, found);
}

type Term = readonly [key: number, bucket: number, value: TermValue, arrival: Arrival];

/** The rows of an event, which counts no longer. */
function uncountedTerms({ kinds, termKeys }: Writing, event: IndexedEvent): Term[] {
  const { arrival, number } = event;
  const terms: Term[] = [];
  const add = (key: number, value: MetadataValue | undefined) => {
    if (value === undefined) return;
    terms.push([key, bucketOf(key, number), storedValue(value), arrival]);
  };
  for (const [name, value] of scalarsOf(event.customMetadata)) {
    add(termKeys.idOf(name, -1), value);
  }
  add(reservedKeys.kind, kinds.idOf(event, -1));
  add(reservedKeys.device, event.deviceId);
  add(reservedKeys.schema, event.eventSchema);
  add(reservedKeys.workflow, event.workflowId);
  add(reservedKeys.externalId, event.externalId);
  add(reservedKeys.relatedEventId, event.relatedEventId);
  return terms;
}
