// What the writing thread is told, and what it answers.

import type {
  Arrival,
  Created,
  Finalized,
  NewEvent,
  NewFile,
  RemovalRule,
  Removed,
} from './store.ts';

export type Command =
  | { readonly kind: 'create'; readonly event: EventRow }
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

/** `count`: how many things were changed, where that is the answer. */
export type Outcome =
  | { readonly kind: 'created'; readonly created: Created }
  | { readonly kind: 'finalized'; readonly finalized: Finalized }
  | { readonly kind: 'removed'; readonly removed: Removed }
  | {
      readonly kind: 'retried';
      readonly count: number;
      /** Where to go on; undefined: there are no more. */
      readonly last: Arrival | undefined;
    }
  | { readonly kind: 'changed'; readonly count: number };

/** An event made ready for its row by the thread that took it in. */
export interface EventRow {
  readonly draft: boolean;
  readonly deviceId: string | undefined;
  readonly eventSchema: string;
  readonly workflowId: string | undefined;
  readonly externalId: string | undefined;
  readonly relatedEventId: string | undefined;
  /** JSON. */
  readonly customMetadata: string | undefined;
  /** JSON of all that no query looks for; see StoredBody. */
  readonly body: string;
  readonly files: readonly NewFile[];
}

/** The members of `body`. */
export type StoredBody = Pick<
  NewEvent,
  | 'solution'
  | 'workflowVersion'
  | 'streamId'
  | 'imageId'
  | 'inferenceTimestamp'
  | 'eventData'
  | 'displayImagePosition'
  | 'images'
>;

export function eventRow(event: NewEvent): EventRow {
  const { draft, deviceId, eventSchema, workflowId, externalId, relatedEventId, files } = event;
  const { solution, workflowVersion, streamId, imageId, inferenceTimestamp, eventData } = event;
  const { displayImagePosition, images, customMetadata } = event;
  const body: StoredBody = {
    ...{ solution, workflowVersion, streamId, imageId, inferenceTimestamp, eventData },
    ...{ displayImagePosition, images },
  };
  return {
    ...{ draft, deviceId, eventSchema, workflowId, externalId, relatedEventId, files },
    customMetadata: customMetadata && JSON.stringify(customMetadata),
    body: JSON.stringify(body),
  };
}
