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
import type { Writing } from './writing.ts';

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

/** Indexes the newest events once they are many. */
export function indexNewest(writing: Writing): void {
  const { database, totals } = writing;
  const last = totals.get('last_number');
  if (last - totals.get('indexed_number') < limits.unindexedEventsMax) return;
  const events = database.all(
    `SELECT ${indexedColumns} FROM events WHERE arrival > ?`,
    [totals.get('indexed_arrival')],
    readIndexedEvent,
  );
  insertTerms(
    database,
    events.flatMap((event) => termsOf(writing, event, 1)),
  );
  totals.set('indexed_number', last);
  totals.set('indexed_arrival', totals.get('last_arrival'));
}

/** Many with one statement, which saves half of the time. */
function insertTerms(database: Database, terms: readonly Term[]): void {
  const whole = terms.length - (terms.length % termsAtOnce);
  for (let start = 0; start < whole; start += termsAtOnce) {
    database.run(insertMany, terms.slice(start, start + termsAtOnce).flat());
  }
  for (const term of terms.slice(whole)) database.run(insertOne, term);
}

const termsAtOnce = 32;
const insertOne = 'INSERT OR IGNORE INTO terms (key, bucket, value, arrival) VALUES (?, ?, ?, ?)';
const insertMany = insertOne + ', (?, ?, ?, ?)'.repeat(termsAtOnce - 1);

export function removeFromIndex(writing: Writing, event: IndexedEvent): void {
  if (event.arrival > writing.totals.get('indexed_arrival')) return;
  const remove = 'DELETE FROM terms WHERE key = ? AND bucket = ? AND value = ? AND arrival = ?';
  for (const term of termsOf(writing, event, -1)) writing.database.run(remove, term);
}

type Term = readonly [key: number, bucket: number, value: TermValue, arrival: Arrival];

/** The rows of an event; `events` goes into the figures of how many there are. */
function termsOf(writing: Writing, event: IndexedEvent, events: 1 | -1): Term[] {
  const { arrival } = event;
  const bucket = bucketOf(event.number);
  const terms = scalarsOf(event.customMetadata).map(
    ([name, value]): Term => [
      writing.termKeys.count(name, events),
      bucket,
      storedValue(value),
      arrival,
    ],
  );
  terms.push([reservedKeys.kind, onlyBucket, writing.kinds.count(event, events), arrival]);
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
