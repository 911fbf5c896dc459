// The writes of the upload to the cloud.

import { FoveaError, notFound } from '../../errors.ts';
import type { Command } from './commands.ts';
import {
  changeUploadState,
  type EventToChange,
  eventsToChange,
  eventToChange,
  optionalEventToChange,
} from './event-to-change.ts';
import type { Arrival } from './store.ts';
import { oldestOf } from './upload-states.ts';
import type { Writing } from './write-transaction.ts';

export function imageUploaded({ database }: Writing, fileId: string, sourceId: string): number {
  const sql = "UPDATE files SET source_id = ? WHERE id = ? AND kind = 'image'";
  const count = database.run(sql, [sourceId, fileId]);
  if (count === 0) throw notFound('image', fileId);
  return count;
}

export function uploaded(writing: Writing, eventIds: readonly string[]): number {
  let count = 0;
  for (const eventId of eventIds) {
    const event = optionalEventToChange(writing, eventId);
    if (event === undefined || event.upload === 'draft' || event.upload === 'uploaded') continue;
    writing.database.run(
      'UPDATE events SET uploaded_at = ?, upload_error = NULL WHERE arrival = ?',
      [writing.now, event.arrival],
    );
    changeUploadState(writing, event, 'uploaded');
    count += 1;
  }
  return count;
}

export function uploadRefused(writing: Writing, eventId: string, error: string): number {
  const event = eventToChange(writing, eventId);
  if (event.upload === 'draft' || event.upload === 'uploaded') {
    throw new FoveaError('conflict', `The event is not waiting for upload: it is ${event.upload}.`);
  }
  const sql = 'UPDATE events SET upload_error = ? WHERE arrival = ?';
  writing.database.run(sql, [error, event.arrival]);
  changeUploadState(writing, event, 'refused');
  return 1;
}

/** The oldest refused ones after that arrival: one that is refused again is not met again. */
export function retryUploads(
  writing: Writing,
  { after, limit }: Extract<Command, { readonly kind: 'retryUploads' }>,
): { readonly count: number; readonly last: Arrival | undefined } {
  const states = ['refused'] as const;
  const arrivals = oldestOf(writing.database, { states, from: after + 1, limit });
  const count = retryUpload(writing, eventsToChange(writing, arrivals));
  return { count, last: arrivals.length < limit ? undefined : arrivals.at(-1) };
}

/** Those of them that are refused; says how many. */
export function retryUpload(writing: Writing, events: readonly EventToChange[]): number {
  const { database } = writing;
  const refused = events.filter(({ upload }) => upload === 'refused');
  for (const event of refused) {
    const sql = 'UPDATE events SET upload_error = NULL WHERE arrival = ?';
    database.run(sql, [event.arrival]);
    changeUploadState(writing, event, 'waiting');
  }
  return refused.length;
}
