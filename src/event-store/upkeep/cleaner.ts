// Removes events and their files in small batches, each with its reason in the ledger.

import { setTimeout as wait } from 'node:timers/promises';
import { limits } from '../../limits.ts';
import type { FileStore } from '../../storage/file-store.ts';
import type { Arrival, EventStore, RemovalReason, RemovalRule, Removed } from '../store/store.ts';
import type { FolderPolicy } from './policy.ts';

/** When to stop: at whichever comes first. */
export interface Goal {
  readonly events: number;
  readonly bytes: number;
}

export interface CleanerParts {
  readonly store: EventStore;
  readonly files: FileStore;
  readonly policy: FolderPolicy;
}

export class Cleaner {
  readonly #parts: CleanerParts;
  #isStopped = false;

  constructor(parts: CleanerParts) {
    this.#parts = parts;
  }

  /** Removes all that arrived before, with pauses. */
  async removeOld(before: Arrival): Promise<Removed> {
    const done = { events: 0, diskBytes: 0 };
    while (!this.#isStopped) {
      const removed = await this.#removeBatch({ reason: 'age', before }, limits.removedAtOnceMax);
      if (removed.events === 0) break;
      done.events += removed.events;
      done.diskBytes += removed.diskBytes;
      await wait(limits.cleanupPauseMs);
    }
    return done;
  }

  /**
   * Removes the oldest events until the goal is reached, nothing more may be removed, or no batch
   * is left. `rowBytes`: what an event takes in the database, on average.
   */
  async removeOldest(
    reason: RemovalReason,
    goal: Goal,
    rowBytes: number,
    left: { batches: number },
  ): Promise<Removed> {
    const done = { events: 0, diskBytes: 0 };
    while (!this.#isStopped && left.batches > 0) {
      const events = goal.events - done.events;
      const bytes = goal.bytes - done.diskBytes;
      if (events <= 0 || bytes <= 0) break;
      const rows = rowBytes > 0 ? Math.ceil(bytes / rowBytes) : events;
      const rule = {
        reason,
        before: undefined,
        ...(Number.isFinite(bytes) && { diskBytes: bytes }),
      };
      const removed = await this.#removeBatch(rule, Math.min(events, rows));
      if (removed.events === 0) break;
      left.batches -= 1;
      done.events += removed.events;
      done.diskBytes += removed.diskBytes + removed.events * rowBytes;
    }
    return done;
  }

  /** Unlinks the files of removed events, also those that a dead process left. */
  async unlinkRemoved(): Promise<void> {
    const { store, files } = this.#parts;
    for (;;) {
      const ids = await store.filesToUnlink(limits.unlinkBatchMax);
      if (ids.length === 0) return;
      await files.remove(ids);
      await store.unlinked(ids);
      if (ids.length < limits.unlinkBatchMax || this.#isStopped) return;
    }
  }

  /** Gives the room of removed rows back to the disk; at once, or with pauses. */
  async shrink(pace: 'gentle' | 'urgent'): Promise<void> {
    const stepsMax = pace === 'gentle' ? Infinity : limits.urgentBatchesMax;
    for (let step = 0; step < stepsMax && !this.#isStopped; step += 1) {
      if (!(await this.#parts.store.shrink())) return;
      if (pace === 'gentle') await wait(limits.cleanupPauseMs);
    }
  }

  get isStopped(): boolean {
    return this.#isStopped;
  }

  /** Running work ends after its batch. */
  stop(): void {
    this.#isStopped = true;
  }

  async #removeBatch(
    rule: Pick<RemovalRule, 'reason' | 'before' | 'diskBytes'>,
    limit: number,
  ): Promise<Removed> {
    const { store, policy } = this.#parts;
    const { sparesUnsent } = policy.now;
    const most = Math.min(limit, limits.removedAtOnceMax);
    const removed = await store.remove({ ...rule, sparesUnsent, limit: most });
    await this.unlinkRemoved();
    return removed;
  }
}
