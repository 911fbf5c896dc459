// Active Learning settings, and the images that they collected: the store's interface.

import type { LearningSettings } from '../active-learning/collection-rules.ts';

export interface ActiveLearning extends LearningSettings {
  readonly projectId: string;
  readonly isEnabled: boolean;
}

/** At most so many rows that are no older. */
export interface CollectBound {
  readonly count: number;
  readonly withinMs: number;
}

export interface Collected {
  readonly id: string;
  readonly projectId: string;
  readonly inferenceId: string;
  /** Of the image as the model saw it. */
  readonly seenHash: string;
  readonly created: number;
}

export interface QueueRequest {
  readonly page: number;
  readonly pageSize: number;
  /** Part of the name of a batch. */
  readonly search: string | undefined;
  readonly status: 'all' | 'not_started' | 'in_progress';
  readonly sortBy: 'created' | 'images' | 'progress';
  readonly isAscending: boolean;
  /** E-mail address; null: not assigned; undefined: any. */
  readonly reviewer: string | null | undefined;
}

/** A batch of collected images that waits for review. */
export interface ReviewQueue {
  readonly batchId: string;
  readonly name: string;
  readonly images: number;
  /** Those that a person annotated, or looked at. */
  readonly annotated: number;
  readonly reviewer: string | undefined;
  readonly created: number;
  readonly samples: readonly QueueSample[];
}

export interface QueueSample {
  readonly id: string;
  readonly name: string;
  readonly hash: string;
  readonly format: string;
}

export interface ActiveLearningStore {
  /** The settings, or the defaults. */
  get(projectId: string): Promise<ActiveLearning>;
  enable(projectId: string, isEnabled: boolean, now: number): Promise<void>;
  configure(projectId: string, settings: LearningSettings, now: number): Promise<void>;
  /**
   * The live projects that collect what a model sees: it is deployed there, or has their slug as
   * its name, as vision events may say it.
   */
  enabledFor(workspaceId: string, modelName: string): Promise<readonly ActiveLearning[]>;
  /** Keeps a place for an image; false where the bounds are reached, or it has one already. */
  claim(collected: Collected, bounds: readonly CollectBound[]): Promise<boolean>;
  /** Fills the place. Undefined: gives it back. */
  settle(id: string, imageId: string | undefined): Promise<void>;
  queues(
    projectId: string,
    request: QueueRequest,
  ): Promise<{ readonly total: number; readonly queues: readonly ReviewQueue[] }>;
}
