// Removes stored files that no row refers to; hourly, once for all processes.

import type { Clock } from '../../clock.ts';
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

export const removeOrphanBlobs: BackgroundTask = async (
  { store, blobs, clock },
  _claim,
  signal,
) => {
  const isReferenced = async (hash: string) => {
    signal.throwIfAborted();
    // A version may be about to point at the file of an image that was just deleted.
    const isFreezing = await store.versions.isFreezing(clock.now() - limits.freezeMsMax);
    return isFreezing || store.refersTo(hash);
  };
  const { removed, bytesRemoved } = await blobs.sweep(isReferenced, limits.blobGraceMs);
  return { removed, bytesRemoved };
};
