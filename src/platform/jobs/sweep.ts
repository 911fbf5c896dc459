// Removes the stored files that nothing points at any more, once an hour for all processes.

import type { Clock } from '../../clock.ts';
import { limits } from '../../limits.ts';
import type { Work } from '../../storage/work.ts';
import type { Job } from './job.ts';
import { addPurge } from './purge.ts';

/** Adds the purge and the sweep of this hour, unless another process has. */
export function addSweep(work: Work, clock: Clock): void {
  addPurge(work, clock);
  const id = `sweep-${Math.floor(clock.now() / limits.blobGraceMs)}`;
  work.addOnce({ id, kind: 'sweep', payload: {} });
}

export const runSweep: Job = async ({ store, blobs }, _claim, signal) => {
  const isReferenced = (hash: string) => {
    signal.throwIfAborted();
    return store.refersTo(hash);
  };
  const { removed, bytesRemoved } = await blobs.sweep(isReferenced, limits.blobGraceMs);
  return { removed, bytesRemoved };
};
