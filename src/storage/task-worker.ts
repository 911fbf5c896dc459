// A worker: claims tasks of a queue, and runs them one at a time for as long as its process lives.

import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../clock.ts';
import { FoveaError, framesOf } from '../errors.ts';
import { limits } from '../limits.ts';
import type { Log } from '../log.ts';
import { type AwaitedService, awaitedService } from './service-away.ts';
import { SplitTask } from './task-parts.ts';
import { type Claim, LeaseLost, type TaskQueue } from './task-queue.ts';

export interface TaskWorkerOptions {
  readonly queue: TaskQueue;
  readonly kinds: readonly string[];
  /**
   * Runs one task and resolves to its result, or to a SplitTask. It may be called again for the
   * same task after a crash, so it writes through `claim.fenced` and goes on where the last attempt
   * left off. What it throws fails the task: a FoveaError with its message. A service that is away
   * postpones it, for `limits.taskOutageMsMax` without progress at most; what else is `unavailable`
   * does so up to `limits.taskAttemptsMax` attempts without progress.
   * `signal` aborts when the lease is lost or the worker stops; then `run` must end as soon as it
   * can.
   */
  run(claim: Claim, signal: AbortSignal): Promise<unknown>;
  readonly clock: Clock;
  readonly log: Log;
  /** How long after a crash another process takes over. */
  readonly leaseMs?: number;
  readonly pollMs?: number;
}

export interface TaskWorker {
  /** Looks for tasks now instead of at the next poll. */
  wake(): void;
  /**
   * Aborts the running task, waits `limits.taskStopMsMax` for it, and releases it so that another
   * process takes it over at once. A task that ends well in that time is completed.
   */
  stop(): Promise<void>;
}

/** Starts a worker. It keeps no process alive that has nothing else to do. */
export function startTaskWorker(options: TaskWorkerOptions): TaskWorker {
  const worker = new LeasedWorker(options);
  const ended = worker.loop();
  return {
    wake: () => worker.wake(),
    stop: async () => {
      const timer = worker.stop();
      await ended;
      clearTimeout(timer);
    },
  };
}

class LeasedWorker {
  readonly #options: TaskWorkerOptions;
  readonly #leaseMs: number;
  readonly #pollMs: number;
  readonly #stopping = new AbortController();
  #isAwake = false;
  /** Whether the last look for tasks has failed. */
  #hasFailed = false;
  /** When the database was last found to be away, by the monotonic clock. */
  #databaseAwayMs = Number.NEGATIVE_INFINITY;
  #wakeUp: () => void = () => {};
  /** Ends the wait for a task that ignores its signal. */
  #giveUp: () => void = () => {};

  constructor(options: TaskWorkerOptions) {
    this.#options = options;
    this.#pollMs = options.pollMs ?? limits.taskQueuePollMs;
    this.#leaseMs = options.leaseMs ?? limits.taskLeaseMs;
  }

  wake(): void {
    this.#isAwake = true;
    this.#wakeUp();
  }

  stop(): NodeJS.Timeout {
    this.#stopping.abort(new FoveaError('cancelled', 'The service stops.'));
    this.wake();
    return setTimeout(() => this.#giveUp(), limits.taskStopMsMax);
  }

  async loop(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      this.#isAwake = false;
      const claim = await this.#claim();
      if (claim === undefined) await this.#rest();
      else await this.#do(claim);
    }
  }

  async #claim(): Promise<Claim | undefined> {
    const { queue, kinds } = this.#options;
    try {
      const claim = await queue.claim(kinds, this.#leaseMs, this.#ownersMayReturn());
      this.#hasFailed = false;
      return claim;
    } catch (thrown) {
      this.#note(thrown);
      // A database that is away is so for each look: that is said once.
      if (!this.#hasFailed) this.#report('Work could not be claimed.', thrown);
      this.#hasFailed = true;
      return undefined;
    }
  }

  /**
   * While the database was away nobody could renew a lease. Owners that still work do so soon: what
   * they have done would be done twice.
   */
  #ownersMayReturn(): boolean {
    return this.#options.clock.monotonic() - this.#databaseAwayMs < this.#leaseMs;
  }

  /** Whether that was an outage of the database. */
  #note(thrown: unknown): boolean {
    const isAway = awaitedService(thrown) === 'database';
    if (isAway) this.#databaseAwayMs = this.#options.clock.monotonic();
    return isAway;
  }

  async #rest(): Promise<void> {
    if (this.#isAwake) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#wakeUp = resolve;
    const timer = setTimeout(resolve, this.#pollMs).unref();
    await promise;
    clearTimeout(timer);
  }

  async #do(claim: Claim): Promise<void> {
    const { clock, log } = this.#options;
    const lost = new AbortController();
    const renewal = setInterval(() => this.#renew(claim, lost), this.#leaseMs / 3).unref();
    const startedMs = clock.monotonic();
    const givenUp = Promise.withResolvers<() => Promise<void>>();
    this.#giveUp = () => givenUp.resolve(() => claim.release());
    try {
      const signal = AbortSignal.any([lost.signal, this.#stopping.signal]);
      const end = await Promise.race([this.#run(claim, signal), givenUp.promise]);
      await this.#sayEnd(end);
      const ms = Math.round(clock.monotonic() - startedMs);
      log.info('Work ended.', { kind: claim.kind, attempt: claim.attempt, ms });
    } catch (thrown) {
      if (thrown instanceof LeaseLost) {
        log.info('Work was cancelled, or goes on in another process.', { kind: claim.kind });
        await claim.excuse().catch(() => {});
      } else this.#report('Work was left to whoever claims it next.', thrown);
    } finally {
      clearInterval(renewal);
    }
  }

  /** Until the database is there to hear of it: else all of the work would be done again. */
  async #sayEnd(end: () => Promise<void>): Promise<void> {
    for (let hasFailed = false; ; hasFailed = true) {
      try {
        await end();
        return;
      } catch (thrown) {
        const { signal } = this.#stopping;
        if (!this.#note(thrown) || signal.aborted) throw thrown;
        if (!hasFailed) this.#report('The end of work waits for the database.', thrown);
        await sleep(this.#pollMs, undefined, { signal, ref: false }).catch(() => {});
      }
    }
  }

  async #renew(claim: Claim, lost: AbortController): Promise<void> {
    try {
      await claim.renew();
    } catch (thrown) {
      this.#note(thrown);
      if (thrown instanceof LeaseLost) lost.abort(thrown);
      else this.#report('A lease could not be renewed.', thrown);
    }
  }

  /** Runs the task; resolves to the function that ends it. */
  async #run(claim: Claim, signal: AbortSignal): Promise<() => Promise<void>> {
    try {
      const result = await this.#options.run(claim, signal);
      return () =>
        result instanceof SplitTask ? claim.split(result.parts) : claim.complete(result);
    } catch (thrown) {
      if (signal.aborted) return () => claim.release();
      const isForeseen = thrown instanceof FoveaError;
      if (!isForeseen || thrown.code === 'internal') this.#report('Work failed.', thrown);
      const postponing = isForeseen ? postponementOf(claim, thrown) : undefined;
      if (postponing !== undefined) {
        this.#note(thrown);
        this.#report('Work was postponed.', thrown);
        return postponing;
      }
      const message = isForeseen ? thrown.message : 'The work failed inside Fovea.';
      return () => claim.fail(message, isForeseen ? thrown.code : 'internal');
    }
  }

  /** Logs the name and the place of an error, without its message: others may have written that. */
  #report(message: string, thrown: unknown): void {
    const error = thrown instanceof FoveaError && thrown.cause ? thrown.cause : thrown;
    const name = error instanceof Error ? error.name : typeof error;
    const at = error instanceof Error ? framesOf(error) : [];
    this.#options.log.error(message, { error: name, at: at.join(' < ') });
  }
}

/** How a task is given back that may come through later; undefined: it has tried enough. */
function postponementOf(claim: Claim, thrown: FoveaError): (() => Promise<void>) | undefined {
  const service = awaitedService(thrown);
  if (service !== undefined) return () => waitOrFail(claim, service, thrown);
  if (thrown.code !== 'unavailable' || claim.attempt >= limits.taskAttemptsMax) return undefined;
  return () => claim.postpone(limits.taskPostponedMs * 2 ** (claim.attempt - 1));
}

async function waitOrFail(
  claim: Claim,
  service: AwaitedService,
  { message, code }: FoveaError,
): Promise<void> {
  if (await claim.waitFor(service)) return;
  const hours = limits.taskOutageMsMax / (60 * 60 * 1000);
  await claim.fail(`${message} Fovea tried for ${hours} hours.`, code);
}
