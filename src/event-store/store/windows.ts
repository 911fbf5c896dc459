// Windows of some hundred events: what queries look for in the newest indexed ones, by columns.
// Many windows together are merged into `terms` later, so that its pages are written once.

import type { Database } from '../../storage/database.ts';
import type { IndexedEvent } from './indexed-event.ts';
import type { Arrival } from './store.ts';
import { isFindable, reservedKeys, shortened } from './terms.ts';
import { Columns, type ColumnTexts, stepsOf } from './window-columns.ts';
import type { Writing } from './writing.ts';

/** A window, from its first event to its last. */
export interface Window {
  readonly since: Arrival;
  readonly until: Arrival;
}

/** Those that overlap some arrivals, the oldest first. */
export function windowsWithin(database: Database, { since, until }: Window): Window[] {
  return database.all(
    'SELECT since, until FROM windows WHERE until >= ? AND since <= ? ORDER BY until',
    [since, until],
    (row) => ({ since: row.integer('since'), until: row.integer('until') }),
  );
}

/** Until where events are in windows or in `terms`. */
export function coveredUntil(database: Database): Arrival {
  const sql = `SELECT max(indexed_arrival, coalesce((SELECT max(until) FROM windows), 0)) AS covered
    FROM totals`;
  return database.get(sql, [], (row) => row.integer('covered')) ?? 0;
}

/** Makes a window of events that are in none and behind all that are. */
export function addWindow(writing: Writing, events: readonly IndexedEvent[]): void {
  const { database, totals } = writing;
  const first = events[0];
  const last = events.at(-1);
  if (first === undefined || last === undefined) return;
  const columns = new Columns();
  const counted = totals.get('counted_arrival');
  for (const [place, event] of events.entries())
    addColumns(writing, columns, place, event, counted);
  const until = last.arrival;
  database.run('INSERT INTO windows (until, since, events) VALUES (?, ?, ?)', [
    until,
    first.arrival,
    events.length,
  ]);
  insertColumns(database, until, [
    [reservedKeys.arrival, events.length, undefined, stepsOf(events.map((it) => it.arrival))],
    [reservedKeys.number, events.length, undefined, stepsOf(events.map((it) => it.number))],
    ...columns.texts(events.length),
  ]);
  totals.set('counted_arrival', Math.max(until, totals.get('counted_arrival')));
}

function insertColumns(database: Database, until: Arrival, all: readonly ColumnTexts[]): void {
  for (const texts of all) {
    database.run(
      'INSERT INTO window_columns (until, key, size, places, "values") VALUES (?, ?, ?, ?, ?)',
      [until, ...texts],
    );
  }
}

/** Counts the event too. Some are counted already: by a Fovea that did not know windows. */
function addColumns(
  { kinds, termKeys }: Writing,
  columns: Columns,
  place: number,
  event: IndexedEvent,
  counted: Arrival,
): void {
  const isNew = event.arrival > counted ? 1 : 0;
  const add = (key: number, value: string | undefined) => {
    if (value !== undefined) columns.add(key, place, shortened(value));
  };
  columns.add(reservedKeys.kind, place, kinds.idOf(event, isNew));
  add(reservedKeys.device, event.deviceId);
  add(reservedKeys.schema, event.eventSchema);
  add(reservedKeys.workflow, event.workflowId);
  add(reservedKeys.externalId, event.externalId);
  add(reservedKeys.relatedEventId, event.relatedEventId);
  for (const [name, value] of Object.entries(Object(event.customMetadata))) {
    if (!isFindable(name, value)) continue;
    const isText = typeof value === 'string';
    columns.add(termKeys.idOf(name, isNew), place, isText ? shortened(value) : value);
  }
}

/** An event of a window is gone: one of which all are gone goes too. */
export function removeFromWindow({ database }: Writing, arrival: Arrival): void {
  const until = database.get(
    `UPDATE windows SET removed = removed + 1
     WHERE until = (SELECT until FROM windows WHERE until >= ? ORDER BY until LIMIT 1)
       AND since <= ?
     RETURNING iif(removed = events, until, NULL) AS emptied`,
    [arrival, arrival],
    (row) => row.optionalInteger('emptied'),
  );
  if (until !== undefined) removeWindows(database, { since: until, until });
}

/** Those that end between two arrivals. */
export function removeWindows(database: Database, { since, until }: Window): void {
  database.run('DELETE FROM window_columns WHERE until BETWEEN ? AND ?', [since, until]);
  database.run('DELETE FROM windows WHERE until BETWEEN ? AND ?', [since, until]);
}
