// Vision events and their images: the store's interface.

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

/** An event as it is kept for good. */
export interface VisionEvent {
  readonly useCaseId: string;
  readonly eventId: string;
  readonly eventType: string;
  /** When it happened. */
  readonly occurred: number;
  /** The whole event as JSON; equal events have equal texts. */
  readonly content: string;
  /** What a model saw, for statistics; recorded with the event where that is new. */
  readonly inference: NewInference | undefined;
}

export interface VisionEventStore {
  /** Adds an image; gives back the one that the workspace has of these bytes already. */
  addImage(image: EventImage): Promise<EventImage>;
  findImage(workspaceId: string, id: string): Promise<EventImage | undefined>;
  /** Those of the ids under which the workspace has no image. */
  missingImages(workspaceId: string, ids: readonly string[]): Promise<readonly string[]>;
  /**
   * Adds events, all or none, and says of each whether it is new. An event that is there already
   * is passed over. Throws `conflict`, naming its place, for another one under the same id.
   */
  add(
    workspaceId: string,
    events: readonly VisionEvent[],
    now: number,
  ): Promise<readonly boolean[]>;
}
