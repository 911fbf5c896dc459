// The rows of windows for the table `terms`: some keys at a time, made a little at a time.

import { limits } from '../../limits.ts';
import type { Database } from '../../storage/database.ts';
import type { Arrival } from './store.ts';
import { listed } from './term-lists.ts';
import { bucketOf, firstKey, reservedKeys, storedValue, type TermValue } from './terms.ts';
import { readPlaces, readSteps, readValues } from './window-columns.ts';

/** Where a merge of windows is. */
export interface MergePlace {
  /** The windows until here are merged. */
  readonly until: Arrival;
  /** All rows of this key and of those before are in. */
  readonly after: number;
  /** Of events of these windows, meanwhile. */
  readonly removals: number;
}

/** Rows of some keys, which go in next. They follow from the windows and the removals. */
export interface Chunk extends MergePlace {
  /** The last key that it has; undefined: it has all that are left. */
  readonly last: number | undefined;
  /** Four values for each event: key, bucket, value, arrival. */
  readonly rows: readonly TermValue[];
  /** Those of many events. */
  readonly lists: readonly ListRow[];
  /** So many values of windows they stand for. */
  readonly values: number;
  /** Of the whole merge, for each event that is stored meanwhile. */
  readonly valuesPerEvent: number;
  /** For the chunk behind it. */
  readonly windows: readonly OpenWindow[];
}

/** A row of `terms` for the arrivals of events with the same value. */
export interface ListRow {
  readonly key: number;
  readonly bucket: number;
  readonly value: TermValue;
  readonly arrivals: readonly Arrival[];
}

/** The chunk that goes in next, and the one behind it, which is made meanwhile. */
export class Chunks {
  #next: Chunk | undefined;
  #behind: Chunk | undefined;
  #making: Making | undefined;

  /** The one that goes in at a place, where it is there. */
  at(place: MergePlace | undefined): Chunk | undefined {
    return place && [this.#next, this.#behind].find((chunk) => chunk && isSamePlace(chunk, place));
  }

  /** Goes on with the share of so many new events. Nothing is merged where there is no place. */
  make(database: Database, place: MergePlace | undefined, events: number): void {
    const next = this.at(place);
    if (next !== this.#next) [this.#next, this.#behind] = [next, undefined];
    const wanted = next ? placeBehind(next) : place;
    if (wanted === undefined || this.#behind) return;
    const begun = this.#making;
    // One that fails is begun anew.
    this.#making = undefined;
    const making =
      begun && isSamePlace(begun, wanted) ? begun : beginChunk(database, wanted, next?.windows);
    const made = making.advance(events);
    if (made === undefined) this.#making = making;
    else if (next) this.#behind = made;
    else this.#next = made;
  }
}

function placeBehind({ until, last, removals }: Chunk): MergePlace | undefined {
  return last === undefined ? undefined : { until, after: last, removals };
}

/** A chunk that is being made. */
interface Making extends MergePlace {
  /** Goes on with the share of so many new events; the chunk, once all of it is there. */
  advance(events: number): Chunk | undefined;
}

/** Begins the rows behind a place; `known`: the windows of this merge, where they were read. */
function beginChunk(
  database: Database,
  place: MergePlace,
  known: readonly OpenWindow[] | undefined,
): Making {
  const sizes = database.all(
    `SELECT key, sum(size) AS size FROM window_columns
     WHERE until <= ? AND key >= ? GROUP BY key ORDER BY key`,
    [place.until, firstKey],
    (row) => ({ key: row.integer('key'), size: row.integer('size') }),
  );
  const all = sizes.reduce((sum, { size }) => sum + size, 0);
  // Where all events are gone there are no rows, and the merge is to end all the same.
  const valuesPerEvent = Math.max(1, (all * hurry) / limits.mergedEventsMin);
  const windows = known ?? openWindows(database, place.until);
  const keys = sizes.map(({ key }) => key).filter((key) => key > place.after);
  const chunk = { ...place, valuesPerEvent, windows };
  const steps = makeRows(database, windows, keys);
  let owed = 0;
  return {
    ...place,
    advance: (events) => {
      // Twice what goes in meanwhile, since values are sorted too.
      for (owed += 2 * valuesPerEvent * events; owed > 0; ) {
        const step = steps.next();
        if (step.done) return { ...chunk, ...step.value };
        owed -= step.value;
      }
      return undefined;
    },
  };
}

function isSamePlace(one: MergePlace, other: MergePlace): boolean {
  return one.until === other.until && one.after === other.after && one.removals === other.removals;
}

/** Each step says how many values it looked at. */
function* makeRows(
  database: Database,
  windows: readonly OpenWindow[],
  keys: readonly number[],
): Generator<number, Rows & { readonly last: number | undefined }> {
  const rows: Rows = { rows: [], lists: [], values: 0 };
  for (const key of keys) {
    const size = rows.rows.length / 4 + rows.lists.length * rowsPerList;
    if (size >= chunkRowsMin) return { ...rows, last: key - 1 };
    yield* addRows(database, rows, windows, key);
  }
  return { ...rows, last: undefined };
}

interface Rows {
  readonly rows: TermValue[];
  readonly lists: ListRow[];
  values: number;
}

/** What a transaction or two can insert. */
const chunkRowsMin = 4_096;

/** A list takes as long as so many rows. */
const rowsPerList = 16;

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
function* addRows(
  database: Database,
  rows: Rows,
  windows: readonly OpenWindow[],
  key: number,
): Generator<number, void> {
  const buckets: Buckets = new Map();
  for (const window of windows) {
    const size = addColumn(database, buckets, window, key);
    rows.values += size;
    yield size;
  }
  for (const [bucket, values] of buckets) {
    for (const value of [...values.keys()].sort(byRank)) {
      const all = values.get(value) ?? [];
      const lists = listed(all);
      for (const arrivals of lists ?? []) rows.lists.push({ key, bucket, value, arrivals });
      if (lists === undefined)
        for (const arrival of all) rows.rows.push(key, bucket, value, arrival);
    }
    yield values.size;
  }
}

type Buckets = Map<number, Map<TermValue, Arrival[]>>;

/** What a window has under a key; says how many values it has. */
function addColumn(
  database: Database,
  buckets: Buckets,
  { until, arrivals, numbers, left }: OpenWindow,
  key: number,
): number {
  const column = database.get(
    'SELECT places, "values" FROM window_columns WHERE until = ? AND key = ?',
    [until, key],
    (row) => ({
      places: readPlaces(row.optionalText('places')),
      values: readValues(row.text('values')),
    }),
  );
  if (column === undefined) return 0;
  for (const [index, value] of column.values.entries()) {
    const place = column.places?.[index] ?? index;
    const arrival = arrivals[place];
    if (arrival === undefined || left?.has(arrival) === false) continue;
    const bucket = bucketOf(key, numbers[place] ?? 0);
    const values = buckets.get(bucket) ?? new Map<TermValue, Arrival[]>();
    buckets.set(bucket, values);
    const stored = storedValue(value);
    const same = values.get(stored);
    if (same) same.push(arrival);
    else values.set(stored, [arrival]);
  }
  return column.values.length;
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
