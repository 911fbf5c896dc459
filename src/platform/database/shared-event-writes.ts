// Vision events of calls that wait together are written in one transaction: thousands of devices
// send few at a time, and a transaction of a server takes as long for one as for a hundred.

import { AsyncLocalStorage } from 'node:async_hooks';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { systemClock } from '../../clock.ts';
import { FoveaError } from '../../errors.ts';
import { limits } from '../../limits.ts';
import type { AsyncDatabase } from '../../storage/async-database.ts';
import type { VisionEvent } from '../store/vision-events.ts';
import { type ArrivedEvent, WriteAlone, writeEvents } from './write-vision-events.ts';

interface Waiting {
  readonly workspaceId: string;
  readonly events: readonly ArrivedEvent[];
  readonly characters: number;
  readonly resolve: (added: readonly boolean[]) => void;
  readonly reject: (reason: unknown) => void;
  /** Runs work as that of its caller. */
  readonly asCaller: <T>(work: () => T) => T;
}

export class SharedEventWrites {
  readonly #database: AsyncDatabase;
  readonly #waiting: Waiting[] = [];
  #isWriting = false;
  /** Of those that wait, and of those that are being written. */
  #open = { events: 0, characters: 0 };
  #eventsPerSecond = 1_000;
  /** By estimate: of requests that were let in and have no answer yet. */
  #letIn = 0;
  /** Of these, those of each caller that has any. */
  readonly #letInOf = new Map<string, number>();
  #bytesOfEvent = 500;

  constructor(database: AsyncDatabase) {
    this.#database = database;
  }

  /**
   * Before a body of so many bytes is read; to be called back once it is answered. Throws
   * `rate_limited`, with the wait, where more events wait than are written in some seconds. Bodies
   * that are being read count as well: where reading takes longer than writing, no event waits.
   * Bodies of one caller that do not come to their end leave room for those of others.
   */
  admit(caller: string, bytes: number): () => void {
    this.#refuseWhereFull(1);
    const own = this.#letInOf.get(caller) ?? 0;
    if (own > limits.visionEventsWaitingMax * 1.5) throw this.#refusal(own);
    if (this.#letIn > limits.visionEventsWaitingMax * 2) throw this.#refusal(this.#letIn);
    const estimate = Math.round(bytes / this.#bytesOfEvent);
    const events = Math.min(Math.max(estimate, 1), limits.eventBatchMax);
    this.#countLetIn(caller, events);
    return () => this.#countLetIn(caller, -events);
  }

  #countLetIn(caller: string, events: number): void {
    this.#letIn += events;
    const own = (this.#letInOf.get(caller) ?? 0) + events;
    if (own === 0) this.#letInOf.delete(caller);
    else this.#letInOf.set(caller, own);
  }

  /** `share`: of the bounds. */
  #refuseWhereFull(share: number): void {
    const { events, characters } = this.#open;
    const waitSeconds = events / this.#eventsPerSecond;
    const isSlow =
      events > limits.visionEventsWaitingMin * share &&
      waitSeconds > limits.visionEventsWaitSeconds * share;
    const isFull =
      events > limits.visionEventsWaitingMax * share ||
      characters > limits.visionEventCharactersWaitingMax * share;
    if (isSlow || isFull) throw this.#refusal(events);
  }

  #refusal(events: number): FoveaError {
    const seconds = Math.min(events / this.#eventsPerSecond, limits.visionEventsWaitSecondsMax);
    // Devices that were refused together do not come back together.
    const retryAfterSeconds = Math.ceil(Math.max(seconds, 1) * (1 + Math.random()));
    return new FoveaError('rate_limited', `${events} events wait to be written.`, {
      retryAfterSeconds,
      hint: `Wait ${retryAfterSeconds} s, and send events in batches.`,
    });
  }

  /** As `add` of the store: each call all or none, whatever becomes of others. */
  async add(
    workspaceId: string,
    events: readonly VisionEvent[],
    now: number,
  ): Promise<readonly boolean[]> {
    // Many bodies may have been under way when there was room.
    this.#refuseWhereFull(2);
    const characters = events.reduce((sum, { content }) => sum + content.length, 0);
    this.#bytesOfEvent += (characters / Math.max(events.length, 1) - this.#bytesOfEvent) / 20;
    this.#count(events.length, characters);
    try {
      return await this.#wait(workspaceId, events, now, characters);
    } finally {
      this.#count(-events.length, -characters);
    }
  }

  #count(events: number, characters: number): void {
    this.#open.events += events;
    this.#open.characters += characters;
  }

  #wait(
    workspaceId: string,
    events: readonly VisionEvent[],
    now: number,
    characters: number,
  ): Promise<readonly boolean[]> {
    const { promise, resolve, reject } = Promise.withResolvers<readonly boolean[]>();
    this.#waiting.push({
      workspaceId,
      events: events.map((event) => ({ event, created: now })),
      characters,
      resolve,
      reject,
      asCaller: AsyncLocalStorage.snapshot(),
    });
    if (!this.#isWriting) void this.#writeAll();
    return promise;
  }

  async #writeAll(): Promise<void> {
    this.#isWriting = true;
    while (this.#waiting.length > 0) {
      // What else has come by now is written with it: a commit on a disk holds up this thread.
      await nextTurn();
      await this.#write(this.#nextGroup());
    }
    this.#isWriting = false;
  }

  /** The first one, and those of its workspace that fit in with it, in their order. */
  #nextGroup(): readonly Waiting[] {
    const group: Waiting[] = [];
    let [events, characters] = [0, 0];
    for (const call of this.#waiting) {
      if (call.workspaceId !== this.#waiting[0]?.workspaceId) continue;
      events += call.events.length;
      characters += call.characters;
      const hasRoom =
        events <= limits.visionEventsAtOnceMax &&
        characters <= limits.visionEventCharactersAtOnceMax;
      if (!hasRoom && group.length > 0) break;
      group.push(call);
    }
    const taken = new Set(group);
    this.#waiting.splice(
      0,
      this.#waiting.length,
      ...this.#waiting.filter((one) => !taken.has(one)),
    );
    return group;
  }

  /** Never throws. */
  async #write(group: readonly Waiting[]): Promise<void> {
    const [first] = group;
    if (first === undefined) return;
    const events = group.flatMap((call) => call.events);
    const isShared = group.length > 1;
    const startMs = systemClock.monotonic();
    try {
      const added = await first.asCaller(() =>
        this.#database.transaction(() =>
          writeEvents(this.#database, first.workspaceId, events, isShared),
        ),
      );
      const perSecond = (events.length * 1000) / (systemClock.monotonic() - startMs + 1);
      this.#eventsPerSecond += (perSecond - this.#eventsPerSecond) / 5;
      let start = 0;
      for (const call of group) {
        call.resolve(added.slice(start, start + call.events.length));
        start += call.events.length;
      }
    } catch (thrown) {
      if (isShared && isOfOne(thrown)) for (const call of group) await this.#write([call]);
      else for (const call of group) call.reject(thrown);
    }
  }
}

/** Whether others of the group may be written nevertheless. */
function isOfOne(thrown: unknown): boolean {
  if (thrown instanceof WriteAlone) return true;
  const isOfInput = thrown instanceof FoveaError;
  return isOfInput && (thrown.code === 'conflict' || thrown.code === 'invalid_input');
}
