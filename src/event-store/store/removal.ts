// Takes events away, oldest first: their rows go, their files stay listed until they are unlinked.

import { limits } from '../../limits.ts';
import type { Database, Row } from '../../storage/database.ts';
import { readFileKind } from './files.ts';
import type { Arrival, RemovalRule, Removed, UploadState } from './store.ts';
import { readUpload } from './stored-event.ts';
import { oldestOf } from './upload-states.ts';
import type { Writing } from './write-transaction.ts';

/** Removes what the rule allows, and writes the ledger. */
export function removeEvents(writing: Writing, rule: RemovalRule): Removed {
  let events = 0;
  let diskBytes = 0;
  for (const arrival of removable(writing.database, rule)) {
    if (rule.diskBytes !== undefined && diskBytes >= rule.diskBytes) break;
    diskBytes += removeEvent(writing, rule, arrival);
    events += 1;
  }
  if (events > 0) recordRemovals(writing, rule, { events, diskBytes });
  return { events, diskBytes };
}

/** States in which a cleanup that spares unsent events may take one. */
const sent: readonly UploadState[] = ['uploaded', 'refused'];
const unsent: readonly UploadState[] = ['draft', 'waiting'];

/** The oldest events that the rule allows. */
export function removable(database: Database, rule: RemovalRule): Arrival[] {
  const { before, limit } = rule;
  const states = rule.sparesUnsent ? sent : [...sent, ...unsent];
  const bound = before === undefined ? {} : { until: before - 1 };
  return oldestOf(database, { states, held: [false], ...bound, limit });
}

interface Leaving {
  readonly id: string;
  readonly deviceId: string | undefined;
  readonly eventSchema: string;
  readonly workflowId: string | undefined;
  readonly upload: UploadState;
  readonly files: number;
  readonly diskBytes: number;
}

function readLeaving(row: Row): Leaving {
  return {
    id: row.text('id'),
    deviceId: row.optionalText('device_id'),
    eventSchema: row.text('event_schema'),
    workflowId: row.optionalText('workflow_id'),
    upload: readUpload(row),
    files: row.integer('current_files'),
    diskBytes: row.integer('disk_bytes'),
  };
}

/** Says how many bytes of files it freed. */
function removeEvent(writing: Writing, rule: RemovalRule, arrival: Arrival): number {
  const { database, totals, kinds } = writing;
  const event = database.get(
    `DELETE FROM events WHERE arrival = ? RETURNING id, device_id, event_schema, workflow_id, upload,
       current_files, disk_bytes`,
    [arrival],
    readLeaving,
  );
  if (event === undefined) return 0;
  totals.leave(event.upload, event.diskBytes);
  kinds.add(event, -1);
  if (event.files > 0) removeFiles(writing, arrival);
  const lineBytes = database.get(
    `INSERT INTO ledger (ordinal, removed_at, reason, event_id, arrival, event_schema, device_id,
       upload, files, disk_bytes)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING ${bytesOfLine} AS bytes`,
    [
      totals.add('last_line', 1),
      writing.now,
      rule.reason,
      event.id,
      arrival,
      event.eventSchema,
      event.deviceId,
      event.upload,
      event.files,
      event.diskBytes,
    ],
    (row) => row.integer('bytes'),
  );
  totals.add('ledger_bytes', lineBytes ?? 0);
  return event.diskBytes;
}

function removeFiles({ database, totals }: Writing, arrival: Arrival): void {
  const leave =
    'INSERT INTO leaving_files SELECT id, disk_bytes FROM files WHERE arrival = ? ORDER BY id';
  database.run(leave, [arrival]);
  const kinds = database.all(
    'DELETE FROM files WHERE arrival = ? RETURNING kind',
    [arrival],
    readFileKind,
  );
  for (const kind of kinds) totals.add(kind, -1);
}

/** The totals by reason, and the ledger kept to its bound. */
function recordRemovals(
  writing: Writing,
  { reason, ledgerBytesMax = limits.ledgerBytesMax }: RemovalRule,
  { events, diskBytes }: Removed,
): void {
  const { database, now } = writing;
  database.run(
    `INSERT INTO removals (reason, events, disk_bytes, last_at) VALUES (?, ?, ?, ?)
     ON CONFLICT (reason) DO UPDATE SET events = events + excluded.events,
       disk_bytes = disk_bytes + excluded.disk_bytes, last_at = max(last_at, excluded.last_at)`,
    [reason, events, diskBytes, now],
  );
  trimLedger(writing, ledgerBytesMax);
}

/** Takes the oldest lines, as many more than a removal adds that a smaller bound is reached too. */
function trimLedger({ database, totals }: Writing, bytesMax: number): void {
  if (totals.get('ledger_bytes') <= bytesMax) return;
  const lines = database.all(
    `SELECT ordinal, ${bytesOfLine} AS bytes FROM ledger ORDER BY ordinal LIMIT ?`,
    [4 * limits.changedAtOnceMax],
    (row) => ({ ordinal: row.integer('ordinal'), bytes: row.integer('bytes') }),
  );
  let last = 0;
  for (const { ordinal, bytes } of lines) {
    if (totals.get('ledger_bytes') <= bytesMax) break;
    totals.add('ledger_bytes', -bytes);
    last = ordinal;
  }
  database.run('DELETE FROM ledger WHERE ordinal <= ?', [last]);
}

/** As the step of the tables that made the sum counts it. */
const bytesOfLine = '160 + octet_length(event_schema) + coalesce(octet_length(device_id), 0)';
