// Usage and the ledger: all from rows that are kept for them.

import { removalReasons } from '../../contract/event-store.ts';
import { FoveaError } from '../../errors.ts';
import type { Database, Row, SqlValue } from '../../storage/database.ts';
import { arrivalOf } from '../ids.ts';
import type {
  Arrival,
  LedgerLine,
  LedgerPage,
  LedgerQuery,
  RemovalReason,
  Removed,
  Usage,
} from './store.ts';
import { readUpload } from './stored-event.ts';

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
