// A worker thread for work that takes long or may fail: it can be ended in the middle, and takes
// nothing else with it.

import type { EventEmitter } from 'node:events';
import { FoveaError } from './errors.ts';
import { startThread } from './thread-process/start-thread.ts';
import { startThreadApart } from './thread-process/thread-process.ts';

/** Why a thread gave no answer. It has ended then: start another one. */
export type NoAnswer = 'too slow' | 'ended';

export interface AskOptions {
  readonly msMax: number;
  readonly signal?: AbortSignal | undefined;
  /** Memory that moves to the thread instead of being copied. */
  readonly transfer?: readonly ArrayBuffer[];
}

/** Takes a message that is no answer yet, and says that it was one. */
export type IsBetween<From> = (message: From) => boolean;

export interface WorkerThreadOptions {
  /** The module that the thread runs. */
  readonly entry: URL;
  /** Its `workerData`. */
  readonly data?: unknown;
  /** Heap of the thread; as large as that of the process unless given. */
  readonly megabytesMax?: number;
  /** Of these, for new objects; as V8 thinks best unless given. */
  readonly youngMegabytesMax?: number;
  /** It ends when nothing has held it for this time; never unless given. */
  readonly idleMsMax?: number | undefined;
  /** It takes much memory that is not of V8: it is in another process, where this one wants so. */
  readonly isLarge?: boolean;
}

/** What a Worker has, and a thread in another process too. */
interface AnyThread extends EventEmitter {
  postMessage(message: unknown, transfer: readonly ArrayBuffer[]): void;
  ref(): void;
  unref(): void;
  terminate(): Promise<unknown>;
}

/** The thread that was put there last and has not ended since; undefined: there is none. */
export function takeUsable<Thread extends { readonly isUsable: boolean }>(
  idle: Thread[],
): Thread | undefined {
  for (;;) {
    const thread = idle.pop();
    if (thread === undefined || thread.isUsable) return thread;
  }
}

/** A question without an answer yet. */
interface Asked<From> {
  /** False: the message came before the answer. */
  take(message: From): boolean;
}

interface Waiting<From> {
  readonly signal?: AbortSignal | undefined;
  readonly msMax?: number;
  readonly isBetween?: IsBetween<From> | undefined;
}

/** Keeps the process alive only while `hold` or `ask` needs it. */
export class WorkerThread<To, From> {
  readonly #worker: AnyThread;
  readonly #idle: NodeJS.Timeout | undefined;
  /** The oldest first. */
  readonly #asked: Asked<From>[] = [];
  #holds = 0;
  #isUsable = true;
  #failure: unknown;

  constructor({ entry, data, idleMsMax, isLarge, ...heap }: WorkerThreadOptions) {
    const start = { entry: entry.href, data, ...heap };
    this.#worker = (isLarge && startThreadApart(start)) || startThread(start);
    this.#worker.unref();
    // Without a listener, an error of the thread would end the process.
    this.#worker.on('error', (thrown) => {
      this.#failure = thrown;
      this.#isUsable = false;
    });
    this.#worker.once('exit', () => {
      this.#isUsable = false;
      clearTimeout(this.#idle);
    });
    this.#worker.on('message', (message) => {
      if (this.#asked[0]?.take(message)) this.#asked.shift();
    });
    if (idleMsMax !== undefined) {
      this.#idle = setTimeout(() => this.#endIfIdle(), idleMsMax).unref();
    }
  }

  /** False once it has ended, or is about to. */
  get isUsable(): boolean {
    return this.#isUsable;
  }

  /** The error that ended it, if any. */
  get failure(): unknown {
    return this.#failure;
  }

  post(message: To, transfer: readonly ArrayBuffer[] = []): void {
    this.#worker.postMessage(message, [...transfer]);
  }

  /** Calls the listener with each message, until the returned function is called. */
  onMessage(listener: (message: From) => void): () => void {
    this.#worker.on('message', listener);
    return () => this.#worker.off('message', listener);
  }

  /** Calls the listener when the thread ends, unless the returned function is called before. */
  onEnd(listener: () => void): () => void {
    this.#worker.once('error', listener).once('exit', listener);
    return () => this.#worker.off('error', listener).off('exit', listener);
  }

  /** Keeps the process alive until the returned function is called. */
  hold(): () => void {
    this.#holds += 1;
    this.#worker.ref();
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.#holds -= 1;
      if (this.#holds > 0) return;
      this.#worker.unref();
      if (this.#isUsable) this.#idle?.refresh();
    };
  }

  /**
   * The next message of the thread, which is the answer; where several questions wait, answers come
   * in their order. A thread that is too slow, or whose question is aborted, is terminated. Throws
   * the reason of an abort. `isBetween`: takes messages before the answer.
   */
  async ask<Answer extends From = From>(
    message: To,
    { msMax, signal, transfer }: AskOptions,
    isBetween?: IsBetween<From>,
  ): Promise<Answer | NoAnswer> {
    return this.#answer<Answer>(() => this.post(message, transfer), { msMax, signal, isBetween });
  }

  /** Resolves with the first message, with which the thread says that it has started. */
  async started(signal?: AbortSignal): Promise<From | NoAnswer> {
    return this.#answer(() => {}, { signal });
  }

  /** Resolves when the thread has ended, and its memory is free. */
  async terminate(): Promise<void> {
    this.#isUsable = false;
    clearTimeout(this.#idle);
    await this.#worker.terminate();
  }

  #endIfIdle(): void {
    if (this.#holds === 0) void this.terminate();
  }

  async #answer<Answer extends From>(
    send: () => void,
    { signal, msMax, isBetween }: Waiting<From>,
  ): Promise<Answer | NoAnswer> {
    signal?.throwIfAborted();
    if (!this.#isUsable) return 'ended';
    const { promise, resolve, reject } = Promise.withResolvers<Answer | NoAnswer>();
    const timer = msMax === undefined ? undefined : setTimeout(() => resolve('too slow'), msMax);
    const onAbort = () => reject(signal?.reason);
    signal?.addEventListener('abort', onAbort, { once: true });
    const take = (message: From & Answer) => {
      if (isBetween?.(message)) return false;
      resolve(message);
      return true;
    };
    this.#asked.push({ take });
    const stops = [this.onEnd(() => resolve('ended')), this.hold()];
    try {
      send();
      const given = await promise;
      if (given === 'too slow' || given === 'ended') void this.terminate();
      return given;
    } catch (thrown) {
      void this.terminate();
      throw thrown;
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
      for (const stop of stops) stop();
    }
  }
}

/**
 * A thread that has posted its first message: its start counts for no question. Throws the reason
 * of an abort.
 */
export async function startWorkerThread<To, From>(
  options: WorkerThreadOptions,
  signal: AbortSignal,
): Promise<WorkerThread<To, From>> {
  const thread = new WorkerThread<To, From>(options);
  if ((await thread.started(signal)) === 'ended') {
    throw new FoveaError('internal', 'A thread did not start.');
  }
  return thread;
}
