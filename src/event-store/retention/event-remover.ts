// Removes events and their files in small batches; each removal is recorded in the ledger.

import { setTimeout as wait } from 'node:timers/promises';
import { limits } from '../../limits.ts';
import type { FileStore } from '../../storage/file-store.ts';
import type { Arrival, EventStore, RemovalReason, RemovalRule, Removed } from '../store/store.ts';
import { ledgerBytesMax } from './capacity.ts';
import type { MountCheck } from './mount-check.ts';
import { PendingUnlinks } from './pending-unlinks.ts';
import type { FolderPolicy } from './retention-policy.ts';

/** Removal stops at whichever comes first. */
export interface RemovalGoal {
  readonly events: number;
  readonly bytes: number;
}

export interface EventRemoverDependencies {
  readonly store: EventStore;
  readonly files: FileStore;
  readonly policy: FolderPolicy;
  readonly mountCheck: MountCheck;
}

/** Removes nothing while the mount check reports a problem. */
export class EventRemover {
  readonly #dependencies: EventRemoverDependencies;
  readonly #unlinks: PendingUnlinks;
  #isStopped = false;

  constructor(dependencies: EventRemoverDependencies) {
    this.#dependencies = dependencies;
    this.#unlinks = new PendingUnlinks(dependencies.store, dependencies.files);
  }

  /** Removes all events that arrived before, with pauses. */
  async removeOld(before: Arrival): Promise<Removed> {
    const done = { events: 0, diskBytes: 0 };
    if (await this.#hasMountProblem()) return done;
    while (!this.#isStopped) {
      const removed = await this.#removeBatch({ reason: 'age', before }, limits.changedAtOnceMax);
      if (removed.events === 0) break;
      done.events += removed.events;
      done.diskBytes += removed.diskBytes;
      await wait(limits.cleanupPauseMs);
    }
    return done;
  }

  /**
   * Removes the oldest events until the goal is reached, nothing more may be removed, or no batch
   * is left. `rowBytes`: average bytes of an event in the database.
   */
  async removeOldest(
    reason: RemovalReason,
    goal: RemovalGoal,
    rowBytes: number,
    left: { batches: number },
  ): Promise<Removed> {
    const done = { events: 0, diskBytes: 0 };
    if (await this.#hasMountProblem()) return done;
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
    const areAny = await this.#unlinks.areAny();
    if (areAny && !(await this.#hasMountProblem())) await this.#unlinks.unlink();
  }

  /** What is wrong; undefined: nothing. */
  get problem(): string | undefined {
    return this.#unlinks.problem;
  }

  /** Returns the pages of removed rows to the disk: `gentle` with pauses, `urgent` at once. */
  async shrink(pace: 'gentle' | 'urgent'): Promise<void> {
    const stepsMax = pace === 'gentle' ? Infinity : limits.urgentBatchesMax;
    for (let step = 0; step < stepsMax && !this.#isStopped; step += 1) {
      if (!(await this.#dependencies.store.shrink())) return;
      if (pace === 'gentle') await wait(limits.cleanupPauseMs);
    }
  }

  get isStopped(): boolean {
    return this.#isStopped;
  }

  /** Running removals end after their batch. */
  stop(): void {
    this.#isStopped = true;
    this.#unlinks.stop();
  }

  async #removeBatch(
    rule: Pick<RemovalRule, 'reason' | 'before' | 'diskBytes'>,
    limit: number,
  ): Promise<Removed> {
    const { store, policy } = this.#dependencies;
    const { current } = policy;
    if (this.#unlinks.areManyStuck) return { events: 0, diskBytes: 0 };
    const batchMax = Math.min(limit, limits.changedAtOnceMax);
    const removed = await store.remove({
      ...rule,
      sparesUnsent: current.sparesUnsent,
      ledgerBytesMax: ledgerBytesMax(current),
      limit: batchMax,
    });
    await this.#unlinks.unlink();
    return removed;
  }

  async #hasMountProblem(): Promise<boolean> {
    return (await this.#dependencies.mountCheck.check()) !== undefined;
  }
}
