// Pages of events.

import { setImmediate as others } from 'node:timers/promises';
import { limits } from '../../limits.ts';
import type { Database, Row } from '../../storage/database.ts';
import { matches } from './matching.ts';
import { candidates, conditionsOf, hasConditions, type Part, runsThroughTime } from './plan.ts';
import { roughRun } from './rough-run.ts';
import { type Bounds, mergedRuns } from './runs.ts';
import type { Arrival, EventPage, EventQuery, StoredEvent } from './store.ts';
import { eventAt, readEvent, readFiltered } from './stored-event.ts';
import { arrivalsInWindow } from './window-search.ts';
import { type Window, windowsWithin } from './windows.ts';

/** A page, bounded in its text too; it lets others work when it takes long. */
export async function listEvents(database: Database, query: EventQuery): Promise<EventPage> {
  const events: StoredEvent[] = [];
  const read = (row: Row) =>
    matches(readFiltered(row), query)
      ? { event: readEvent(row), characters: charactersOf(row) }
      : undefined;
  let pageCharacters = 0;
  let steps = 0;
  for (const arrivals of allCandidates(database, query)) {
    for (const arrival of arrivals) {
      const found = database.get(eventAt, [arrival], read);
      if (found === undefined) continue;
      pageCharacters += found.characters;
      const isTooMuch = events.length > 0 && pageCharacters > limits.eventsPageCharactersMax;
      if (events.length === query.limit || isTooMuch) return { events, next: found.event.arrival };
      events.push(found.event);
    }
    steps += 1 + arrivals.length;
    if (steps < stepsAtOnceMax) continue;
    steps = 0;
    await others();
  }
  return { events, next: undefined };
}

/** What may be large in an event. */
function charactersOf(row: Row): number {
  return row.text('body').length + (row.optionalText('custom_metadata')?.length ?? 0);
}

/** Some milliseconds. */
const stepsAtOnceMax = 1_000;

/**
 * The newest events are in no index, those behind them in its windows, and all others in `terms`.
 * While this goes on, events may come from one to the next, so each looks where the other ended.
 */
function allCandidates(database: Database, query: EventQuery): Generator<readonly Arrival[]> {
  const from = Math.max(query.from ?? 0, 0);
  const until = Math.min(query.until ?? Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER);
  return query.order === 'newest_first'
    ? newestFirst(database, query, { from, until })
    : oldestFirst(database, query, { from, until });
}

function* newestFirst(database: Database, query: EventQuery, { from, until }: Bounds) {
  const windows = windowsOf(database, query, allTime).reverse();
  const covered = windows[0]?.until ?? indexedUntil(database);
  yield* throughTime(database, query, { from: Math.max(from, covered + 1), until });
  const search = windowSearch(database, query);
  let left = Math.min(until, covered);
  for (const window of windows) {
    if (window.until < from) break;
    if (window.since > until) continue;
    const found = search(window, { from, until: left });
    if (found === undefined && indexedUntil(database) >= window.until) break;
    if (found) yield found;
    left = Math.min(left, window.since - 1);
  }
  yield* indexed(database, query, { from, until: left });
}

function* oldestFirst(database: Database, query: EventQuery, { from, until }: Bounds) {
  let next = from;
  for (let isMerged = true; isMerged; ) {
    isMerged = false;
    // In this order, so that what leaves a window meanwhile is met in `terms`.
    const windows = windowsOf(database, query, { since: next, until });
    const last = Math.min(until, indexedUntil(database));
    yield* indexed(database, query, { from: next, until: last });
    next = Math.max(next, last + 1);
    const search = windowSearch(database, query);
    for (const window of windows) {
      if (window.until < next) continue;
      const found = search(window, { from: next, until });
      isMerged = found === undefined;
      if (found === undefined) break;
      yield found;
      next = Math.max(next, window.until + 1);
    }
  }
  yield* throughTime(database, query, { from: next, until });
}

/** Where nothing is looked for under a key, the events themselves are as near. */
function windowsOf(database: Database, query: EventQuery, within: Window): Window[] {
  return hasConditions(query) ? windowsWithin(database, within) : [];
}

const allTime: Window = { since: 0, until: Number.MAX_SAFE_INTEGER };

function indexedUntil(database: Database): Arrival {
  const sql = 'SELECT indexed_arrival FROM totals';
  return database.get(sql, [], (row) => row.integer('indexed_arrival')) ?? 0;
}

/** What is looked for under a key is looked for by SQLite, without reading JSON. */
function throughTime(database: Database, query: EventQuery, bounds: Bounds) {
  const runs = hasConditions(query) ? [roughRun(query)] : runsThroughTime(query);
  return mergedRuns(database, runs, bounds, query.order, query.limit + 1);
}

/** What is found in a window; undefined where there is none any more. */
function windowSearch(database: Database, query: EventQuery) {
  const conditions = conditionsOf(database, query);
  return (window: Window, bounds: Bounds) =>
    arrivalsInWindow(database, window.until, conditions, { bounds, order: query.order });
}

function* indexed(database: Database, query: EventQuery, bounds: Bounds) {
  const part = partWithin(database, bounds);
  if (part !== undefined) yield* candidates(database, query, part);
}

function partWithin(database: Database, { from, until }: Bounds): Part | undefined {
  const numberAt = (order: string) =>
    database.get(
      `SELECT number FROM events WHERE arrival BETWEEN ? AND ? ORDER BY arrival ${order} LIMIT 1`,
      [from, until],
      (row) => row.integer('number'),
    );
  const firstNumber = numberAt('ASC');
  const lastNumber = numberAt('DESC');
  if (firstNumber === undefined || lastNumber === undefined) return undefined;
  return { from, until, firstNumber, lastNumber };
}
