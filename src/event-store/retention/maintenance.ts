// Periodic maintenance, run by the leader of a data folder: finalizes abandoned drafts, removes old
// events, evicts ahead of need, keeps the ballast file, and removes orphan files.

import { setTimeout as wait } from 'node:timers/promises';
import type { Clock } from '../../clock.ts';
import type { EventStoreSettings } from '../../event-store-config.ts';
import { limits } from '../../limits.ts';
import type { Log } from '../../log.ts';
import { SerialQueue } from '../../serial-queue.ts';
import type { FileStore } from '../../storage/file-store.ts';
import type { Arrival, EventStore } from '../store/store.ts';
import type { AdmissionControl } from './admission-control.ts';
import type { BallastFile } from './ballast-file.ts';
import type { EventRemover } from './event-remover.ts';
import {
  type ClockHistory,
  MonotonicAge,
  readClockHistory,
  writeClockHistory,
} from './monotonic-age.ts';
import type { MountCheck } from './mount-check.ts';
import { removeOrphanFiles } from './orphan-files.ts';
import { startPeriodicTask } from './periodic-task.ts';
import type { FolderPolicy } from './retention-policy.ts';
import type { UploadsInProgress } from './uploads-in-progress.ts';

export interface MaintenanceDependencies {
  readonly store: EventStore;
  readonly files: FileStore;
  readonly policy: FolderPolicy;
  readonly mountCheck: MountCheck;
  readonly settings: EventStoreSettings;
  readonly uploadsInProgress: UploadsInProgress;
  readonly admission: AdmissionControl;
  readonly remover: EventRemover;
  readonly ballast: BallastFile;
  readonly data: string;
  readonly clock: Clock;
  readonly log: Log;
  /** When this process started as the only one of its data folder; undefined: it was not alone. */
  readonly aloneSince: number | undefined;
}

/** Starts with its construction. */
export class Maintenance {
  readonly #dependencies: MaintenanceDependencies;
  readonly #stopping = new AbortController();
  readonly #tasks: readonly ReturnType<typeof startPeriodicTask>[];
  #monotonicAge: Promise<MonotonicAge> | undefined;
  /** The draft sweep and the cleanup never run at the same time. */
  readonly #queue = new SerialQueue();
  #clockProblem: string | undefined;
  #aloneSince: number | undefined;

  constructor(dependencies: MaintenanceDependencies) {
    const { settings, log } = dependencies;
    this.#dependencies = dependencies;
    this.#aloneSince = dependencies.aloneSince;
    this.#tasks = [
      startPeriodicTask(
        'The draft sweep',
        settings.draftSweepSeconds * 1000,
        () => this.#queue.run(() => this.#finalizeDrafts()),
        log,
      ),
      startPeriodicTask(
        'The cleanup',
        settings.cleanupSeconds * 1000,
        () => this.#queue.run(() => this.#cleanUp()),
        log,
      ),
      startPeriodicTask('Early eviction', limits.capacityReadMs, () => this.#keepCapacity(), log),
      startPeriodicTask('The orphan sweep', limits.orphanSweepMs, () => this.#removeOrphans(), log),
    ];
  }

  get problems(): readonly string[] {
    const failures = this.#tasks.map(({ failure }) => failure);
    return [this.#clockProblem, ...failures].filter((problem) => problem !== undefined);
  }

  /** Runs the draft sweep and the cleanup once, after running ones have ended. */
  async clean(): Promise<void> {
    await this.#queue.run(() => this.#finalizeDrafts());
    await this.#queue.run(() => this.#cleanUp());
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#dependencies.ballast.stop();
    await Promise.all(this.#tasks.map((task) => task.stop()));
    await this.#queue.run(async () => {});
  }

  /** Opened once, and again after a failure. */
  #openAge(): Promise<MonotonicAge> {
    this.#monotonicAge ??= this.#readAge().catch((thrown: unknown) => {
      this.#monotonicAge = undefined;
      throw thrown;
    });
    return this.#monotonicAge;
  }

  async #readAge(): Promise<MonotonicAge> {
    const { data, clock } = this.#dependencies;
    return new MonotonicAge(
      clock,
      (await readClockHistory(data)) ?? (await this.#historyOfEvents()),
    );
  }

  /** Without a history file: the store ran when its newest event arrived, future ones ignored. */
  async #historyOfEvents(): Promise<ClockHistory | undefined> {
    const { store, clock } = this.#dependencies;
    const until = Math.floor(clock.now() * 1000);
    const { events } = await store.list({ until, order: 'newest_first', limit: 1 });
    const [newest] = events;
    return newest && { seenAt: newest.arrival / 1000, jumps: [] };
  }

  /** The arrival before which events are at least so old. Logs a clock jump once. */
  async #arrivalBefore(ageMs: number): Promise<Arrival> {
    const monotonicAge = await this.#openAge();
    const seconds = Math.round(monotonicAge.readClocks() / 1000);
    if (seconds > 0) {
      this.#dependencies.log.warn('The clock jumped ahead.', { seconds });
      await this.#saveHistory(monotonicAge);
    }
    return Math.floor(monotonicAge.olderThan(ageMs) * 1000);
  }

  async #finalizeDrafts(): Promise<void> {
    const { store, policy, uploadsInProgress, log } = this.#dependencies;
    await policy.read();
    const before = await this.#arrivalBefore(policy.current.draftAutoFinalizeSeconds * 1000);
    for (;;) {
      const { eventIds } = uploadsInProgress;
      const finalized = await store.finalizeDrafts(before, eventIds, limits.changedAtOnceMax);
      if (finalized > 0) log.info('Drafts were finalized.', { drafts: finalized });
      if (finalized < limits.changedAtOnceMax || !(await this.#pauseUnlessStopped())) return;
    }
  }

  async #cleanUp(): Promise<void> {
    const { remover, mountCheck } = this.#dependencies;
    if ((await mountCheck.check()) !== undefined) return;
    await remover.unlinkRemoved();
    await this.#removeOld();
    await this.#evictAhead();
    await remover.shrink('gentle');
  }

  async #removeOld(): Promise<void> {
    const { remover, policy, log } = this.#dependencies;
    await policy.read();
    const retentionMs = policy.current.retentionDays * 24 * 60 * 60 * 1000;
    const { events } = await remover.removeOld(await this.#arrivalBefore(retentionMs));
    if (events > 0) log.info('Events were removed for their age.', { events });
    const monotonicAge = await this.#openAge();
    this.#reportJumps(monotonicAge.jumpedWithin(retentionMs));
    monotonicAge.forget(retentionMs);
    await this.#saveHistory(monotonicAge);
  }

  /** Failures are ignored: on a full disk, the newest event still tells when the store ran. */
  async #saveHistory(monotonicAge: MonotonicAge): Promise<void> {
    await writeClockHistory(this.#dependencies.data, monotonicAge.history).catch(() => {});
  }

  /** Evicts before a write has to wait for it. */
  async #evictAhead(): Promise<void> {
    let hasMore = true;
    while (hasMore)
      hasMore =
        (await this.#dependencies.admission.evictAhead()) && (await this.#pauseUnlessStopped());
  }

  async #keepCapacity(): Promise<void> {
    const { files, ballast, policy, log } = this.#dependencies;
    await this.#evictAhead();
    if ((await ballast.isComplete()) || this.#stopping.signal.aborted) return;
    if ((await files.freeBytes()) < 2 * policy.current.reserveBytes) return;
    await ballast.create();
    log.info('The ballast file was created.', { bytes: await ballast.heldBytes() });
  }

  async #removeOrphans(): Promise<void> {
    const { store, files, mountCheck, clock, log } = this.#dependencies;
    if ((await mountCheck.check()) !== undefined) return;
    const aloneSince = this.#aloneSince;
    this.#aloneSince = undefined;
    const before = aloneSince ?? clock.now() - limits.orphanAgeMsMin;
    const { signal } = this.#stopping;
    const rule = { before, isShared: aloneSince === undefined };
    const removed = await removeOrphanFiles({ store, files, clock, signal }, rule);
    if (removed > 0) log.warn('Files without a row were removed.', { files: removed });
  }

  #reportJumps(jumpedMs: number): void {
    const days = jumpedMs / (24 * 60 * 60 * 1000);
    const problem =
      days < 1
        ? undefined
        : `The clock skipped ${days.toFixed(1)} days: removal by age is suspended for as long.`;
    if (problem !== undefined && this.#clockProblem === undefined)
      this.#dependencies.log.warn(problem);
    this.#clockProblem = problem;
  }

  /** False: the maintenance was stopped. */
  async #pauseUnlessStopped(): Promise<boolean> {
    await wait(limits.cleanupPauseMs);
    return !this.#stopping.signal.aborted;
  }
}
