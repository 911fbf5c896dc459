// Puts events into the table `terms`, many at once, and takes them out.

import { limits } from '../../limits.ts';
import type { Database, Row } from '../../storage/database.ts';
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
import { beginWriting, finishWriting, type Writing } from './writing.ts';

/** What is looked for in an event. */
export interface IndexedEvent {
  readonly arrival: Arrival;
  readonly number: number;
  readonly deviceId: string | undefined;
  readonly eventSchema: string;
  readonly workflowId: string | undefined;
  readonly externalId: string | undefined;
  readonly relatedEventId: string | undefined;
  readonly customMetadata: unknown;
}

export const indexedColumns = `arrival, number, device_id, event_schema, workflow_id, external_id,
  related_event_id, custom_metadata`;

export function readIndexedEvent(row: Row): IndexedEvent {
  return {
    ...{ arrival: row.integer('arrival'), number: row.integer('number') },
    ...{ deviceId: row.optionalText('device_id'), eventSchema: row.text('event_schema') },
    workflowId: row.optionalText('workflow_id'),
    externalId: row.optionalText('external_id'),
    relatedEventId: row.optionalText('related_event_id'),
    customMetadata: row.optionalJson('custom_metadata'),
  };
}

/** Counted events whose rows are going in. */
interface Window {
  readonly until: Arrival;
  /** Of the ledger: a removal may take rows out of the window, also that of another process. */
  readonly lastLine: number;
  /** By keys, so that what is inserted together lies together. They follow from the events. */
  readonly rows: readonly Term[];
}

/**
 * Puts events into the index in windows of hundreds, so that a page of it is written once for many.
 * A window is counted when it is opened; then each transaction that stores events inserts a share
 * of its rows, so that none has to wait for all. How many are in is in the database.
 */
export class Indexing {
  #window: Window | undefined;

  /** For the next transactions; in one of its own, and only where there is something to do. */
  prepare(database: Database): void {
    if (this.#isPrepared(database)) return;
    this.#window = database.transaction(() => {
      const writing = beginWriting(database, 0);
      const events = isOpen(writing.totals) ? eventsOfWindow(writing) : openWindow(writing);
      const window = windowOf(writing, events);
      finishWriting(writing);
      return window;
    });
  }

  /** Inserts the share of so many new events. */
  advance({ database, totals }: Writing, created: number): void {
    const window = this.#window;
    if (window === undefined || created === 0 || !isOf(window, totals)) return;
    const { rows } = window;
    const done = totals.get('indexed_rows');
    const share = Math.ceil((rows.length * created) / shareOfEvents / rowsAtOnce) * rowsAtOnce;
    insertRows(database, rows.slice(done, done + share));
    const isAll = done + share >= rows.length;
    totals.set('indexed_rows', isAll ? 0 : done + share);
    if (isAll) totals.set('indexed_arrival', window.until);
  }

  /** Inserts what is left of an open window, in a transaction of its own. */
  complete(database: Database): void {
    if (!isOpen(new Totals(database))) return;
    database.transaction(() => {
      const writing = beginWriting(database, 0);
      this.advance(writing, limits.unindexedEventsMax);
      finishWriting(writing);
    });
  }

  #isPrepared(database: Database): boolean {
    const totals = new Totals(database);
    if (isOpen(totals)) return this.#window !== undefined && isOf(this.#window, totals);
    return totals.get('last_number') - totals.get('counted_number') < limits.unindexedEventsMax;
  }
}

/** So a window is in before there are enough events for the next one. */
const shareOfEvents = limits.unindexedEventsMax / 1.25;

function isOpen(totals: Totals): boolean {
  return totals.get('counted_arrival') > totals.get('indexed_arrival');
}

function isOf({ until, lastLine }: Window, totals: Totals): boolean {
  if (!isOpen(totals)) return false;
  return until === totals.get('counted_arrival') && lastLine === totals.get('last_line');
}

function openWindow(writing: Writing): readonly IndexedEvent[] {
  const { totals } = writing;
  const events = eventsAfter(writing, totals.get('counted_arrival'));
  for (const event of events) countEvent(writing, event, 1);
  totals.set('counted_arrival', totals.get('last_arrival'));
  totals.set('counted_number', totals.get('last_number'));
  return events;
}

/** Of one that another process opened, or this one before it started again. */
function eventsOfWindow(writing: Writing): readonly IndexedEvent[] {
  const { totals } = writing;
  const until = totals.get('counted_arrival');
  const events = eventsAfter(writing, totals.get('indexed_arrival'));
  return events.filter(({ arrival }) => arrival <= until);
}

function windowOf(writing: Writing, events: readonly IndexedEvent[]): Window {
  const { totals } = writing;
  const rows = inOrder(events.flatMap((event) => termsOf(writing, event)));
  return { until: totals.get('counted_arrival'), lastLine: totals.get('last_line'), rows };
}

/**
 * As they will lie: then each page is written by one transaction, or two. Most values come more
 * than once, so only what is different is compared; of one value they are in order already.
 */
function inOrder(rows: readonly Term[]): readonly Term[] {
  const byKey = new Map<number, Map<TermValue, Term[]>>();
  for (const row of rows) {
    const [key, , value] = row;
    const ofKey = byKey.get(key);
    const ofValue = ofKey?.get(value);
    if (ofValue) ofValue.push(row);
    else if (ofKey) ofKey.set(value, [row]);
    else byKey.set(key, new Map([[value, [row]]]));
  }
  return [...byKey.values()].flatMap((ofKey) =>
    [...ofKey].sort(([first], [second]) => byRank(first, second)).flatMap(([, same]) => same),
  );
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

function eventsAfter({ database }: Writing, arrival: Arrival): readonly IndexedEvent[] {
  const sql = `SELECT ${indexedColumns} FROM events WHERE arrival > ?`;
  return database.all(sql, [arrival], readIndexedEvent);
}

/** Many with one statement, which saves half of the time. */
function insertRows(database: Database, rows: readonly Term[]): void {
  const whole = rows.length - (rows.length % rowsAtOnce);
  const values: TermValue[] = [];
  for (const row of rows.slice(0, whole)) {
    values.push(...row);
    if (values.length < rowsAtOnce * row.length) continue;
    database.run(insertMany, values);
    values.length = 0;
  }
  for (const row of rows.slice(whole)) database.run(insertOne, row);
}

const rowsAtOnce = 32;
const insertOne = 'INSERT OR IGNORE INTO terms (key, bucket, value, arrival) VALUES (?, ?, ?, ?)';
const insertMany = insertOne + ', (?, ?, ?, ?)'.repeat(rowsAtOnce - 1);

/** Takes an event out that is removed in this transaction. */
export function removeFromIndex(writing: Writing, event: IndexedEvent): void {
  const { database, totals } = writing;
  if (event.arrival > totals.get('counted_arrival')) return;
  const remove = 'DELETE FROM terms WHERE key = ? AND bucket = ? AND value = ? AND arrival = ?';
  for (const term of termsOf(writing, event)) database.run(remove, term);
  countEvent(writing, event, -1);
  // The rows of the others of an open window are no longer where they were.
  if (event.arrival > totals.get('indexed_arrival')) totals.set('indexed_rows', 0);
}

/** Into the figures of how many events there are. */
function countEvent(writing: Writing, event: IndexedEvent, events: 1 | -1): void {
  writing.kinds.count(event, events);
  for (const [name] of scalarsOf(event.customMetadata)) writing.termKeys.count(name, events);
}

type Term = readonly [key: number, bucket: number, value: TermValue, arrival: Arrival];

/** The rows of an event, which is counted. */
function termsOf({ kinds, termKeys }: Writing, event: IndexedEvent): Term[] {
  const { arrival } = event;
  const bucket = bucketOf(event.number);
  const terms = scalarsOf(event.customMetadata).map(
    ([name, value]): Term => [termKeys.idOf(name), bucket, storedValue(value), arrival],
  );
  terms.push([reservedKeys.kind, onlyBucket, kinds.idOf(event), arrival]);
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
