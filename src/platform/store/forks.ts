// Forks of projects: the store's interface.

import type { FencedTransaction } from './fenced-transaction.ts';
import type { Project } from './projects.ts';

/** A project that may be forked, and the slug of its workspace. */
export interface ForkSource {
  readonly project: Project;
  readonly workspaceSlug: string;
}

export interface NewFork {
  readonly taskId: string;
  readonly workspaceId: string;
  readonly workspaceSlug: string;
  readonly projectId: string;
  readonly sourceId: string;
  /** The address under which the caller reached us, for the result. */
  readonly origin: string;
  readonly created: number;
}

export interface Fork {
  readonly sourceId: string;
  readonly projectId: string;
  /** Images of the source that came later are not copied. */
  readonly created: number;
  /** How many images have been copied. */
  readonly copied: number;
}

export interface ForkStore {
  /** What the workspace may fork under this slug: its own project, and the public ones. */
  sources(workspaceId: string, slug: string): Promise<readonly ForkSource[]>;
  /**
   * Adds the project, without images, and the work that copies them: both or neither. Undefined
   * when the source is not there any more.
   */
  start(fork: NewFork): Promise<Project | undefined>;
  find(taskId: string): Promise<Fork | undefined>;
  /** The images that are still to be looked at, in their order. */
  missing(taskId: string): Promise<readonly ForkImage[]>;
  /**
   * Copies these images in one transaction: with annotations, tags, metadata, splits and batches.
   * Throws `conflict` when the source or the copy has gone to the trash.
   */
  copy(taskId: string, images: readonly ForkImage[], fenced: FencedTransaction): Promise<void>;
}

export interface ForkImage {
  readonly id: string;
  readonly created: number;
}
