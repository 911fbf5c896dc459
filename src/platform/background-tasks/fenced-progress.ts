// The progress of a task, in one commit with the rows that it counts.

import type { Claim } from '../../storage/task-queue.ts';
import type { FencedTransaction } from '../store/fenced-transaction.ts';

/** `done` of `total` once the writes are there. */
export function fencedProgress(claim: Claim, done: number, total: number): FencedTransaction {
  return (writes) =>
    claim.fenced(async () => {
      const result = await writes();
      await claim.progress(done, total);
      return result;
    });
}
