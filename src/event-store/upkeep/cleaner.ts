// Removes events and their files in small batches, each with its reason in the ledger.

import { setTimeout as wait } from 'node:timers/promises';
import { limits } from '../../limits.ts';
import type { FileStore } from '../../storage/file-store.ts';
import type { Arrival, EventStore, RemovalReason, RemovalRule, Removed } from '../store/store.ts';
import type { Doubt } from './plausibility.ts';
import type { FolderPolicy } from './policy.ts';
import { removeEach } from './unlink.ts';

/** When to stop: at whichever comes first. */
export interface Goal {
  readonly events: number;
  readonly bytes: number;
}

export interface CleanerParts {
  readonly store: EventStore;
  readonly files: FileStore;
  readonly policy: FolderPolicy;
  readonly doubt: Doubt;
}

/** In doubt it removes nothing. */
export class Cleaner {
  readonly #parts: CleanerParts;
  /** Files that cannot be unlinked now. */
  readonly #stuck = new Set<string>();
  #retry: NodeJS.Timeout | undefined;
  #problem: string | undefined;
  #isStopped = false;

  constructor(parts: CleanerParts) {
    this.#parts = parts;
  }

  /** Removes all that arrived before, with pauses. */
  async removeOld(before: Arrival): Promise<Removed> {
    const done = { events: 0, diskBytes: 0 };
    if (await this.#isInDoubt()) return done;
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
   * is left. `rowBytes`: what an event takes in the database, on average.
   */
  async removeOldest(
    reason: RemovalReason,
    goal: Goal,
    rowBytes: number,
    left: { batches: number },
  ): Promise<Removed> {
    const done = { events: 0, diskBytes: 0 };
    if (await this.#isInDoubt()) return done;
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

  /**
   * Unlinks the files of removed events, also those that a dead process left. What cannot be
   * unlinked stays listed, and is tried again after a while; where it is many, as soon as one of
   * them goes.
   */
  async unlinkRemoved(): Promise<void> {
    const ids = await this.#parts.store.filesToUnlink(1);
    if (ids.length > 0 && !(await this.#isInDoubt())) await this.#unlink();
    else if (ids.length === 0) this.#problem = undefined;
  }

  /** What is wrong, if anything, in our own words. */
  get problem(): string | undefined {
    return this.#problem;
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
    if (this.#areManyStuck) return { events: 0, diskBytes: 0 };
    const most = Math.min(limit, limits.changedAtOnceMax);
    const removed = await store.remove({ ...rule, sparesUnsent, limit: most });
    await this.#unlink();
    return removed;
  }

  /** It is the disk then: removing events would gain nothing. */
  get #areManyStuck(): boolean {
    return this.#stuck.size >= limits.stuckFilesMax;
  }

  async #isInDoubt(): Promise<boolean> {
    return (await this.#parts.doubt.look()) !== undefined;
  }

  async #unlink(): Promise<void> {
    const { store, files } = this.#parts;
    if (this.#areManyStuck) await this.#tryOneAgain();
    while (!this.#isStopped && !this.#areManyStuck) {
      const most = limits.unlinkBatchMax + this.#stuck.size;
      const listed = await store.filesToUnlink(most);
      const ids = listed.filter((id) => !this.#stuck.has(id));
      if (ids.length === 0) break;
      const failed = await removeEach(files, ids);
      await store.unlinked(ids.filter((id) => !failed.has(id)));
      this.#addStuck(failed);
      if (listed.length < most) break;
    }
    this.#problem = this.#stuck.size === 0 ? undefined : wordsFor(this.#stuck.size);
  }

  /** One that goes says that the disk is well again, or mostly. */
  async #tryOneAgain(): Promise<void> {
    const [id] = this.#stuck;
    if (id === undefined) return;
    const failed = await removeEach(this.#parts.files, [id]);
    if (failed.size === 0) this.#forgetStuck();
    // The next time it is another one.
    else if (this.#stuck.delete(id)) this.#stuck.add(id);
  }

  #addStuck(ids: ReadonlySet<string>): void {
    if (ids.size === 0) return;
    this.#retry ??= setTimeout(() => this.#forgetStuck(), limits.stuckFilesRetryMs).unref();
    for (const id of ids) this.#stuck.add(id);
  }

  #forgetStuck(): void {
    clearTimeout(this.#retry);
    this.#retry = undefined;
    this.#stuck.clear();
  }
}

function wordsFor(files: number): string {
  return `${files} files of removed events cannot be unlinked; they still take room.`;
}
