// Finalized events on their way to the cloud: sends what waits, and waits while it cannot.

import { setTimeout as delay } from 'node:timers/promises';
import type { Clock } from '../../clock.ts';
import { asFoveaError, type ErrorCode, type FoveaError } from '../../errors.ts';
import type { CloudSettings } from '../../event-store-config.ts';
import type { Client } from '../../http-client/client.ts';
import { createClient } from '../../http-client/create-client.ts';
import { backoffMs, type RetryDelay } from '../../http-client/retry.ts';
import { limits } from '../../limits.ts';
import type { Log } from '../../log.ts';
import type { FileStore } from '../../storage/file-store.ts';
import type { EventStore } from '../store/store.ts';
import { createCloud } from './cloud.ts';
import { createDetours } from './detours.ts';
import { createSender, type SendWaiting } from './send-events.ts';

export interface UploaderState {
  /** Milliseconds since 1970; undefined: none yet. */
  readonly lastSuccessAt: number | undefined;
  /** Why the last attempt failed; undefined after a success. In our own words. */
  readonly lastError: string | undefined;
  /** When it tries again, milliseconds since 1970; undefined: it is not waiting. */
  readonly nextAttemptAt: number | undefined;
}

export interface Uploader {
  /** Looks for finalized events now, unless it waits after a failure. */
  wake(): void;
  /** Looks for them now, also while it waits after a failure: for somebody who asks by hand. */
  retry(): void;
  state(): UploaderState;
  /** Ends the running attempt. */
  stop(): Promise<void>;
}

export interface UploaderOptions {
  readonly store: EventStore;
  readonly files: FileStore;
  readonly cloud: CloudSettings;
  /** The use case of events that name no solution. */
  readonly defaultSolutionId: string | undefined;
  readonly clock: Clock;
  readonly log: Log;
  /** Another client than one of its own; it is not closed. */
  readonly client?: Client;
  /** Time for a small request; that of `limits` when left out. */
  readonly timeoutMs?: number;
  /** Bounds of the wait after a failure; those of `limits` when left out. */
  readonly retryDelayMs?: RetryDelay;
  /** Gap between two looks for events; that of `limits` when left out. */
  readonly pollMs?: number;
}

/**
 * Sends finalized events from now on, in the background: each one once, oldest first, images
 * before their event. For one process of a data folder only.
 */
export function startUploader(options: UploaderOptions): Uploader {
  return new BackgroundUploader(options);
}

/** What stands in its place while nothing is to be sent. */
export const noUploader: Uploader = {
  wake: () => {},
  retry: () => {},
  state: () => ({ lastSuccessAt: undefined, lastError: undefined, nextAttemptAt: undefined }),
  stop: async () => {},
};

class BackgroundUploader implements Uploader {
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #pollMs: number;
  readonly #retryDelayMs: RetryDelay;
  readonly #stopped = new AbortController();
  readonly #sendWaiting: SendWaiting;
  readonly #ended: Promise<void>;
  #state: UploaderState = noUploader.state();
  #failures = 0;
  #failedWith: ErrorCode | undefined;
  /** In this round. */
  #isAnswered = false;
  /** Events that were set aside, not yet told. */
  #refused = 0;
  #isWoken = false;
  #isRetried = false;
  #rest = new AbortController();
  #hold = new AbortController();

  constructor(options: UploaderOptions) {
    const { store, files, defaultSolutionId, clock, log, pollMs, retryDelayMs } = options;
    this.#clock = clock;
    this.#log = log.part('upload');
    this.#pollMs = pollMs ?? limits.cloudPollMs;
    this.#retryDelayMs = retryDelayMs ?? {
      min: limits.cloudRetryMsMin,
      max: limits.cloudRetryMsMax,
    };
    const client = options.client ?? ownClient(options);
    const { signal } = this.#stopped;
    const timeoutMs = options.timeoutMs ?? limits.callTimeoutMs;
    const cloud = createCloud({ client, signal, timeoutMs });
    this.#sendWaiting = createSender({
      store,
      files,
      cloud,
      defaultSolutionId,
      signal,
      detours: createDetours(clock, this.#log),
      progress: {
        answered: () => {
          this.#failures = 0;
          this.#isAnswered = true;
        },
        sent: () => this.#succeed(),
        refused: () => {
          this.#refused += 1;
        },
      },
    });
    this.#ended = this.#run().finally(() => options.client ?? client.close());
  }

  wake(): void {
    this.#isWoken = true;
    this.#rest.abort();
  }

  retry(): void {
    this.#isRetried = true;
    this.#hold.abort();
    this.wake();
  }

  state(): UploaderState {
    return this.#state;
  }

  async stop(): Promise<void> {
    this.#stopped.abort();
    this.#rest.abort();
    this.#hold.abort();
    await this.#ended;
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopped;
    while (!signal.aborted) {
      this.#isWoken = false;
      this.#isRetried = false;
      this.#isAnswered = false;
      try {
        await this.#sendWaiting();
        if (this.#isAnswered) this.#recover();
        this.#tellRefused();
        await this.#idle();
      } catch (thrown) {
        if (signal.aborted) return;
        this.#tellRefused();
        await this.#holdOn(asFoveaError(thrown));
      }
    }
  }

  /** Until it is woken, or another process may have finalized something. */
  async #idle(): Promise<void> {
    if (this.#isWoken || this.#stopped.signal.aborted) return;
    this.#rest = new AbortController();
    await sleep(this.#pollMs, this.#rest.signal);
  }

  /** Waits after a failure, however much is new: the cloud must not be asked more often. */
  async #holdOn(error: FoveaError): Promise<void> {
    const asked = Math.min((error.retryAfterSeconds ?? 0) * 1000, limits.cloudRetryAfterMsMax);
    const waitMs = Math.max(asked, backoffMs(this.#failures, this.#retryDelayMs, Math.random));
    const nextAttemptAt = this.#clock.now() + waitMs;
    this.#failures += 1;
    this.#state = { ...this.#state, lastError: error.message, nextAttemptAt };
    if (this.#failedWith !== error.code) {
      this.#log.warn('Uploads to the cloud wait.', { reason: error.message });
    }
    this.#failedWith = error.code;
    this.#hold = new AbortController();
    if (!this.#isRetried && !this.#stopped.signal.aborted) await sleep(waitMs, this.#hold.signal);
    this.#state = { ...this.#state, nextAttemptAt: undefined };
  }

  #succeed(): void {
    this.#recover();
    this.#state = { ...this.#state, lastSuccessAt: this.#clock.now() };
  }

  /** Whatever kept events waiting is over. */
  #recover(): void {
    if (this.#failedWith !== undefined) this.#log.warn('Uploads to the cloud go on.');
    this.#failedWith = undefined;
    this.#state = { ...this.#state, lastError: undefined };
  }

  #tellRefused(): void {
    if (this.#refused === 0) return;
    this.#log.warn('The cloud refused events for good; they are set aside.', {
      events: this.#refused,
    });
    this.#refused = 0;
  }
}

/** One attempt for each call: when to try again is decided here alone. */
function ownClient({ cloud, clock }: UploaderOptions): Client {
  const { url, apiKey: credential, proxies } = cloud;
  const find = async () => ({ url, credential });
  return createClient({
    upstreams: { base: find, device: find },
    timeoutMs: limits.callTimeoutMs,
    attemptsMax: 1,
    clock,
    proxies,
  });
}

async function sleep(ms: number, signal: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal, ref: false }).catch(() => {});
}
