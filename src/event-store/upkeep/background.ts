// What one process of a data folder does for all of them, again and again.

import { setTimeout as wait } from 'node:timers/promises';
import type { Clock } from '../../clock.ts';
import type { EventStoreSettings } from '../../event-store-config.ts';
import { limits } from '../../limits.ts';
import type { Log } from '../../log.ts';
import type { FileStore } from '../../storage/file-store.ts';
import type { Arrival, EventStore } from '../store/store.ts';
import type { Cleaner } from './cleaner.ts';
import type { Gate } from './gate.ts';
import { type Life, LivedTime } from './lived-time.ts';
import { readLife, writeLife } from './lived-time-file.ts';
import type { OpenUploads } from './open-uploads.ts';
import type { Doubt } from './plausibility.ts';
import type { FolderPolicy } from './policy.ts';
import type { Reserve } from './reserve.ts';
import { sweepStrays } from './strays.ts';
import { startTimer } from './timer.ts';

export interface BackgroundParts {
  readonly store: EventStore;
  readonly files: FileStore;
  readonly policy: FolderPolicy;
  readonly doubt: Doubt;
  readonly settings: EventStoreSettings;
  readonly openUploads: OpenUploads;
  readonly gate: Gate;
  readonly cleaner: Cleaner;
  readonly reserve: Reserve;
  readonly data: string;
  readonly clock: Clock;
  readonly log: Log;
  /** When this process began alone in its data folder; undefined: it did not. */
  readonly aloneSince: number | undefined;
}

/** Starts all of it. */
export function startBackground(parts: BackgroundParts): Background {
  return new Background(parts);
}

export class Background {
  readonly #parts: BackgroundParts;
  readonly #stopping = new AbortController();
  readonly #timers: readonly ReturnType<typeof startTimer>[];
  #lived: Promise<LivedTime> | undefined;
  #turn: Promise<unknown> = Promise.resolve();
  #heldBack: string | undefined;
  #aloneSince: number | undefined;

  constructor(parts: BackgroundParts) {
    const { settings, log } = parts;
    this.#parts = parts;
    this.#aloneSince = parts.aloneSince;
    this.#timers = [
      startTimer(
        'The draft sweep',
        settings.draftSweepSeconds * 1000,
        () => this.#inTurn(() => this.#sweepDrafts()),
        log,
      ),
      startTimer(
        'The cleanup',
        settings.cleanupSeconds * 1000,
        () => this.#inTurn(() => this.#clean()),
        log,
      ),
      startTimer('Keeping room', limits.capacityReadMs, () => this.#keepRoom(), log),
      startTimer('The sweep of strays', limits.straySweepMs, () => this.#sweepStrays(), log),
    ];
  }

  get problems(): readonly string[] {
    const failures = this.#timers.map(({ failure }) => failure);
    return [this.#heldBack, ...failures].filter((it) => it !== undefined);
  }

  /** Finalizes drafts and removes what is to go, after what is running of that. */
  async clean(): Promise<void> {
    await this.#inTurn(() => this.#sweepDrafts());
    await this.#inTurn(() => this.#clean());
  }

  #inTurn(work: () => Promise<void>): Promise<void> {
    const turn = this.#turn.then(work);
    this.#turn = turn.catch(() => {});
    return turn;
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#parts.reserve.stop();
    await Promise.all(this.#timers.map((timer) => timer.stop()));
    await this.#turn;
  }

  /** Opened once; anew after a failure. */
  #livedTime(): Promise<LivedTime> {
    this.#lived ??= this.#openLivedTime().catch((thrown: unknown) => {
      this.#lived = undefined;
      throw thrown;
    });
    return this.#lived;
  }

  async #openLivedTime(): Promise<LivedTime> {
    const { data, clock } = this.#parts;
    return new LivedTime(clock, (await readLife(data)) ?? (await this.#lifeOfEvents()));
  }

  /** An event of a time to come tells nothing: the clock was ahead then. */
  async #lifeOfEvents(): Promise<Life | undefined> {
    const { store, clock } = this.#parts;
    const until = Math.floor(clock.now() * 1000);
    const { events } = await store.list({ until, order: 'newest_first', limit: 1 });
    const [newest] = events;
    return newest && { seenAt: newest.arrival / 1000, leaps: [] };
  }

  /** The arrival before which events are at least so old; says once when the clock has leapt. */
  async #arrivalBefore(ageMs: number): Promise<Arrival> {
    const lived = await this.#livedTime();
    const seconds = Math.round(lived.look() / 1000);
    if (seconds > 0) {
      this.#parts.log.warn('The clock leapt ahead of time.', { seconds });
      await this.#remember(lived);
    }
    return Math.floor(lived.olderThan(ageMs) * 1000);
  }

  async #sweepDrafts(): Promise<void> {
    const { store, policy, openUploads, log } = this.#parts;
    await policy.read();
    const before = await this.#arrivalBefore(policy.now.draftAutoFinalizeSeconds * 1000);
    for (;;) {
      const { eventIds } = openUploads;
      const finalized = await store.finalizeDrafts(before, eventIds, limits.changedAtOnceMax);
      if (finalized > 0) log.info('Drafts were finalized.', { drafts: finalized });
      if (finalized < limits.changedAtOnceMax || !(await this.#pause())) return;
    }
  }

  async #clean(): Promise<void> {
    const { cleaner, doubt } = this.#parts;
    if ((await doubt.look()) !== undefined) return;
    await cleaner.unlinkRemoved();
    await this.#removeOld();
    await this.#stayAhead();
    await cleaner.shrink('gentle');
  }

  async #removeOld(): Promise<void> {
    const { cleaner, policy, log } = this.#parts;
    await policy.read();
    const retentionMs = policy.now.retentionDays * 24 * 60 * 60 * 1000;
    const { events } = await cleaner.removeOld(await this.#arrivalBefore(retentionMs));
    if (events > 0) log.info('Events were removed for their age.', { events });
    const lived = await this.#livedTime();
    this.#setHeldBack(lived.leaptWithin(retentionMs));
    lived.forget(retentionMs);
    await this.#remember(lived);
  }

  /** On a full disk the newest event still says when the store was last alive. */
  async #remember(lived: LivedTime): Promise<void> {
    await writeLife(this.#parts.data, lived.life).catch(() => {});
  }

  /** Room is made before a create has to wait for it. */
  async #stayAhead(): Promise<void> {
    let goesOn = true;
    while (goesOn) goesOn = (await this.#parts.gate.makeRoomAhead()) && (await this.#pause());
  }

  async #keepRoom(): Promise<void> {
    const { files, reserve, policy, log } = this.#parts;
    await this.#stayAhead();
    if ((await reserve.isWhole()) || this.#stopping.signal.aborted) return;
    if ((await files.freeBytes()) < 2 * policy.now.reserveBytes) return;
    await reserve.make();
    log.info('The reserve was made.', { bytes: await reserve.heldBytes() });
  }

  async #sweepStrays(): Promise<void> {
    const { store, files, doubt, clock, log } = this.#parts;
    if ((await doubt.look()) !== undefined) return;
    const aloneSince = this.#aloneSince;
    this.#aloneSince = undefined;
    const before = aloneSince ?? clock.now() - limits.strayAgeMsMin;
    const { signal } = this.#stopping;
    const rule = { before, isShared: aloneSince === undefined };
    const removed = await sweepStrays({ store, files, clock, signal }, rule);
    if (removed > 0) log.warn('Files without a row were removed.', { files: removed });
  }

  #setHeldBack(leaptMs: number): void {
    const days = leaptMs / (24 * 60 * 60 * 1000);
    const words =
      days < 1
        ? undefined
        : `The clock is ahead by ${days.toFixed(1)} days that this store did not live through, so no event is taken for so much older.`;
    if (words !== undefined && this.#heldBack === undefined) this.#parts.log.warn(words);
    this.#heldBack = words;
  }

  /** False: it is to end. */
  async #pause(): Promise<boolean> {
    await wait(limits.cleanupPauseMs);
    return !this.#stopping.signal.aborted;
  }
}
