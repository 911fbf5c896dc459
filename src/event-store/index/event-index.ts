// The index as queries use it: where events may be that meet a filter. At any moment it may be
// missing, behind, or of no use; whoever asks looks through the events themselves then.

import { rmSync } from 'node:fs';
import { limits } from '../../limits.ts';
import { openToRead, type Reader } from '../../storage/database.ts';
import { isDamage } from '../../storage/sqlite-errors.ts';
import type { Arrival, EventFilter, EventQuery } from '../store/store.ts';
import {
  fileIdOf,
  type Part,
  type Progress,
  readParts,
  readProgress,
  tableOf,
} from './index-file.ts';
import { Tokens } from './tokens.ts';

export type Order = EventQuery['order'];

/** Both included. */
export interface Bounds {
  readonly from: Arrival;
  readonly until: Arrival;
}

/** An index that can be asked. */
export interface UsableIndex {
  /** The number of the last event that is in it, with all before. */
  readonly number: number;
  /** Undefined: it can tell nothing of what the filter asks for. */
  searchFor(filter: EventFilter): IndexSearch | undefined;
}

/** What an index knows of one filter. */
export interface IndexSearch {
  /** All events until here are in it. */
  readonly until: Arrival;
  /**
   * The arrivals within bounds of events that may meet the filter, batch after batch; some may be
   * gone. Throws where the index is of no use any more.
   */
  candidates(bounds: Bounds, order: Order, atOnce: number): Generator<readonly Arrival[]>;
}

/** The index of one store, from one file to the next. */
export class EventIndex {
  readonly #path: string;
  #open: { readonly database: Reader; readonly fileId: number } | undefined;
  #tokens: { readonly salt: number; readonly of: Tokens } | undefined;

  constructor(path: string) {
    this.#path = path;
  }

  /** Undefined: there is none, or it is of no use. `lastArrival`: of all events of the store. */
  usable(storeId: string, lastArrival: Arrival): UsableIndex | undefined {
    try {
      const database = this.#opened();
      if (database === undefined) return undefined;
      const progress = readProgress(database, storeId);
      if (progress === undefined || progress.arrival > lastArrival) return undefined;
      return this.#asked(database, progress);
    } catch (thrown) {
      this.#giveUp(thrown);
      return undefined;
    }
  }

  close(): void {
    this.#open?.database.close();
    this.#open = undefined;
  }

  #opened(): Reader | undefined {
    const fileId = fileIdOf(this.#path);
    if (this.#open?.fileId === fileId) return this.#open?.database;
    this.close();
    if (fileId === undefined) return undefined;
    // Events are looked at without it, and nobody waits for whoever has locked it.
    const options = { cacheBytes: limits.indexReaderCacheBytes, busyMsMax: 0 };
    const database = openToRead(this.#path, options);
    this.#open = { database, fileId };
    return database;
  }

  #asked(database: Reader, progress: Progress): UsableIndex {
    const { salt, arrival, number } = progress;
    if (this.#tokens?.salt !== salt) this.#tokens = { salt, of: new Tokens(salt) };
    const tokens = this.#tokens.of;
    const giveUp = (thrown: unknown) => this.#giveUp(thrown);
    const candidatesOf = (expression: string): IndexSearch['candidates'] =>
      function* candidates(bounds, order, atOnce) {
        try {
          for (const part of partsWithin(database, bounds, order)) {
            yield* candidatesIn(database, part, { expression, bounds, order, atOnce });
          }
        } catch (thrown) {
          giveUp(thrown);
          throw thrown;
        }
      };
    return {
      number,
      searchFor: (filter) => {
        const expression = tokens.expressionOf(filter);
        if (expression === undefined) return undefined;
        return { until: arrival, candidates: candidatesOf(expression) };
      },
    };
  }

  /** A damaged file is taken away, for the leader to make it anew. */
  #giveUp(thrown: unknown): void {
    const fileId = this.#open?.fileId;
    this.close();
    if (!isDamage(thrown) || fileId === undefined || fileId !== fileIdOf(this.#path)) return;
    try {
      rmSync(this.#path, { force: true });
    } catch {
      // The leader finds it damaged itself.
    }
  }
}

function partsWithin(database: Reader, { from, until }: Bounds, order: Order): Part[] {
  const parts = readParts(database).filter((part) => part.until >= from && part.since <= until);
  return order === 'newest_first' ? parts.reverse() : parts;
}

interface Search {
  readonly expression: string;
  readonly bounds: Bounds;
  readonly order: Order;
  readonly atOnce: number;
}

function* candidatesIn(
  database: Reader,
  { part, since, until: last }: Part,
  { expression, bounds, order, atOnce }: Search,
): Generator<readonly Arrival[]> {
  let from = Math.max(bounds.from, since);
  let until = Math.min(bounds.until, last);
  const table = tableOf(part);
  const isNewestFirst = order === 'newest_first';
  const sql = `SELECT rowid AS arrival FROM ${table} WHERE ${table} MATCH ?
    AND rowid BETWEEN ? AND ? ORDER BY rowid ${isNewestFirst ? 'DESC' : 'ASC'} LIMIT ?`;
  for (let limit = atOnce; ; limit = Math.min(limit * 4, limits.indexCandidatesAtOnceMax)) {
    // As whole numbers: FTS5 makes no use of others for a seek.
    const found = database.all(sql, [expression, BigInt(from), BigInt(until), limit], (row) =>
      row.integer('arrival'),
    );
    yield found;
    const reached = found.at(-1);
    if (reached === undefined || found.length < limit) return;
    if (isNewestFirst) until = reached - 1;
    else from = reached + 1;
  }
}
