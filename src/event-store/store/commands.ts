// What the writing thread is told, and what it answers.

import type { Arrival, EventHead, Finalized, NewFile, RemovalRule, Removed } from './store.ts';

/** A text: the request of an event to create, which nobody has checked. */
export type Command =
  | string
  | {
      readonly kind: 'create';
      readonly head: EventHead;
      /** JSON of all that no query looks for; see stored-body.ts. */
      readonly body: string;
      readonly files: readonly NewFile[];
      /** About how much it writes. */
      readonly bytes: number;
    }
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
  | { readonly kind: 'checkpoint' }
  | { readonly kind: 'imageUploaded'; readonly fileId: string; readonly sourceId: string }
  | { readonly kind: 'uploaded'; readonly eventIds: readonly string[] }
  | { readonly kind: 'uploadRefused'; readonly eventId: string; readonly error: string }
  | { readonly kind: 'retryUpload'; readonly eventId: string }
  | { readonly kind: 'retryUploads'; readonly after: Arrival; readonly limit: number };

/**
 * A text: the id of an event that was created; of a draft from a request, its object. `declined`: a
 * request of which nothing was stored. `count`: how many things were changed.
 */
export type Outcome =
  | string
  | { readonly kind: 'draft'; readonly id: string }
  | { readonly kind: 'declined' }
  | { readonly kind: 'finalized'; readonly finalized: Finalized }
  | { readonly kind: 'removed'; readonly removed: Removed }
  | {
      readonly kind: 'retried';
      readonly count: number;
      /** Where to go on; undefined: there are no more. */
      readonly last: Arrival | undefined;
    }
  | { readonly kind: 'changed'; readonly count: number };

/** About how much it writes. */
export function bytesOf(command: Command): number {
  if (typeof command === 'string') return command.length;
  return command.kind === 'create' ? command.bytes : 0;
}
