// Counts, usage and the ledger: all from rows that are kept for them.

import { removalReasons } from '../../contract/event-store.ts';
import { FoveaError } from '../../errors.ts';
import { limits } from '../../limits.ts';
import type { Database, Row, SqlValue } from '../../storage/database.ts';
import { arrivalOf } from '../ids.ts';
import { conditionsOf, partWithin } from './plan.ts';
import { type Bounds, eventsAmong, type Order, type Run } from './runs.ts';
import type {
  Arrival,
  CountFilter,
  EventCounts,
  LedgerLine,
  LedgerPage,
  LedgerQuery,
  RemovalReason,
  Removed,
  Usage,
} from './store.ts';
import { readUpload } from './stored-event.ts';
import { arrivalsOfRow } from './term-lists.ts';
import { bucketsBetween, reservedKeys } from './terms.ts';
import { arrivalsInWindow } from './window-search.ts';
import { coveredUntil, windowsWithin } from './windows.ts';

/** Counts what is indexed from the roll-up, and the newest events one by one. */
export function countEvents(database: Database, filter: CountFilter): EventCounts {
  const given = [
    ['device_id', filter.deviceId],
    ['event_schema', filter.eventSchema],
    ['workflow_id', filter.workflowId],
  ] as const;
  const conditions = given.filter(([, value]) => value !== undefined);
  const where = conditions.map(([column]) => ` AND ${column} = ?`).join('');
  const values = conditions.map(([, value]) => value ?? '');
  const total = '(SELECT draft + waiting + uploaded + refused FROM totals)';
  if (conditions.length === 0) {
    const sql = `SELECT ${total} AS total, ${total} AS filtered,
      (SELECT min(arrival) FROM events) AS oldest, (SELECT max(arrival) FROM events) AS newest`;
    return readCounts(database, sql, []);
  }
  const covered = coveredUntil(database);
  // In this order, so that what leaves a window meanwhile is met in `terms`.
  const ends = [
    ...endsInWindows(database, filter, where, values),
    ...endsInTerms(database, where, values),
  ];
  const counts = readCounts(
    database,
    `SELECT ${total} AS total, sum(events) AS filtered, min(oldest) AS oldest, max(newest) AS newest
     FROM (
       SELECT coalesce(sum(events), 0) AS events, NULL AS oldest, NULL AS newest
       FROM kinds WHERE true${where}
       UNION ALL
       SELECT coalesce(sum(arrival > (SELECT counted_arrival FROM totals)), 0), min(arrival),
         max(arrival)
       FROM events WHERE arrival > ?${where})`,
    [...values, covered, ...values],
  );
  const both = [...ends, counts.oldest, counts.newest].filter((arrival) => arrival !== undefined);
  if (both.length === 0) return counts;
  return { ...counts, oldest: Math.min(...both), newest: Math.max(...both) };
}

/** The oldest and the newest event of the windows that meet the filter. */
function endsInWindows(
  database: Database,
  { deviceId, eventSchema, workflowId }: CountFilter,
  where: string,
  values: readonly string[],
): Arrival[] {
  const conditions = conditionsOf(database, {
    ...(deviceId !== undefined && { deviceIds: [deviceId] }),
    ...(eventSchema !== undefined && { eventSchemas: [eventSchema] }),
    ...(workflowId !== undefined && { workflowIds: [workflowId] }),
  });
  const matching: Run = { sql: `FROM events WHERE true${where}`, parameters: values };
  const windows = windowsWithin(database, { since: allTime.from, until: allTime.until });
  const first = (order: Order) => {
    for (const { until } of order === 'newest_first' ? windows.toReversed() : windows) {
      const arrivals = arrivalsInWindow(database, until, conditions, { bounds: allTime, order });
      const [found] = eventsAmong(database, arrivals ?? [], matching);
      if (found !== undefined) return [found];
    }
    return [];
  };
  return [...first('oldest_first'), ...first('newest_first')];
}

const allTime: Bounds = { from: 0, until: Number.MAX_SAFE_INTEGER };

/** The same in `terms`: from both sides, bucket by bucket until there is one. */
function endsInTerms(database: Database, where: string, values: readonly string[]): Arrival[] {
  const part = partWithin(database, allTime);
  if (part === undefined) return [];
  const buckets = bucketsBetween(reservedKeys.kind, part.firstNumber, part.lastNumber);
  const end = (which: 'min' | 'max') => {
    // Each kind is one run of a bucket: the plus keeps the type of the id from hiding that.
    const run = (table: string) =>
      `${table}.key = ${reservedKeys.kind} AND ${table}.bucket = ? AND ${table}.value = +kinds.id`;
    const sql = `SELECT terms.arrival AS arrival, terms.arrivals AS arrivals
      FROM kinds CROSS JOIN terms ON ${run('terms')} AND terms.arrival =
        (SELECT ${which}(arrival) FROM terms AS own WHERE ${run('own')}) WHERE true${where}`;
    for (const bucket of which === 'max' ? buckets.toReversed() : buckets) {
      const found = database.all(sql, [bucket, bucket, ...values], (row) =>
        arrivalsOfRow(row.integer('arrival'), row.optionalText('arrivals')),
      );
      const arrival = firstThere(database, found.flat(), which);
      if (arrival !== undefined) return [arrival];
    }
    return [];
  };
  return [...end('min'), ...end('max')];
}

const allEvents: Run = { sql: 'FROM events WHERE true', parameters: [] };

/** The oldest or the newest of these events that is not gone; what goes is old, most often. */
function firstThere(
  database: Database,
  arrivals: readonly Arrival[],
  which: 'min' | 'max',
): Arrival | undefined {
  const oldest = 'SELECT min(arrival) AS arrival FROM events';
  const from = database.get(oldest, [], (row) => row.optionalInteger('arrival')) ?? 0;
  const sorted = arrivals.filter((arrival) => arrival >= from).sort((a, b) => a - b);
  if (which === 'max') sorted.reverse();
  for (let start = 0; start < sorted.length; start += limits.eventsPageMax) {
    const some = sorted.slice(start, start + limits.eventsPageMax);
    const [found] = eventsAmong(database, some, allEvents);
    if (found !== undefined) return found;
  }
  return undefined;
}

function readCounts(database: Database, sql: string, parameters: readonly SqlValue[]): EventCounts {
  const counts = database.get(sql, parameters, (row) => ({
    total: row.integer('total'),
    filtered: row.integer('filtered'),
    oldest: row.optionalInteger('oldest'),
    newest: row.optionalInteger('newest'),
  }));
  return counts ?? { total: 0, filtered: 0, oldest: undefined, newest: undefined };
}

/** One statement, so that all figures are of one moment; `filesBytes`: those of file and log. */
export function readUsage(database: Database, filesBytes: number): Usage {
  const usage = database.get(
    `SELECT totals.*,
       (SELECT min(arrival) FROM (
         SELECT min(arrival) AS arrival FROM events WHERE held = 0 AND upload = 'draft'
         UNION ALL
         SELECT min(arrival) FROM events WHERE held = 1 AND upload = 'draft')) AS oldest_draft,
       (SELECT min(arrival) FROM (
         SELECT min(arrival) AS arrival FROM events WHERE held = 0 AND upload = 'waiting'
         UNION ALL
         SELECT min(arrival) FROM events WHERE held = 1 AND upload = 'waiting')) AS oldest_waiting,
       (SELECT json_group_object(reason, events) FROM removals) AS removed,
       (SELECT max(last_at) FROM removals) AS last_removed_at,
       (SELECT page_count FROM pragma_page_count) AS pages,
       (SELECT freelist_count FROM pragma_freelist_count) AS free_pages,
       (SELECT page_size FROM pragma_page_size) AS page_bytes
     FROM totals`,
    [],
    (row) => usageOf(row, filesBytes),
  );
  if (usage === undefined) throw noTotals();
  return { ...usage, removable: removableWithin(database) };
}

/** Each look is taken once. */
function removableWithin(database: Database): Usage['removable'] {
  const known = new Map<boolean, Removed>();
  return (sparesUnsent) => {
    const removable = known.get(sparesUnsent) ?? readRemovable(database, sparesUnsent);
    known.set(sparesUnsent, removable);
    return removable;
  };
}

/** All but what a cleanup leaves: of waiting events there may be very many, so they have totals. */
function readRemovable(database: Database, sparesUnsent: boolean): Removed {
  const run = 'SELECT disk_bytes FROM events INDEXED BY events_state WHERE';
  const left = sparesUnsent
    ? `${run} upload = 'draft' AND held IN (0, 1)
       UNION ALL ${run} upload IN ('uploaded', 'refused') AND held = 1`
    : `${run} held = 1`;
  const removable = database.get(
    `SELECT draft + uploaded + refused + iif(?, 0, waiting) - left_events AS events,
       file_disk_bytes - iif(?, waiting_disk_bytes, 0) - left_bytes
         - (SELECT coalesce(sum(disk_bytes), 0) FROM leaving_files) AS disk_bytes
     FROM totals, (SELECT count(*) AS left_events, coalesce(sum(disk_bytes), 0) AS left_bytes
       FROM (${left}))`,
    [sparesUnsent, sparesUnsent],
    (row) => ({ events: row.integer('events'), diskBytes: row.integer('disk_bytes') }),
  );
  if (removable === undefined) throw noTotals();
  return removable;
}

function noTotals(): FoveaError {
  return new FoveaError('internal', 'The database has no totals.');
}

function usageOf(row: Row, filesBytes: number): Omit<Usage, 'removable'> {
  const drafts = row.integer('draft');
  const waiting = row.integer('waiting');
  const uploaded = row.integer('uploaded');
  const refused = row.integer('refused');
  const pageBytes = row.integer('page_bytes');
  // What was written is counted at once, though the log keeps it from the file for a while.
  const wholeBytes = row.integer('pages') * pageBytes;
  return {
    records: drafts + waiting + uploaded + refused,
    drafts,
    waiting,
    uploaded,
    refused,
    held: row.integer('held'),
    oldestDraft: row.optionalInteger('oldest_draft'),
    oldestWaiting: row.optionalInteger('oldest_waiting'),
    waitingDiskBytes: row.integer('waiting_disk_bytes'),
    images: row.integer('image'),
    videos: row.integer('video'),
    localOnlyFiles: row.integer('local_only'),
    fileDiskBytes: row.integer('file_disk_bytes'),
    databaseBytes: wholeBytes - row.integer('free_pages') * pageBytes,
    ledgerBytes: row.integer('ledger_bytes'),
    logBytes: Math.max(0, filesBytes - wholeBytes),
    removed: readRemoved(row.json('removed')),
    lastRemovedAt: row.optionalInteger('last_removed_at'),
  };
}

function readRemoved(counts: unknown): Partial<Record<RemovalReason, number>> {
  const removed: Partial<Record<RemovalReason, number>> = {};
  for (const [name, events] of Object.entries(Object(counts))) {
    const reason = removalReasons.find((known) => known === name);
    if (reason !== undefined && typeof events === 'number') removed[reason] = events;
  }
  return removed;
}

export function readLedger(database: Database, query: LedgerQuery): LedgerPage {
  const conditions: string[] = [];
  const parameters: SqlValue[] = [];
  const add = (condition: string, ...values: readonly SqlValue[]) => {
    conditions.push(condition);
    parameters.push(...values);
  };
  if (query.before !== undefined) add('ordinal < ?', query.before);
  if (query.eventId !== undefined) {
    const arrival: Arrival | undefined = arrivalOf(query.eventId);
    // The plus keeps SQLite from an index that fits many lines.
    add('arrival = ? AND event_id = ?', arrival, query.eventId);
    if (query.reason !== undefined) add('+reason = ?', query.reason);
  } else if (query.reason !== undefined) add('reason = ?', query.reason);
  const where = conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`;
  const lines = database.all(
    `SELECT * FROM ledger ${where} ORDER BY ordinal DESC LIMIT ?`,
    [...parameters, query.limit + 1],
    readLine,
  );
  const shown = lines.slice(0, query.limit);
  return { lines: shown, next: lines.length > query.limit ? shown.at(-1)?.ordinal : undefined };
}

function readLine(row: Row): LedgerLine {
  const name = row.text('reason');
  const reason = removalReasons.find((known) => known === name);
  if (reason === undefined) throw new FoveaError('internal', 'The ledger holds an unknown reason.');
  return {
    ordinal: row.integer('ordinal'),
    removedAt: row.integer('removed_at'),
    reason,
    eventId: row.text('event_id'),
    arrival: row.integer('arrival'),
    eventSchema: row.text('event_schema'),
    deviceId: row.optionalText('device_id'),
    upload: readUpload(row),
    files: row.integer('files'),
    diskBytes: row.integer('disk_bytes'),
  };
}
