// An event as it comes out of its row.

import { FoveaError } from '../../errors.ts';
import type { Row } from '../../storage/database.ts';
import { isMembers } from '../members.ts';
import type { StoredBody } from './commands.ts';
import { fileColumns, readFiles } from './files.ts';
import type { FilteredEvent } from './matching.ts';
import type { StoredEvent, UploadState } from './store.ts';

/**
 * An event by its arrival, its attached files with it: one statement, so that no cleanup comes
 * between an event and its files.
 */
export const eventAt = `SELECT events.*, iif(attachments = 0, '[]', (
    SELECT json_group_array(json_object(${fileColumns}) ORDER BY position) FROM files
    WHERE files.arrival = events.arrival AND kind <> 'image')) AS attached
  FROM events WHERE arrival = ?`;

/** What a filter looks at. */
export function readFiltered(row: Row): FilteredEvent {
  const customMetadata = row.optionalJson('custom_metadata');
  if (!(customMetadata === undefined || isMembers(customMetadata))) throw notAnEvent();
  return {
    ...{ arrival: row.integer('arrival'), draft: row.text('upload') === 'draft', customMetadata },
    ...{ deviceId: row.optionalText('device_id'), eventSchema: row.text('event_schema') },
    workflowId: row.optionalText('workflow_id'),
    externalId: row.optionalText('external_id'),
    relatedEventId: row.optionalText('related_event_id'),
  };
}

export function readEvent(row: Row): StoredEvent {
  const id = row.text('id');
  const body = row.json('body');
  if (!isBody(body)) throw notAnEvent();
  const files = readFiles(row.json('attached'), id);
  return {
    ...readFiltered(row),
    ...{ id, apiVersion: row.text('api_version') },
    ...{ solution: body.solution, workflowVersion: body.workflowVersion },
    ...{ streamId: body.streamId, imageId: body.imageId, images: body.images },
    ...{ inferenceTimestamp: body.inferenceTimestamp, eventData: body.eventData },
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

/** We wrote it: what is looked at tells our rows from those of another program. */
function isBody(value: unknown): value is StoredBody {
  if (!isMembers(value)) return false;
  const { inferenceTimestamp, eventData, images } = value;
  return typeof inferenceTimestamp === 'string' && isMembers(eventData) && Array.isArray(images);
}
