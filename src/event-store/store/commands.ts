// What the writing thread is told, and what it answers.

import type { Arrival, Finalized, NewEvent, NewFile, RemovalRule, Removed } from './store.ts';
import { bodyText } from './stored-body.ts';

export type Command =
  | EventRow
  | { readonly kind: 'attach'; readonly eventId: string; readonly file: NewFile }
  | { readonly kind: 'finalize'; readonly eventId: string }
  | {
      readonly kind: 'finalizeDrafts';
      readonly before: Arrival;
      readonly spared: readonly string[];
      readonly limit: number;
    }
  | { readonly kind: 'remove'; readonly rule: RemovalRule }
  | { readonly kind: 'unlinked'; readonly fileIds: readonly string[] }
  | { readonly kind: 'hold'; readonly eventId: string; readonly reason: string | undefined }
  | { readonly kind: 'shrink' }
  | { readonly kind: 'imageUploaded'; readonly fileId: string; readonly sourceId: string }
  | { readonly kind: 'uploaded'; readonly eventIds: readonly string[] }
  | { readonly kind: 'uploadRefused'; readonly eventId: string; readonly error: string }
  | { readonly kind: 'retryUpload'; readonly eventId: string }
  | { readonly kind: 'retryUploads'; readonly after: Arrival; readonly limit: number };

/** A text: the id of an event that was created. `count`: how many things were changed. */
export type Outcome =
  | string
  | { readonly kind: 'finalized'; readonly finalized: Finalized }
  | { readonly kind: 'removed'; readonly removed: Removed }
  | {
      readonly kind: 'retried';
      readonly count: number;
      /** Where to go on; undefined: there are no more. */
      readonly last: Arrival | undefined;
    }
  | { readonly kind: 'changed'; readonly count: number };

/**
 * An event to create, made ready for its row by the thread that took it in. A list: the names of
 * an object would take longer from one thread to the other than what they name.
 */
export type EventRow = readonly [
  draft: boolean,
  deviceId: string | undefined,
  eventSchema: string,
  workflowId: string | undefined,
  externalId: string | undefined,
  relatedEventId: string | undefined,
  /** JSON. */
  customMetadata: string | undefined,
  /** JSON of all that no query looks for; see stored-body.ts. */
  body: string,
  files: readonly NewFile[],
];

export function isEventRow(command: Command): command is EventRow {
  return Array.isArray(command);
}

/** About how much it writes. */
export function bytesOfRow([, , , , , , customMetadata = '', body]: EventRow): number {
  return body.length + customMetadata.length;
}

export function eventRow(event: NewEvent): EventRow {
  const { draft, deviceId, eventSchema, workflowId, externalId, relatedEventId, files } = event;
  const metadata = event.customMetadata && JSON.stringify(event.customMetadata);
  return [
    draft,
    deviceId,
    eventSchema,
    workflowId,
    externalId,
    relatedEventId,
    metadata,
    bodyText(event),
    files,
  ];
}
