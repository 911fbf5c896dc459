// Pages of events.

import { setImmediate as others } from 'node:timers/promises';
import { limits } from '../../limits.ts';
import type { Database, Row } from '../../storage/database.ts';
import { matches } from './matching.ts';
import { candidates, type Part } from './plan.ts';
import { roughRun } from './rough-run.ts';
import { type Bounds, mergedRuns } from './runs.ts';
import type { Arrival, EventPage, EventQuery, StoredEvent } from './store.ts';
import { eventAt, readEvent, readFiltered } from './stored-event.ts';

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

/** Those of the index, and the newest ones that are in no index yet. */
function* allCandidates(database: Database, query: EventQuery): Generator<readonly Arrival[]> {
  const from = Math.max(query.from ?? 0, 0);
  const until = Math.min(query.until ?? Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER);
  const indexedUntil = database.get('SELECT indexed_arrival FROM totals', [], (row) =>
    row.integer('indexed_arrival'),
  );
  const indexed = { from, until: Math.min(until, indexedUntil ?? 0) };
  const newest = { from: Math.max(from, (indexedUntil ?? 0) + 1), until };
  if (query.order === 'newest_first') yield* newestCandidates(database, query, newest);
  const part = partWithin(database, indexed);
  if (part !== undefined) yield* candidates(database, query, part);
  if (query.order === 'oldest_first') yield* newestCandidates(database, query, newest);
}

function newestCandidates(database: Database, query: EventQuery, bounds: Bounds) {
  return mergedRuns(database, [roughRun(query)], bounds, query.order, query.limit + 1);
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
