// Windows of the index are merged into the table `terms`, key by key, in the order of the table.

import { limits } from '../../limits.ts';
import type { Database } from '../../storage/database.ts';
import type { Chunk, MergePlace } from './chunks.ts';
import { firstKey, type TermValue } from './terms.ts';
import type { Totals } from './totals.ts';
import { stepsOf } from './window-columns.ts';
import { removeWindows } from './windows.ts';
import type { Writing } from './writing.ts';

/** Where the merge of a database is; undefined: nothing is being merged. */
export function mergePlace(totals: Totals): MergePlace | undefined {
  const until = totals.get('merge_until');
  if (until === 0) return undefined;
  return { until, after: totals.get('merge_key'), removals: totals.get('merge_removals') };
}

/** Begins to merge all windows, where there are enough of them and none are being merged. */
export function openMerge({ database, totals }: Writing): void {
  if (totals.get('merge_until') > 0) return;
  const windows = database.get(
    'SELECT coalesce(sum(events), 0) AS events, max(until) AS until FROM windows',
    [],
    (row) => ({ events: row.integer('events'), until: row.optionalInteger('until') }),
  );
  if (windows?.until === undefined || windows.events < limits.mergedEventsMin) return;
  totals.set('merge_until', windows.until);
  totals.set('merge_key', firstKey - 1);
  totals.set('indexed_rows', 0);
}

/** Inserts the share of so many new events; says how much of it there was. */
export function insertShare({ database, totals }: Writing, chunk: Chunk, events: number): number {
  const rows = chunk.rows.length / 4;
  const done = totals.get('indexed_rows');
  // Where nearly all are in lists, there is little to put in for each event.
  const rowsPerEvent = (chunk.valuesPerEvent * rows) / Math.max(1, chunk.values);
  const share = Math.ceil((rowsPerEvent * events) / rowsAtOnce) * rowsAtOnce;
  const until = Math.min(rows, done + share);
  insertRows(database, chunk.rows, done, until);
  if (until < rows) totals.set('indexed_rows', until);
  else finishChunk(database, totals, chunk);
  const isOnlyLists = rows === 0;
  const worth = isOnlyLists ? chunk.values / chunk.valuesPerEvent : (until - done) / rowsPerEvent;
  return Math.min(events, worth);
}

/** Lists go in at the end, all at once: none is ever there beside the rows of its events. */
function finishChunk(database: Database, totals: Totals, chunk: Chunk): void {
  const { last, until, lists } = chunk;
  for (const { key, bucket, value, arrivals } of lists) {
    const arrival = arrivals.at(-1) ?? 0;
    database.run(insertList, [key, bucket, value, arrival, arrivals.length, stepsOf(arrivals)]);
  }
  totals.set('indexed_rows', 0);
  if (last !== undefined) {
    totals.set('merge_key', last);
    return;
  }
  totals.set('indexed_arrival', until);
  totals.set('merge_until', 0);
  removeWindows(database, { since: 0, until });
}

/** Many with one statement, which saves half of the time. */
function insertRows(
  database: Database,
  rows: readonly TermValue[],
  from: number,
  until: number,
): void {
  let row = from;
  for (; row + rowsAtOnce <= until; row += rowsAtOnce) {
    database.run(insertMany, rows.slice(row * 4, (row + rowsAtOnce) * 4));
  }
  for (; row < until; row += 1) database.run(insertOne, rows.slice(row * 4, (row + 1) * 4));
}

// A row in its place would be one of its events: no write may fail for it.
const insertList = `INSERT OR REPLACE INTO terms (key, bucket, value, arrival, events, arrivals)
  VALUES (?, ?, ?, ?, ?, ?)`;
const rowsAtOnce = 64;
const insertOne = 'INSERT OR IGNORE INTO terms (key, bucket, value, arrival) VALUES (?, ?, ?, ?)';
const insertMany = insertOne + ', (?, ?, ?, ?)'.repeat(rowsAtOnce - 1);
