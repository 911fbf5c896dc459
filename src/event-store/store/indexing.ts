// Puts events into the index, many at once, and takes them out.

import { limits } from '../../limits.ts';
import type { Database } from '../../storage/database.ts';
import type { IndexedEvent } from './indexed-event.ts';
import { type Chunk, insertShare, isNext, nextChunk, openMerge } from './merging.ts';
import type { Arrival } from './store.ts';
import {
  bucketOf,
  onlyBucket,
  reservedKeys,
  scalarsOf,
  storedValue,
  type TermValue,
} from './terms.ts';
import { Totals } from './totals.ts';
import { addWindows, removeFromWindow } from './windows.ts';
import { beginWriting, finishWriting, type Writing } from './writing.ts';

/**
 * Events go into the index in two steps. Hundreds together become a window: its columns are found
 * with little, and written with little. Thousands of events later its rows go into `terms` with
 * those of many windows, in the order in which they will lie, a share with each transaction that
 * stores events, so that none has to wait for all. How far all of this is, is in the database.
 */
export class Indexing {
  #chunk: Chunk | undefined;
  /** Events that were stored since the last share. */
  #owed = 0;

  /** For the next transactions; in one of its own, and only where there is something to do. */
  prepare(database: Database): void {
    const totals = new Totals(database);
    if (isWindowDue(totals)) {
      database.transaction(() => {
        const writing = beginWriting(database, 0);
        addWindows(writing);
        openMerge(writing);
        finishWriting(writing);
      });
      this.#take(database, new Totals(database));
    } else this.#take(database, totals);
  }

  /** Inserts the share of so many new events. */
  advance(writing: Writing, created: number): void {
    const chunk = this.#chunk;
    if (chunk === undefined || created === 0 || !isNext(chunk, writing.totals)) return;
    this.#owed += created;
    if (this.#owed < shareEventsMin) return;
    insertShare(writing, chunk, this.#owed);
    this.#owed = 0;
  }

  /** Inserts what is left of the next rows, in a transaction of its own: some milliseconds. */
  complete(database: Database): void {
    if (this.#chunk === undefined) return;
    database.transaction(() => {
      const writing = beginWriting(database, 0);
      this.advance(writing, limits.mergedEventsMin);
      finishWriting(writing);
    });
    this.#take(database, new Totals(database));
  }

  #take(database: Database, totals: Totals): void {
    if (totals.get('merge_until') === 0) this.#chunk = undefined;
    else if (this.#chunk === undefined || !isNext(this.#chunk, totals)) {
      this.#chunk = nextChunk(database, totals, this.#chunk);
    }
  }
}

/** A share of a few rows would write pages that the next one writes again. */
const shareEventsMin = 96;

function isWindowDue(totals: Totals): boolean {
  return totals.get('last_number') - totals.get('counted_number') >= limits.unindexedEventsMax;
}

/** Takes an event out that is removed in this transaction. */
export function removeFromIndex(writing: Writing, event: IndexedEvent): void {
  const { database, totals } = writing;
  const { arrival } = event;
  if (arrival > totals.get('counted_arrival')) return;
  const remove = 'DELETE FROM terms WHERE key = ? AND bucket = ? AND value = ? AND arrival = ?';
  for (const term of uncountedTerms(writing, event)) database.run(remove, term);
  if (arrival <= totals.get('indexed_arrival')) return;
  removeFromWindow(writing, arrival);
  if (arrival > totals.get('merge_until')) return;
  // The rows of the others are no longer where they were.
  totals.add('merge_removals', 1);
  totals.set('indexed_rows', 0);
}

type Term = readonly [key: number, bucket: number, value: TermValue, arrival: Arrival];

/** The rows of an event, which counts no longer. */
function uncountedTerms({ kinds, termKeys }: Writing, event: IndexedEvent): Term[] {
  const { arrival } = event;
  const bucket = bucketOf(event.number);
  const terms = scalarsOf(event.customMetadata).map(
    ([name, value]): Term => [termKeys.idOf(name, -1), bucket, storedValue(value), arrival],
  );
  terms.push([reservedKeys.kind, onlyBucket, kinds.idOf(event, -1), arrival]);
  const add = (key: number, keyBucket: number, value: string | undefined) => {
    if (value !== undefined) terms.push([key, keyBucket, storedValue(value), arrival]);
  };
  add(reservedKeys.device, onlyBucket, event.deviceId);
  add(reservedKeys.schema, onlyBucket, event.eventSchema);
  add(reservedKeys.workflow, onlyBucket, event.workflowId);
  add(reservedKeys.externalId, bucket, event.externalId);
  add(reservedKeys.relatedEventId, bucket, event.relatedEventId);
  return terms;
}
