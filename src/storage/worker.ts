// A loop that does durable work, one piece at a time, for as long as its process lives.

import type { Clock } from '../clock.ts';
import { FoveaError, framesOf } from '../errors.ts';
import { limits } from '../limits.ts';
import type { Log } from '../log.ts';
import { type Claim, LeaseLost, type Work } from './work.ts';

export interface WorkerOptions {
  readonly work: Work;
  readonly kinds: readonly string[];
  /**
   * Does one piece and resolves to its result. It may be called again for the same piece after a
   * crash, so it writes through `claim.guard` and goes on where the last attempt left off. What it
   * throws fails the work: a FoveaError with its message. `signal` is aborted when the lease is
   * lost or the worker stops; then it throws as soon as it can.
   */
  run(claim: Claim, signal: AbortSignal): Promise<unknown>;
  readonly clock: Clock;
  readonly log: Log;
  /** How long after a crash another process takes over. */
  readonly leaseMs?: number;
  readonly pollMs?: number;
}

export interface Worker {
  /** Looks for work now instead of at the next poll. */
  wake(): void;
  /**
   * Aborts the running piece, waits a moment for it, and gives it back so that another process
   * takes it over at once. A piece that ends well in that moment is completed.
   */
  stop(): Promise<void>;
}

/** Starts a worker. It keeps no process alive that has nothing else to do. */
export function startWorker(options: WorkerOptions): Worker {
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
  readonly #options: WorkerOptions;
  readonly #leaseMs: number;
  readonly #stopping = new AbortController();
  #isAwake = false;
  #wakeUp: () => void = () => {};
  /** Ends the wait for a run that does not listen to its signal. */
  #giveUp: () => void = () => {};

  constructor(options: WorkerOptions) {
    this.#options = options;
    this.#leaseMs = options.leaseMs ?? limits.workLeaseMs;
  }

  wake(): void {
    this.#isAwake = true;
    this.#wakeUp();
  }

  stop(): NodeJS.Timeout {
    this.#stopping.abort(new FoveaError('cancelled', 'The service stops.'));
    this.wake();
    return setTimeout(() => this.#giveUp(), limits.workStopMsMax);
  }

  async loop(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      this.#isAwake = false;
      const claim = this.#claim();
      if (claim === undefined) await this.#rest();
      else await this.#do(claim);
    }
  }

  #claim(): Claim | undefined {
    const { work, kinds } = this.#options;
    try {
      return work.claim(kinds, this.#leaseMs);
    } catch (thrown) {
      this.#report('Work could not be claimed.', thrown);
      return undefined;
    }
  }

  async #rest(): Promise<void> {
    if (this.#isAwake) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#wakeUp = resolve;
    const timer = setTimeout(resolve, this.#options.pollMs ?? limits.workPollMs).unref();
    await promise;
    clearTimeout(timer);
  }

  async #do(claim: Claim): Promise<void> {
    const { clock, log } = this.#options;
    const lost = new AbortController();
    const renewal = setInterval(() => this.#renew(claim, lost), this.#leaseMs / 3).unref();
    const startedMs = clock.monotonic();
    const givenUp = Promise.withResolvers<() => void>();
    this.#giveUp = () => givenUp.resolve(() => claim.release());
    try {
      const signal = AbortSignal.any([lost.signal, this.#stopping.signal]);
      const end = await Promise.race([this.#run(claim, signal), givenUp.promise]);
      end();
      const ms = Math.round(clock.monotonic() - startedMs);
      log.info('Work ended.', { kind: claim.kind, attempt: claim.attempt, ms });
    } catch (thrown) {
      this.#report('Work was left to whoever claims it next.', thrown);
    } finally {
      clearInterval(renewal);
    }
  }

  #renew(claim: Claim, lost: AbortController): void {
    try {
      claim.renew();
    } catch (thrown) {
      if (thrown instanceof LeaseLost) lost.abort(thrown);
      else this.#report('A lease could not be renewed.', thrown);
    }
  }

  /** Runs the piece; resolves to how it is to be ended. */
  async #run(claim: Claim, signal: AbortSignal): Promise<() => void> {
    try {
      const result = await this.#options.run(claim, signal);
      return () => claim.complete(result);
    } catch (thrown) {
      if (signal.aborted) return () => claim.release();
      const isForeseen = thrown instanceof FoveaError;
      if (!isForeseen || thrown.code === 'internal') this.#report('Work failed.', thrown);
      const message = isForeseen ? thrown.message : 'The work failed inside Fovea.';
      return () => claim.fail(message, isForeseen ? thrown.code : 'internal');
    }
  }

  /** Says what was thrown and where, without its words: they may be those of others. */
  #report(message: string, thrown: unknown): void {
    const error = thrown instanceof FoveaError && thrown.cause ? thrown.cause : thrown;
    const name = error instanceof Error ? error.name : typeof error;
    const at = error instanceof Error ? framesOf(error) : [];
    this.#options.log.error(message, { error: name, at: at.join(' < ') });
  }
}
