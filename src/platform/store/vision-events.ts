// Vision events and their images: the store's interface.

import type { ComparisonOperator, Scalar } from '../../value-conditions.ts';
import type { Metadata } from './images.ts';
import type { NewInference } from './inferences.ts';

/** An image for events to refer to, by its id. */
export interface EventImage {
  readonly id: string;
  readonly workspaceId: string;
  /** SHA-256 of the bytes, hex: the name of the blob. */
  readonly hash: string;
  readonly bytes: number;
  readonly contentType: string;
  readonly name: string;
  readonly metadata: Metadata;
  readonly created: number;
}

/** An event as it is kept. */
export interface VisionEvent {
  readonly useCaseId: string;
  readonly eventId: string;
  readonly eventType: string;
  /** When it happened. */
  readonly occurred: number;
  /** The whole event as JSON; equal events have equal texts. */
  readonly content: string;
  /** Those that it refers to. */
  readonly imageIds: readonly string[];
  /** What a model saw, for statistics; recorded with the event where that is new. */
  readonly inference: NewInference | undefined;
}

/** What must hold of an event that is looked for. */
export type EventCondition =
  /** Of the member at the path: an event without it meets none. */
  | {
      readonly kind: 'member';
      readonly path: readonly string[];
      readonly operator: ComparisonOperator;
      readonly values: readonly Scalar[];
    }
  | {
      readonly kind: 'imageCount';
      readonly operator: ComparisonOperator;
      readonly count: number;
    }
  /** That a class was seen in its images with this confidence at least; or that it was not. */
  | {
      readonly kind: 'detection';
      readonly class: string;
      readonly confidence: number;
      readonly wasSeen: boolean;
    };

/** The place of an event among those of a use case. */
export interface EventPlace {
  readonly occurred: number;
  readonly eventId: string;
}

export interface EventQuery {
  readonly useCaseId: string;
  /** Undefined: of any. */
  readonly eventTypes: readonly string[] | undefined;
  /** Both included. */
  readonly from: number | undefined;
  readonly until: number | undefined;
  readonly conditions: readonly EventCondition[];
  readonly limit: number;
  /** Where the page before ended. */
  readonly after: EventPlace | undefined;
}

export interface EventPage {
  /** The newest first: each as JSON. */
  readonly contents: readonly string[];
  /** Where it ends; undefined: there is nothing behind it. */
  readonly next: EventPlace | undefined;
}

/** The custom metadata of the newest events of a use case. */
export interface MetadataFields {
  /** By name, each with the types that its values have. */
  readonly fields: readonly (readonly [name: string, types: readonly string[]])[];
  readonly eventsRead: number;
  /** False: other events may have more. */
  readonly isWhole: boolean;
}

export interface VisionEventStore {
  /**
   * A page may end before it is full. Throws `invalid_input` where it would look through too many
   * events before it finds one.
   */
  query(workspaceId: string, query: EventQuery): Promise<EventPage>;
  /** One event as JSON. */
  content(workspaceId: string, useCaseId: string, eventId: string): Promise<string | undefined>;
  metadataFields(workspaceId: string, useCaseId: string): Promise<MetadataFields>;
  /** Adds an image; gives back the one that the workspace has of these bytes already. */
  addImage(image: EventImage): Promise<EventImage>;
  findImage(workspaceId: string, id: string): Promise<EventImage | undefined>;
  /** Those of the ids under which the workspace has no image. */
  missingImages(workspaceId: string, ids: readonly string[]): Promise<readonly string[]>;
  /**
   * Lets in a request of a caller with a body of so many bytes; to be called back once it is
   * answered. Throws `rate_limited`, with the wait in seconds, where too many events wait to be
   * added, of all or of this caller.
   */
  admit(caller: string, bytes: number): () => void;
  /**
   * Adds events, all or none, and says of each whether it is new. An event that is there already
   * is passed over. Throws `conflict`, naming its place, for another one under the same id, and
   * `invalid_input` for a new one of an archived use case. Throws `rate_limited` as above.
   */
  add(
    workspaceId: string,
    events: readonly VisionEvent[],
    now: number,
  ): Promise<readonly boolean[]>;
}
