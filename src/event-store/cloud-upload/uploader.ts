// Uploads finalized events to the cloud in the background, with backoff after failures.

import { setTimeout as delay } from 'node:timers/promises';
import type { Clock } from '../../clock.ts';
import { asFoveaError, type ErrorCode, type FoveaError } from '../../errors.ts';
import type { CloudSettings } from '../../event-store-config.ts';
import type { Client } from '../../http-client/client.ts';
import { createClient } from '../../http-client/create-client.ts';
import { limits } from '../../limits.ts';
import type { Log } from '../../log.ts';
import { backoffMs, type RetryDelay } from '../../network/retry.ts';
import type { FileStore } from '../../storage/file-store.ts';
import type { EventStore } from '../store/store.ts';
import { createCloudClient } from './cloud-client.ts';
import { disabledUploader, type Uploader, type UploaderState } from './disabled-uploader.ts';
import { createQuarantine } from './poison-event-quarantine.ts';
import { createEventSender, type SendWaitingEvents } from './send-events.ts';

export interface UploaderOptions {
  readonly store: EventStore;
  readonly files: FileStore;
  readonly cloud: CloudSettings;
  /** The solution of events that name none. */
  readonly defaultSolutionId: string | undefined;
  readonly clock: Clock;
  readonly log: Log;
  /** Replaces the uploader's own client; it is not closed. */
  readonly client?: Client;
  /** Timeout of a small request; default `limits.callTimeoutMs`. */
  readonly timeoutMs?: number;
  /** Bounds of the backoff; default `limits.cloudRetryMsMin` and `Max`. */
  readonly retryDelayMs?: RetryDelay;
  /** Poll interval; default `limits.cloudPollMs`. */
  readonly pollMs?: number;
}

/**
 * Starts sending finalized events: each once, oldest first, images before their event. Only one
 * process of a data folder may run it.
 */
export function startUploader(options: UploaderOptions): Uploader {
  return new BackgroundUploader(options);
}

class BackgroundUploader implements Uploader {
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #pollMs: number;
  readonly #retryDelayMs: RetryDelay;
  readonly #stopped = new AbortController();
  readonly #sendWaiting: SendWaitingEvents;
  readonly #ended: Promise<void>;
  #state: UploaderState = disabledUploader.state();
  #failures = 0;
  #failedWith: ErrorCode | undefined;
  /** Whether the cloud answered in this round. */
  #isAnswered = false;
  /** Refused events that are not logged yet. */
  #refused = 0;
  #isWakeRequested = false;
  #isRetryRequested = false;
  #idleWait = new AbortController();
  #backoff = new AbortController();

  constructor(options: UploaderOptions) {
    const { store, files, defaultSolutionId, clock, log, pollMs, retryDelayMs } = options;
    this.#clock = clock;
    this.#log = log.part('upload');
    this.#pollMs = pollMs ?? limits.cloudPollMs;
    this.#retryDelayMs = retryDelayMs ?? {
      min: limits.cloudRetryMsMin,
      max: limits.cloudRetryMsMax,
    };
    const client = options.client ?? createUploadClient(options);
    const { signal } = this.#stopped;
    const timeoutMs = options.timeoutMs ?? limits.callTimeoutMs;
    const cloud = createCloudClient({ client, signal, timeoutMs });
    this.#sendWaiting = createEventSender({
      store,
      files,
      cloud,
      defaultSolutionId,
      signal,
      quarantine: createQuarantine(clock, this.#log),
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
    this.#isWakeRequested = true;
    this.#idleWait.abort();
  }

  retry(): void {
    this.#isRetryRequested = true;
    this.#backoff.abort();
    this.wake();
  }

  state(): UploaderState {
    return this.#state;
  }

  async stop(): Promise<void> {
    this.#stopped.abort();
    this.#idleWait.abort();
    this.#backoff.abort();
    await this.#ended;
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopped;
    while (!signal.aborted) {
      this.#isWakeRequested = false;
      this.#isRetryRequested = false;
      this.#isAnswered = false;
      try {
        await this.#sendWaiting();
        if (this.#isAnswered) this.#recover();
        this.#logRefused();
        await this.#waitForEvents();
      } catch (thrown) {
        if (signal.aborted) return;
        this.#logRefused();
        await this.#waitAfterFailure(asFoveaError(thrown));
      }
    }
  }

  /** Until `wake`, or until the next poll: other processes finalize events too. */
  async #waitForEvents(): Promise<void> {
    if (this.#isWakeRequested || this.#stopped.signal.aborted) return;
    this.#idleWait = new AbortController();
    await sleep(this.#pollMs, this.#idleWait.signal);
  }

  /** Exponential backoff; new events do not shorten it. */
  async #waitAfterFailure(error: FoveaError): Promise<void> {
    const asked = Math.min((error.retryAfterSeconds ?? 0) * 1000, limits.cloudRetryAfterMsMax);
    const waitMs = Math.max(asked, backoffMs(this.#failures, this.#retryDelayMs));
    const nextAttemptAt = this.#clock.now() + waitMs;
    this.#failures += 1;
    this.#state = { ...this.#state, lastError: error.message, nextAttemptAt };
    if (this.#failedWith !== error.code) {
      this.#log.warn('Uploads to the cloud wait.', { reason: error.message });
    }
    this.#failedWith = error.code;
    this.#backoff = new AbortController();
    if (!this.#isRetryRequested && !this.#stopped.signal.aborted)
      await sleep(waitMs, this.#backoff.signal);
    this.#state = { ...this.#state, nextAttemptAt: undefined };
  }

  #succeed(): void {
    this.#recover();
    this.#state = { ...this.#state, lastSuccessAt: this.#clock.now() };
  }

  /** Uploads work again. */
  #recover(): void {
    if (this.#failedWith !== undefined) this.#log.warn('Uploads to the cloud go on.');
    this.#failedWith = undefined;
    this.#state = { ...this.#state, lastError: undefined };
  }

  #logRefused(): void {
    if (this.#refused === 0) return;
    this.#log.warn('The cloud refused events for good; they are set aside.', {
      events: this.#refused,
    });
    this.#refused = 0;
  }
}

/** Without retries of its own: the backoff above decides when to try again. */
function createUploadClient({ cloud, clock }: UploaderOptions): Client {
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
