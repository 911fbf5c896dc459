// Threads that make images, so that whoever asks for them goes on answering others.

import { availableParallelism } from 'node:os';
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { FoveaError } from '../errors.ts';
import { limits } from '../limits.ts';
import { prepareDecoding } from '../pictures/image-threads.ts';
import { type Emit, RenderFailure, type RenderJob } from './render.ts';
import { createRoom } from './room.ts';
import type { WorkerReport } from './worker-report.ts';

export interface Renderers {
  /** How many jobs are worked on at the same time; others wait for their turn. */
  readonly count: number;
  /**
   * Makes the images of a job, each given to `emit` before many more are made. Throws what `emit`
   * throws, the reason of the signal, and RenderFailure for a source that cannot be worked on.
   */
  render(job: RenderJob, emit: Emit, signal: AbortSignal): Promise<void>;
  /** Ends all threads; jobs in work fail as `cancelled`. */
  close(): Promise<void>;
}

/**
 * A thread for each core; memory for pixels is shared by all. Threads start with the first job and
 * end when there is none for a while.
 */
export function createRenderers(count = availableParallelism()): Renderers {
  const idle: Thread[] = [];
  const all = new Set<Thread>();
  const queue: Waiting[] = [];
  // Threads in work, those included that end in the middle of a job.
  let lent = 0;
  const closing = new AbortController();
  const room = createRoom(limits.renderPixelsAtOnceMax);

  function start(): Thread {
    const thread = new Thread((ended) => {
      all.delete(ended);
      const place = idle.indexOf(ended);
      if (place >= 0) idle.splice(place, 1);
    });
    all.add(thread);
    return thread;
  }

  async function borrow(signal: AbortSignal): Promise<Thread> {
    closing.signal.throwIfAborted();
    if (lent === count) return waitForTurn(queue, signal);
    lent++;
    return idle.pop() ?? start();
  }

  function giveBack(thread: Thread): void {
    const next = queue.shift();
    if (next) {
      next.take(thread.isUsable ? thread : start());
      return;
    }
    lent--;
    if (thread.isUsable) idle.push(thread);
  }

  return {
    count,
    render: async (job, emit, signal) => {
      await prepareDecoding();
      const stop = AbortSignal.any([closing.signal, signal]);
      const leave = await room.enter(job.pixels ?? 0, stop);
      try {
        const thread = await borrow(stop);
        await thread.run(job, emit, signal).finally(() => giveBack(thread));
      } finally {
        leave();
      }
    },
    close: async () => {
      closing.abort(stopped());
      await Promise.all([...all].map((thread) => thread.end()));
    },
  };
}

/** A job that waits for a thread. */
interface Waiting {
  readonly take: (thread: Thread) => void;
  readonly refuse: (reason: unknown) => void;
}

async function waitForTurn(queue: Waiting[], signal: AbortSignal): Promise<Thread> {
  const { promise, resolve: take, reject: refuse } = Promise.withResolvers<Thread>();
  const waiting: Waiting = { take, refuse };
  const onAbort = () => {
    const place = queue.indexOf(waiting);
    if (place >= 0) queue.splice(place, 1);
    refuse(signal.reason);
  };
  queue.push(waiting);
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await promise;
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

/** One thread, which does one job at a time. */
class Thread {
  readonly #worker: Worker;
  readonly #whenEnded: (thread: Thread) => void;
  #idleTimer: NodeJS.Timeout | undefined;
  #isStopped = false;
  #failure: unknown;
  isUsable = true;

  constructor(whenEnded: (thread: Thread) => void) {
    this.#whenEnded = whenEnded;
    this.#worker = new Worker(
      new URL(`./version-worker${extname(import.meta.url)}`, import.meta.url),
    );
    this.#worker.unref();
    this.#worker.once('exit', () => this.#ended());
    // Without a listener, an error of the thread would end the process.
    this.#worker.on('error', (thrown) => {
      this.#failure = thrown;
      this.#ended();
    });
  }

  async run(job: RenderJob, emit: Emit, signal: AbortSignal): Promise<void> {
    clearTimeout(this.#idleTimer);
    try {
      await this.#work(job, emit, signal);
    } catch (thrown) {
      // It may be in the middle of a picture, which nothing interrupts but its end.
      if (!(thrown instanceof RenderFailure)) await this.end();
      throw thrown;
    } finally {
      this.#idleTimer = setTimeout(() => void this.end(), limits.renderIdleMsMax).unref();
    }
  }

  async end(): Promise<void> {
    this.#isStopped = true;
    this.#ended();
    await this.#worker.terminate();
  }

  async #work(job: RenderJob, emit: Emit, signal: AbortSignal): Promise<void> {
    const worker = this.#worker;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const emitted: Promise<void>[] = [];
    const onReport = (report: WorkerReport) => {
      if (report.kind === 'image') {
        const taken = emit(report.image).then(() => worker.postMessage('taken'));
        taken.catch(reject);
        emitted.push(taken);
        return;
      }
      // The thread is free for another job when all its images are taken.
      const end = report.kind === 'done' ? resolve : () => reject(failureOf(report));
      Promise.all(emitted).then(() => end(), reject);
    };
    const onExit = () => reject(this.#isStopped ? stopped() : endedByItself(this.#failure));
    const onAbort = () => reject(signal.reason);
    worker.on('message', onReport).once('exit', onExit);
    signal.addEventListener('abort', onAbort, { once: true });
    worker.ref();
    try {
      // Either may have come about while the job waited for its turn.
      signal.throwIfAborted();
      if (!this.isUsable) throw endedByItself(this.#failure);
      worker.postMessage(job);
      await promise;
    } finally {
      worker.off('message', onReport).off('exit', onExit).unref();
      signal.removeEventListener('abort', onAbort);
    }
  }

  #ended(): void {
    clearTimeout(this.#idleTimer);
    this.isUsable = false;
    this.#whenEnded(this);
  }
}

function stopped(): FoveaError {
  return new FoveaError('cancelled', 'The service stops.');
}

function endedByItself(cause: unknown): FoveaError {
  return new FoveaError('internal', 'A thread that makes images ended.', { cause });
}

function failureOf(report: Extract<WorkerReport, { readonly kind: 'failed' }>): Error {
  const { at, code, message, problems } = report;
  const cause = new FoveaError(code, message, { problems });
  return at === undefined ? cause : new RenderFailure(at, cause);
}
