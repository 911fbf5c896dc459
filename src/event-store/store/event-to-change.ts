// An event that a write is about to change, and its way through the upload states.

import { notFound } from '../../errors.ts';
import type { Row } from '../../storage/database.ts';
import { arrivalOf } from '../ids.ts';
import type { Arrival, UploadState } from './store.ts';
import { readUpload } from './stored-event.ts';
import type { Writing } from './write-transaction.ts';

/** What a change needs to know of an event. */
export interface EventToChange {
  readonly id: string;
  readonly arrival: Arrival;
  readonly upload: UploadState;
  readonly isHeld: boolean;
  readonly diskBytes: number;
  readonly files: number;
}

/** Throws `not_found`. */
export function eventToChange(writing: Writing, eventId: string): EventToChange {
  const found = optionalEventToChange(writing, eventId);
  if (found === undefined) throw notFound('event', eventId);
  return found;
}

export function optionalEventToChange(
  writing: Writing,
  eventId: string,
): EventToChange | undefined {
  const arrival = arrivalOf(eventId);
  const found = arrival === undefined ? undefined : eventToChangeAt(writing, arrival);
  return found?.id === eventId ? found : undefined;
}

function eventToChangeAt({ database }: Writing, arrival: Arrival): EventToChange | undefined {
  const columns = 'id, arrival, upload, held, disk_bytes, original_files';
  return database.get(
    `SELECT ${columns} FROM events WHERE arrival = ?`,
    [arrival],
    readEventToChange,
  );
}

export function eventsToChange(writing: Writing, arrivals: readonly Arrival[]): EventToChange[] {
  return arrivals.flatMap((arrival) => eventToChangeAt(writing, arrival) ?? []);
}

function readEventToChange(row: Row): EventToChange {
  return {
    id: row.text('id'),
    arrival: row.integer('arrival'),
    upload: readUpload(row),
    isHeld: row.boolean('held'),
    diskBytes: row.integer('disk_bytes'),
    files: row.integer('original_files'),
  };
}

/** Changes the upload state of an event, and the totals with it. */
export function changeUploadState(
  { database, totals }: Writing,
  event: EventToChange,
  to: UploadState,
): void {
  database.run('UPDATE events SET upload = ? WHERE arrival = ?', [to, event.arrival]);
  totals.leave(event.upload, event.diskBytes);
  totals.enter(to, event.diskBytes);
}
