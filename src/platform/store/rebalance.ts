// Rebalances, the splits of images and moving many of them: the store's interface.

import type { SplitName } from '../../contract/fields.ts';
import type { FencedTransaction } from './fenced-transaction.ts';
import type { SplitCounts } from './projects.ts';

export interface SplitMove {
  readonly imageId: string;
  readonly to: SplitName;
}

/** An image that a rebalance may move. */
export interface EligibleImage {
  readonly id: string;
  readonly split: SplitName;
  readonly batchId: string;
  /** By which comparisons know it. */
  readonly ordinal: number;
}

export interface NewRebalance {
  readonly taskId: string;
  readonly workspaceId: string;
  readonly projectId: string;
  /** As it was asked for, as JSON. */
  readonly settings: string;
}

export interface Rebalance {
  /** As the eligible images were when it began. */
  readonly before: SplitCounts;
  /** How many images its attempts have moved until now. */
  readonly moved: number;
}

/**
 * `classes` everywhere: only images that have labels, and these alone; undefined: all images of the
 * project.
 */
export interface SplitStore {
  /** Starts the work of a rebalance. */
  start(rebalance: NewRebalance): Promise<void>;
  /** Where the images of a project are stored, in that order: moves in it write each page once. */
  ordinals(projectId: string): Promise<readonly number[]>;
  /** Those of these that may be moved, in the same order. */
  eligible(
    projectId: string,
    ordinals: readonly number[],
    classes: readonly string[] | undefined,
  ): Promise<readonly EligibleImage[]>;
  counts(projectId: string, classes: readonly string[] | undefined): Promise<SplitCounts>;
  /** Image to the completed annotation job that it belongs to; of several, the first made. */
  completedJobs(projectId: string): Promise<ReadonlyMap<string, string>>;
  /** Remembers how it was at the start; another attempt gets what the first one remembered. */
  begin(taskId: string, before: SplitCounts, fenced: FencedTransaction): Promise<Rebalance>;
  /**
   * Moves these in one transaction, all or none: `missing` are those that are not in the project.
   * Throws `conflict` for a project in the trash.
   */
  assign(
    projectId: string,
    moves: readonly SplitMove[],
    now: number,
  ): Promise<{ readonly moved: number; readonly missing: readonly string[] }>;
  /**
   * Moves images, in the search index too, in one transaction. Those that are gone, or there
   * already, are passed over. How many moved. Throws `conflict` for a project in the trash.
   */
  move(
    taskId: string,
    projectId: string,
    moves: readonly SplitMove[],
    fenced: FencedTransaction,
    now: number,
  ): Promise<number>;
}
