// Video inference jobs and their results: the store's interface.

import type { NewTask } from '../../storage/task-queue.ts';
import type { FencedTransaction } from './fenced-transaction.ts';

/** Where the video is: an upload of ours, or an address of others. */
export type VideoInput =
  | { readonly kind: 'upload'; readonly uploadId: string }
  | { readonly kind: 'url'; readonly url: string };

/** A model as it was asked for, and under which id it runs here. */
export interface VideoModel {
  readonly modelId: string;
  readonly inferenceType: string;
  /** The least of a detection, 0 to 1. */
  readonly confidence: number;
}

export interface VideoSettings {
  /** Frames of a second of the video. */
  readonly framesPerSecond: number;
  readonly models: readonly VideoModel[];
}

export interface VideoJob {
  readonly id: string;
  readonly workspaceId: string;
  readonly input: VideoInput;
  readonly settings: VideoSettings;
  /** The result, once it is there. */
  readonly hash: string | undefined;
  /** The picture of some frames; a job of an older release has none. */
  readonly sheetHash: string | undefined;
  readonly created: number;
}

export interface VideoResultFiles {
  readonly hash: string;
  readonly bytes: number;
  readonly sheetHash: string;
}

export interface VideoJobStore {
  /** With its work, in one transaction. */
  add(job: Omit<VideoJob, 'hash' | 'sheetHash'>, task: NewTask): Promise<void>;
  find(workspaceId: string, id: string): Promise<VideoJob | undefined>;
  /**
   * Notes that a caller is told the state of a job, and returns 0; within the interval from the
   * last time, the milliseconds to wait.
   */
  look(
    id: string,
    caller: string,
    at: { readonly now: number; readonly intervalMs: number },
  ): Promise<number>;
  finish(id: string, result: VideoResultFiles, fenced: FencedTransaction): Promise<void>;
}
