// Counts of events: by what is counted beside them, or by a look at them.

import type { Database, SqlValue } from '../../storage/database.ts';
import { listEvents } from './list-events.ts';
import type { FilteredEvent } from './matching.ts';
import { type EventSink, type Events, scanEvents } from './scan-events.ts';
import type { Arrival, CountFilter, EventCounts, EventFilter, MatchingCounts } from './store.ts';

/** Exact, whatever there is. */
export async function countEvents(events: Events, filter: CountFilter): Promise<EventCounts> {
  const { database } = events;
  const { total, isComplete } = readTotal(database);
  const wanted = filterOf(filter);
  if (wanted === undefined) return { total, filtered: total, ...endsOf(database) };
  if (!isComplete) return countAll(events, wanted);
  const filtered = countedOf(database, filter);
  if (filtered === 0) return { total, filtered, oldest: undefined, newest: undefined };
  const oldest = await firstOf(events, wanted, 'oldest_first');
  const newest = await firstOf(events, wanted, 'newest_first');
  return { total, filtered, oldest, newest };
}

/** Throws `cancelled` when nobody waits for it any more. */
export async function countMatching(
  events: Events,
  filter: EventFilter,
  signal?: AbortSignal,
): Promise<MatchingCounts> {
  const tally = new Tally();
  const query = { ...filter, order: 'newest_first', limit: tally.missing - 1 } as const;
  const { next, scanned } = await scanEvents(events, query, tally, signal);
  const { filtered, oldest, newest } = tally;
  const { total } = readTotal(events.database);
  return { total, filtered, oldest, newest, scanned, next };
}

/** It is never full. */
class Tally implements EventSink {
  readonly missing = 250;
  filtered = 0;
  oldest: Arrival | undefined;
  newest: Arrival | undefined;

  take(_row: unknown, { arrival }: FilteredEvent): boolean {
    this.filtered += 1;
    this.newest ??= arrival;
    this.oldest = arrival;
    return true;
  }
}

/** Undefined: all events. */
function filterOf({ deviceId, eventSchema, workflowId }: CountFilter): EventFilter | undefined {
  const one = deviceId ?? eventSchema ?? workflowId;
  if (one === undefined) return undefined;
  return {
    ...(deviceId !== undefined && { deviceIds: [deviceId] }),
    ...(eventSchema !== undefined && { eventSchemas: [eventSchema] }),
    ...(workflowId !== undefined && { workflowIds: [workflowId] }),
  };
}

/** `isComplete`: whether all kinds are counted. */
function readTotal(database: Database): { readonly total: number; readonly isComplete: boolean } {
  const sql = 'SELECT draft + waiting + uploaded + refused AS total, other_kinds FROM totals';
  const found = database.get(sql, [], (row) => ({
    total: row.integer('total'),
    isComplete: row.integer('other_kinds') === 0,
  }));
  return found ?? { total: 0, isComplete: true };
}

function endsOf(database: Database): Pick<EventCounts, 'oldest' | 'newest'> {
  const sql = `SELECT (SELECT min(arrival) FROM events) AS oldest,
    (SELECT max(arrival) FROM events) AS newest`;
  const ends = database.get(sql, [], (row) => ({
    oldest: row.optionalInteger('oldest'),
    newest: row.optionalInteger('newest'),
  }));
  return ends ?? { oldest: undefined, newest: undefined };
}

function countedOf(database: Database, filter: CountFilter): number {
  const conditions: string[] = [];
  const values: SqlValue[] = [];
  const add = (column: string, value: string | undefined) => {
    if (value === undefined) return;
    conditions.push(`${column} = ?`);
    values.push(value);
  };
  add('device_id', filter.deviceId);
  add('event_schema', filter.eventSchema);
  add('workflow_id', filter.workflowId);
  const sql = `SELECT coalesce(sum(events), 0) AS events FROM kinds
    WHERE ${conditions.join(' AND ')}`;
  return database.get(sql, values, (row) => row.integer('events')) ?? 0;
}

/** However many looks it takes. */
async function firstOf(
  events: Events,
  filter: EventFilter,
  order: 'oldest_first' | 'newest_first',
): Promise<Arrival | undefined> {
  let query = { ...filter, order, limit: 1 };
  for (;;) {
    const page = await listEvents(events, query);
    const [first] = page.events;
    if (first !== undefined || page.next === undefined) return first?.arrival;
    query = {
      ...query,
      ...(order === 'newest_first' ? { until: page.next } : { from: page.next }),
    };
  }
}

async function countAll(events: Events, filter: EventFilter): Promise<EventCounts> {
  let counts = await countMatching(events, filter);
  for (let { next } = counts; next !== undefined; ) {
    const more = await countMatching(events, { ...filter, until: next });
    ({ next } = more);
    counts = {
      ...more,
      filtered: counts.filtered + more.filtered,
      oldest: more.oldest ?? counts.oldest,
      newest: counts.newest ?? more.newest,
    };
  }
  const { total, filtered, oldest, newest } = counts;
  return { total, filtered, oldest, newest };
}
