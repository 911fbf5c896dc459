// An event as it comes out of its row.

import { FoveaError } from '../../errors.ts';
import { isJsonObject } from '../../json-object.ts';
import type { Row } from '../../storage/database.ts';
import { fileColumns, readFiles } from './files.ts';
import type { FilteredEvent } from './matching.ts';
import type { StoredEvent, UploadState } from './store.ts';
import { readBody, type StoredBody } from './stored-body.ts';

/**
 * The columns of an event, its attached files with it: in one statement, so that no cleanup comes
 * between an event and its files.
 */
const eventColumns = `events.*, iif(attachments = 0, NULL, (
    SELECT json_group_array(json_object(${fileColumns}) ORDER BY position) FROM files
    WHERE files.arrival = events.arrival AND kind <> 'image')) AS attached`;

/** An event by its arrival. */
export const eventAt = `SELECT ${eventColumns} FROM events WHERE arrival = ?`;

/** Events by a JSON list of arrivals, in its order; without those that are gone. */
export const eventsAt = `SELECT ${eventColumns} FROM json_each(?) AS wanted
  CROSS JOIN events ON events.arrival = wanted.value`;

/** The columns of what a filter looks at. */
export const filteredColumns = `arrival, upload, device_id, event_schema, workflow_id, external_id,
  related_event_id, custom_metadata`;

/** What may be large in an event. */
export function charactersOf(row: Row): number {
  return row.text('body').length + (row.optionalText('custom_metadata')?.length ?? 0);
}

/** What a filter looks at. */
export function readFiltered(row: Row): FilteredEvent {
  const customMetadata = row.optionalJson('custom_metadata');
  if (!(customMetadata === undefined || isJsonObject(customMetadata))) throw notAnEvent();
  return {
    arrival: row.integer('arrival'),
    draft: row.text('upload') === 'draft',
    deviceId: row.optionalText('device_id'),
    eventSchema: row.text('event_schema'),
    workflowId: row.optionalText('workflow_id'),
    externalId: row.optionalText('external_id'),
    relatedEventId: row.optionalText('related_event_id'),
    customMetadata,
  };
}

/** What stands in the body of an event. */
export function readInside(row: Row): StoredBody {
  const body = readBody(row.json('body'));
  if (body === undefined) throw notAnEvent();
  return body;
}

/** `filtered`: what was read of the row already. */
export function readEvent(row: Row, filtered = readFiltered(row)): StoredEvent {
  const id = row.text('id');
  const body = readInside(row);
  const attached = row.optionalJson('attached');
  const files = attached === undefined ? [] : readFiles(attached, id);
  return {
    ...filtered,
    id,
    apiVersion: row.text('api_version'),
    solution: body.solution,
    workflowVersion: body.workflowVersion,
    streamId: body.streamId,
    imageId: body.imageId,
    images: body.images,
    inferenceTimestamp: body.inferenceTimestamp,
    eventData: body.eventData,
    displayImagePosition: body.displayImagePosition,
    upload: readUpload(row),
    finalizedAt: row.optionalInteger('finalized_at'),
    autoFinalizedAt: row.optionalInteger('auto_finalized_at'),
    uploadError: row.optionalText('upload_error'),
    uploadedAt: row.optionalInteger('uploaded_at'),
    hold: row.optionalText('hold'),
    videos: files.filter(({ kind }) => kind === 'video'),
    localOnlyFiles: files.filter(({ kind }) => kind === 'local_only'),
    originalFileCount: row.integer('original_files'),
    currentFileCount: row.integer('current_files'),
  };
}

function notAnEvent(): FoveaError {
  return new FoveaError('internal', 'The database holds an event that is none.');
}

const uploadStates: readonly UploadState[] = ['draft', 'waiting', 'uploaded', 'refused'];

export function readUpload(row: Row): UploadState {
  const text = row.text('upload');
  const state = uploadStates.find((name) => name === text);
  if (state !== undefined) return state;
  throw new FoveaError('internal', 'The database holds an event in an unknown state.');
}
