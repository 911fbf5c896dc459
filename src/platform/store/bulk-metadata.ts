// Changes of metadata and tags of many images: the store's interface.

import type { FencedTransaction } from './fenced-transaction.ts';
import type { ImageChange } from './images.ts';

export interface ImageUpdate extends ImageChange {
  readonly imageId: string;
}

/** An image that was not changed, and why. */
export interface FailedUpdate {
  readonly imageId: string;
  readonly error: string;
}

export interface NewMetadataUpdate {
  readonly taskId: string;
  readonly workspaceId: string;
  /** Only images of these are changed; undefined: all of the workspace. */
  readonly projectIds: readonly string[] | undefined;
  /** The body of the call, as JSON. */
  readonly input: string;
}

export interface BulkMetadataStore {
  /** Starts the work. */
  start(update: NewMetadataUpdate): Promise<void>;
  /** The live projects of the workspace that these images are in. */
  projectsOf(workspaceId: string, imageIds: readonly string[]): Promise<ReadonlySet<string>>;
  /**
   * Changes the images in one transaction. Given back are those that are in no live project of the
   * workspace, where `projectIds` is given those of other projects, and those that would have too
   * many keys or tags.
   */
  apply(
    workspaceId: string,
    projectIds: ReadonlySet<string> | undefined,
    updates: readonly ImageUpdate[],
    fenced: FencedTransaction,
  ): Promise<readonly FailedUpdate[]>;
}
