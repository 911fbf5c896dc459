// The writes of the Event Store within one transaction.

import { FoveaError, notFound } from '../../errors.ts';
import { limits } from '../../limits.ts';
import type { Database } from '../../storage/database.ts';
import type { Session } from '../../storage/group-commit-worker.ts';
import { eventIdOf } from '../ids.ts';
import type { Command, Outcome } from './commands.ts';
import {
  changeUploadState,
  type EventToChange,
  eventsToChange,
  eventToChange,
} from './event-to-change.ts';
import { insertFile } from './files.ts';
import { removeOldIndex } from './old-index.ts';
import { removeEvents } from './removal.ts';
import type { Arrival, EventHead, Finalized, NewFile } from './store.ts';
import { oldestOf } from './upload-states.ts';
import {
  imageUploaded,
  retryUpload,
  retryUploads,
  uploaded,
  uploadRefused,
} from './upload-writes.ts';
import { beginWriting, finishWriting, type Writing } from './write-transaction.ts';

/** What the writing thread keeps from one transaction to the next. */
export interface Writer {
  readonly readRequest: ReadRequest;
  /** Moves the log into the file, once the transaction has ended. */
  readonly checkpointAfterwards: () => void;
}

/** What a request becomes in the store; undefined: nothing is stored of it. */
export type ReadRequest = (request: string) => ReadEvent | undefined;

export interface ReadEvent {
  readonly head: EventHead;
  /** JSON: the request itself, where it is in the spelling of the contract. */
  readonly body: string;
}

/** Begins; `now` in milliseconds since 1970. */
export function beginWrites(
  database: Database,
  now: number,
  { readRequest, checkpointAfterwards }: Writer,
): Session<Command, Outcome> {
  const writing = beginWriting(database, Math.floor(now) * 1000);
  return {
    apply: (command) => {
      if (typeof command === 'string') {
        const event = readRequest(command);
        return event === undefined ? { kind: 'declined' } : createFrom(writing, event);
      }
      if (command.kind !== 'checkpoint') return apply(writing, command);
      checkpointAfterwards();
      return changed(0);
    },
    finish: () => finishWriting(writing),
  };
}

function apply(
  writing: Writing,
  command: Exclude<Command, string | { readonly kind: 'checkpoint' }>,
): Outcome {
  switch (command.kind) {
    case 'create':
      return create(writing, command.head, command.body, command.files);
    case 'attach':
      return changed(attach(writing, command.eventId, command.file));
    case 'finalize':
      return { kind: 'finalized', finalized: finalize(writing, command.eventId) };
    case 'finalizeDrafts':
      return changed(finalizeDrafts(writing, command));
    case 'remove':
      return { kind: 'removed', removed: removeEvents(writing, command.rule) };
    case 'unlinked':
      return changed(unlinked(writing, command.fileIds));
    case 'hold':
      return changed(hold(writing, command.eventId, command.reason));
    case 'shrink':
      return changed(shrink(writing));
    case 'imageUploaded':
      return changed(imageUploaded(writing, command.fileId, command.sourceId));
    case 'uploaded':
      return changed(uploaded(writing, command.eventIds));
    case 'uploadRefused':
      return changed(uploadRefused(writing, command.eventId, command.error));
    case 'retryUpload':
      return changed(retryUpload(writing, [eventToChange(writing, command.eventId)]));
    case 'retryUploads':
      return { kind: 'retried', ...retryUploads(writing, command) };
  }
}

function changed(count: number): Outcome {
  return { kind: 'changed', count };
}

function createFrom(writing: Writing, { head, body }: ReadEvent): Outcome {
  const id = create(writing, head, body, []);
  return head.draft ? { kind: 'draft', id } : id;
}

/** The id of the new event. */
function create(
  writing: Writing,
  head: EventHead,
  body: string,
  files: readonly NewFile[],
): string {
  const { draft, deviceId, eventSchema, workflowId, externalId, relatedEventId } = head;
  const { customMetadata } = head;
  const { database, totals, kinds } = writing;
  const arrival = totals.nextArrival(writing.now);
  const number = totals.add('last_number', 1);
  const id = eventIdOf(arrival);
  const upload = draft ? 'draft' : 'waiting';
  const diskBytes = files.reduce((sum, file) => sum + file.diskBytes, 0);
  database.run(
    `INSERT INTO events (arrival, number, id, device_id, event_schema, workflow_id, external_id,
       related_event_id, upload, finalized_at, api_version, original_files,
       current_files, attachments, disk_bytes, custom_metadata, body)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'v2', ?, ?, ?, ?, ?, ?)`,
    [
      arrival,
      number,
      id,
      deviceId,
      eventSchema,
      workflowId,
      externalId,
      relatedEventId,
      upload,
      draft ? undefined : arrival,
      files.length,
      files.length,
      files.filter(({ kind }) => kind !== 'image').length,
      diskBytes,
      customMetadata && JSON.stringify(customMetadata),
      body,
    ],
  );
  for (const [position, file] of files.entries()) {
    insertFile(database, arrival, position, file);
    totals.add(file.kind, 1);
  }
  totals.enter(upload, diskBytes);
  totals.add('file_disk_bytes', diskBytes);
  kinds.add(head, 1);
  return id;
}

function attach(writing: Writing, eventId: string, file: NewFile): number {
  const { database, totals } = writing;
  const event = eventToChange(writing, eventId);
  if (event.upload !== 'draft') {
    throw new FoveaError('conflict', 'The event is finalized: files go to drafts only.');
  }
  insertFile(database, event.arrival, event.files, file);
  totals.add(file.kind, 1);
  totals.add('file_disk_bytes', file.diskBytes);
  return database.run(
    `UPDATE events SET original_files = original_files + 1, current_files = current_files + 1,
       attachments = attachments + ?, disk_bytes = disk_bytes + ? WHERE arrival = ?`,
    [file.kind !== 'image', file.diskBytes, event.arrival],
  );
}

function finalize(writing: Writing, eventId: string): Finalized {
  const event = eventToChange(writing, eventId);
  const { id, arrival } = event;
  if (event.upload === 'draft') {
    const finalizedAt = finalizeFound(writing, event, 'on request');
    return { id, alreadyFinalized: false, finalizedAt, autoFinalizedAt: undefined };
  }
  const times = writing.database.get(
    'SELECT finalized_at, auto_finalized_at FROM events WHERE arrival = ?',
    [arrival],
    (row) => ({
      finalizedAt: row.integer('finalized_at'),
      autoFinalizedAt: row.optionalInteger('auto_finalized_at'),
    }),
  );
  if (times === undefined) throw notFound('event', eventId);
  return { id, alreadyFinalized: true, ...times };
}

function finalizeFound(
  writing: Writing,
  event: EventToChange,
  how: 'on request' | 'automatically',
): Arrival {
  // Not before it arrived, even when the clock was set back.
  const now = Math.max(writing.now, event.arrival);
  writing.database.run(
    'UPDATE events SET finalized_at = ?, auto_finalized_at = ? WHERE arrival = ?',
    [now, how === 'automatically' ? now : undefined, event.arrival],
  );
  changeUploadState(writing, event, 'waiting');
  return now;
}

function finalizeDrafts(
  writing: Writing,
  { before, spared, limit }: Extract<Command, { readonly kind: 'finalizeDrafts' }>,
): number {
  const drafts = oldestOf(writing.database, {
    states: ['draft'],
    until: before - 1,
    limit: limit + spared.length,
  });
  const due = eventsToChange(writing, drafts)
    .filter(({ id }) => !spared.includes(id))
    .slice(0, limit);
  for (const draft of due) finalizeFound(writing, draft, 'automatically');
  return due.length;
}

function unlinked({ database, totals }: Writing, fileIds: readonly string[]): number {
  let count = 0;
  for (const id of fileIds) {
    const bytes = database.get(
      'DELETE FROM leaving_files WHERE id = ? RETURNING disk_bytes',
      [id],
      (row) => row.integer('disk_bytes'),
    );
    if (bytes === undefined) continue;
    totals.add('file_disk_bytes', -bytes);
    count += 1;
  }
  return count;
}

function hold(writing: Writing, eventId: string, reason: string | undefined): number {
  const event = eventToChange(writing, eventId);
  const isHeld = reason !== undefined;
  writing.totals.add('held', Number(isHeld) - Number(event.isHeld));
  return writing.database.run('UPDATE events SET hold = ? WHERE arrival = ?', [
    reason,
    event.arrival,
  ]);
}

/** How much can still be given back. */
function shrink({ database }: Writing): number {
  if (removeOldIndex(database)) return 1;
  database.all(`PRAGMA incremental_vacuum(${limits.shrinkPagesMax})`, [], () => undefined);
  return database.get('PRAGMA freelist_count', [], (row) => row.integer('freelist_count')) ?? 0;
}
