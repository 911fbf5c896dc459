// Windows of the index are merged into the table `terms`, key by key, in the order of the table.

import { limits } from '../../limits.ts';
import type { Database } from '../../storage/database.ts';
import type { Arrival } from './store.ts';
import {
  bucketOf,
  firstKey,
  isBucketed,
  reservedKeys,
  storedValue,
  type TermValue,
} from './terms.ts';
import type { Totals } from './totals.ts';
import { readPlaces, readSteps, readValues } from './window-columns.ts';
import { removeWindows } from './windows.ts';
import type { Writing } from './writing.ts';

/** Rows of some keys, which go in next. They follow from the windows and the removals. */
export interface Chunk {
  readonly until: Arrival;
  /** All of this key and of those before are in. */
  readonly after: number;
  readonly removals: number;
  /** The last key that it has; undefined: it has all that are left. */
  readonly last: number | undefined;
  /** Four values for each: key, bucket, value, arrival. */
  readonly rows: readonly TermValue[];
  /** Of the whole merge, for each event that is stored meanwhile. */
  readonly rowsPerEvent: number;
  /** For the chunk behind it. */
  readonly windows: readonly OpenWindow[];
}

/** Whether the database is where these rows go in next. */
export function isNext({ until, after, removals }: Chunk, totals: Totals): boolean {
  return (
    until === totals.get('merge_until') &&
    after === totals.get('merge_key') &&
    removals === totals.get('merge_removals')
  );
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

/** The rows that go in next, behind those of a chunk where there was one. */
export function nextChunk(database: Database, totals: Totals, before: Chunk | undefined): Chunk {
  const until = totals.get('merge_until');
  const after = totals.get('merge_key');
  const removals = totals.get('merge_removals');
  const isSame = before?.until === until && before.removals === removals;
  const windows = isSame ? before.windows : openWindows(database, until);
  const sizes = database.all(
    `SELECT key, sum(size) AS size FROM window_columns
     WHERE until <= ? AND key >= ? GROUP BY key ORDER BY key`,
    [until, firstKey],
    (row) => ({ key: row.integer('key'), size: row.integer('size') }),
  );
  const rows: TermValue[] = [];
  let last: number | undefined;
  for (const { key } of sizes) {
    if (key <= after) continue;
    if (rows.length >= chunkRowsMin * 4) {
      last = key - 1;
      break;
    }
    addRows(database, rows, windows, key);
  }
  const all = sizes.reduce((sum, { size }) => sum + size, 0);
  const rowsPerEvent = (all * hurry) / limits.mergedEventsMin;
  return { until, after, removals, last, rows, rowsPerEvent, windows };
}

/** Some milliseconds to make. */
const chunkRowsMin = 4_096;

/** So all is in before there are enough windows for the next merge. */
const hurry = 1.25;

interface OpenWindow {
  readonly until: Arrival;
  readonly arrivals: readonly Arrival[];
  readonly numbers: readonly number[];
  /** Those of its events that are there; undefined: all. */
  readonly left: ReadonlySet<Arrival> | undefined;
}

function openWindows(database: Database, until: Arrival): readonly OpenWindow[] {
  const column = (key: number) =>
    `(SELECT "values" FROM window_columns WHERE until = windows.until AND key = ${key})`;
  return database.all(
    `SELECT until, since, removed, ${column(reservedKeys.arrival)} AS arrivals,
       ${column(reservedKeys.number)} AS numbers
     FROM windows WHERE until <= ? ORDER BY until`,
    [until],
    (row) => ({
      until: row.integer('until'),
      arrivals: readSteps(row.text('arrivals')),
      numbers: readSteps(row.text('numbers')),
      left:
        row.integer('removed') === 0
          ? undefined
          : arrivalsBetween(database, row.integer('since'), row.integer('until')),
    }),
  );
}

function arrivalsBetween(database: Database, since: Arrival, until: Arrival): Set<Arrival> {
  const sql = 'SELECT arrival FROM events WHERE arrival BETWEEN ? AND ?';
  return new Set(database.all(sql, [since, until], (row) => row.integer('arrival')));
}

/** All rows of one key, as they will lie: then each page of the table is written once. */
function addRows(
  database: Database,
  rows: TermValue[],
  windows: readonly OpenWindow[],
  key: number,
): void {
  const buckets = new Map<number, Map<TermValue, Arrival[]>>();
  for (const { until, arrivals, numbers, left } of windows) {
    const column = database.get(
      'SELECT places, "values" FROM window_columns WHERE until = ? AND key = ?',
      [until, key],
      (row) => ({
        places: readPlaces(row.optionalText('places')),
        values: readValues(row.text('values')),
      }),
    );
    for (const [index, value] of (column?.values ?? []).entries()) {
      const place = column?.places?.[index] ?? index;
      const arrival = arrivals[place];
      if (arrival === undefined || left?.has(arrival) === false) continue;
      const bucket = isBucketed(key) ? bucketOf(numbers[place] ?? 0) : 0;
      const values = buckets.get(bucket) ?? new Map<TermValue, Arrival[]>();
      buckets.set(bucket, values);
      const stored = storedValue(value);
      const same = values.get(stored);
      if (same) same.push(arrival);
      else values.set(stored, [arrival]);
    }
  }
  for (const [bucket, values] of buckets) {
    for (const [value, same] of [...values].sort(([first], [second]) => byRank(first, second))) {
      for (const arrival of same) rows.push(key, bucket, value, arrival);
    }
  }
}

/** As SQLite has them: numbers, then text, then blobs. */
function byRank(first: TermValue, second: TermValue): number {
  if (typeof first === 'number' && typeof second === 'number') return first - second;
  if (typeof first === 'string' && typeof second === 'string') return first < second ? -1 : 1;
  return rank(first) - rank(second);
}

function rank(value: TermValue): number {
  return ['number', 'string', 'object'].indexOf(typeof value);
}

/** Inserts the share of so many new events. */
export function insertShare({ database, totals }: Writing, chunk: Chunk, created: number): void {
  const rows = chunk.rows.length / 4;
  const done = totals.get('indexed_rows');
  const share = Math.ceil((chunk.rowsPerEvent * created) / rowsAtOnce) * rowsAtOnce;
  insertRows(database, chunk.rows, done, Math.min(rows, done + share));
  if (done + share < rows) {
    totals.set('indexed_rows', done + share);
    return;
  }
  totals.set('indexed_rows', 0);
  if (chunk.last !== undefined) {
    totals.set('merge_key', chunk.last);
    return;
  }
  totals.set('indexed_arrival', chunk.until);
  totals.set('merge_until', 0);
  removeWindows(database, { since: 0, until: chunk.until });
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

const rowsAtOnce = 64;
const insertOne = 'INSERT OR IGNORE INTO terms (key, bucket, value, arrival) VALUES (?, ?, ?, ?)';
const insertMany = insertOne + ', (?, ?, ?, ?)'.repeat(rowsAtOnce - 1);
