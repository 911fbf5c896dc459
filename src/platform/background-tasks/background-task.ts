// The type of a background task, and what it depends on.

import type { Clock } from '../../clock.ts';
import type { Environment } from '../../config.ts';
import type { Renderers } from '../../dataset-versions/render-threads.ts';
import type { Log } from '../../log.ts';
import type { Models } from '../../model-inference/detection-models.ts';
import type { Embedder } from '../../model-inference/embedder.ts';
import type { ObjectImports } from '../../object-storage-settings.ts';
import type { BlobStore } from '../../storage/blob-store.ts';
import type { SplitTask } from '../../storage/task-parts.ts';
import type { Claim } from '../../storage/task-queue.ts';
import type { TrainerCommand } from '../../trainers/trainer-protocol.ts';
import type { CollectForLearning } from '../active-learning/collect-images.ts';
import type { Descriptors } from '../images/descriptors.ts';
import type { Uploads } from '../signed-links/upload-links.ts';
import type { Store } from '../store/store.ts';
import type { TemporaryFiles } from './temporary-files.ts';

export interface TaskDependencies {
  readonly store: Store;
  readonly blobs: BlobStore;
  readonly temporaryFiles: TemporaryFiles;
  readonly descriptors: Descriptors;
  readonly renderers: Renderers;
  readonly uploads: Uploads;
  readonly models: Models;
  /** Undefined: FOVEA_EMBEDDER names none. */
  readonly embedder: Embedder | undefined;
  /** Undefined: no trainer is configured. */
  readonly trainer: TrainerCommand | undefined;
  /** Vision events are kept for so many days; undefined: for good. */
  readonly visionEventDays: number | undefined;
  /** What imports may read of an object store. */
  readonly objectImports: ObjectImports;
  /** For programs that we start. */
  readonly environment: Environment;
  readonly collect: CollectForLearning;
  readonly clock: Clock;
  readonly log: Log;
  /**
   * Downloads a video into a new file; refuses private addresses. Calls `wrote` before each piece
   * is written, which may throw.
   */
  fetchVideo(
    url: string,
    path: string,
    signal: AbortSignal,
    wrote: (bytes: number) => Promise<void>,
  ): Promise<void>;
}

/** Runs one task; may be called again for the same task after a crash, or after its parts. */
export type BackgroundTask = (
  dependencies: TaskDependencies,
  claim: Claim,
  signal: AbortSignal,
) => Promise<Readonly<Record<string, unknown>> | SplitTask>;

/** A text member of the payload of the task. */
export function payloadText(claim: Claim, name: string): string {
  const value = optionalPayloadText(claim, name);
  if (value === undefined) throw new Error(`task ${claim.id} has no ${name}`);
  return value;
}

/** The same of a member that tasks of an earlier Fovea do not have. */
export function optionalPayloadText({ payload }: Claim, name: string): string | undefined {
  const value =
    typeof payload === 'object' && payload !== null
      ? new Map(Object.entries(payload)).get(name)
      : undefined;
  return typeof value === 'string' ? value : undefined;
}
