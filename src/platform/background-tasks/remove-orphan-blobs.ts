// Removes stored files that no row refers to; hourly, once for all processes.

import type { Clock } from '../../clock.ts';
import { FoveaError, systemErrorCode } from '../../errors.ts';
import { limits } from '../../limits.ts';
import type { TaskQueue } from '../../storage/task-queue.ts';
import type { BackgroundTask } from './background-task.ts';
import { addPurge } from './purge-trash.ts';

/** Queues purge and sweep of this hour, unless another process has done so. */
export async function addHourlyCleanup(queue: TaskQueue, clock: Clock): Promise<void> {
  await addPurge(queue, clock);
  const id = `sweep-${Math.floor(clock.now() / limits.blobGraceMs)}`;
  await queue.addOnce({ id, kind: 'sweep', payload: {} });
}

/** What cannot be removed is logged, and tried again by the next sweep. */
export const removeOrphanBlobs: BackgroundTask = async (
  { store, blobs, clock, log },
  _claim,
  signal,
) => {
  const isReferenced = async (hash: string) => {
    signal.throwIfAborted();
    // A version may be about to point at the file of an image that was just deleted.
    const isFreezing = await store.versions.isFreezing(clock.now() - limits.freezeMsMax);
    return isFreezing || store.refersTo(hash);
  };
  const swept = await blobs.sweep(isReferenced, limits.blobGraceMs);
  const { removed, bytesRemoved, problems } = swept;
  if (problems === undefined) return { removed, bytesRemoved };
  const { count: failed, first } = problems;
  const error = first instanceof FoveaError ? first.message : systemErrorCode(first);
  log.error('Files that nothing refers to could not be removed.', { failed, error: String(error) });
  return { removed, bytesRemoved, failed };
};
