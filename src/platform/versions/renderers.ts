// Threads that make images, so that whoever asks for them goes on answering others.

import { availableParallelism } from 'node:os';
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { FoveaError } from '../../errors.ts';
import { limits } from '../../limits.ts';
import { type Emit, RenderFailure, type RenderJob } from './render.ts';
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

/** A thread for each core. They start with the first job and end when there is none for a while. */
export function createRenderers(count = availableParallelism()): Renderers {
  const idle: Thread[] = [];
  const all = new Set<Thread>();
  const queue: ((thread: Thread) => void)[] = [];
  let isClosed = false;

  function start(): Thread {
    const thread = new Thread((ended) => {
      all.delete(ended);
      const place = idle.indexOf(ended);
      if (place >= 0) idle.splice(place, 1);
    });
    all.add(thread);
    return thread;
  }

  async function borrow(): Promise<Thread> {
    if (isClosed) throw new FoveaError('cancelled', 'The service stops.');
    const free = idle.pop();
    if (free) return free;
    if (all.size < count) return start();
    return new Promise((resolve) => {
      queue.push(resolve);
    });
  }

  function giveBack(thread: Thread): void {
    const next = queue.shift();
    if (thread.isUsable) {
      if (next) next(thread);
      else idle.push(thread);
    } else if (next) {
      next(start());
    }
  }

  return {
    count,
    render: async (job, emit, signal) => {
      signal.throwIfAborted();
      const thread = await borrow();
      try {
        await thread.run(job, emit, signal);
      } finally {
        giveBack(thread);
      }
    },
    close: async () => {
      isClosed = true;
      await Promise.all([...all].map((thread) => thread.end()));
    },
  };
}

/** One thread, which does one job at a time. */
class Thread {
  readonly #worker: Worker;
  readonly #whenEnded: (thread: Thread) => void;
  #idleTimer: NodeJS.Timeout | undefined;
  isUsable = true;

  constructor(whenEnded: (thread: Thread) => void) {
    this.#whenEnded = whenEnded;
    this.#worker = new Worker(
      new URL(`./version-worker${extname(import.meta.url)}`, import.meta.url),
    );
    this.#worker.unref();
    this.#worker.once('exit', () => this.#ended());
    // Without a listener, an error of the thread would end the process.
    this.#worker.on('error', () => this.#ended());
  }

  async run(job: RenderJob, emit: Emit, signal: AbortSignal): Promise<void> {
    clearTimeout(this.#idleTimer);
    const worker = this.#worker;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const emitted: Promise<void>[] = [];
    const onReport = (report: WorkerReport) => {
      if (report.kind === 'failed') return reject(failureOf(report));
      if (report.kind === 'done') return void Promise.all(emitted).then(() => resolve(), reject);
      const taken = emit(report.image).then(() => worker.postMessage('taken'));
      taken.catch(reject);
      emitted.push(taken);
    };
    const onExit = () => reject(new FoveaError('internal', 'A thread that makes images ended.'));
    const onAbort = () => reject(signal.reason);
    worker.on('message', onReport).once('exit', onExit);
    signal.addEventListener('abort', onAbort, { once: true });
    worker.ref();
    try {
      worker.postMessage(job);
      await promise;
    } catch (thrown) {
      // It may be in the middle of a picture, which nothing interrupts but its end.
      if (!(thrown instanceof RenderFailure)) await this.end();
      throw thrown;
    } finally {
      worker.off('message', onReport).off('exit', onExit).unref();
      signal.removeEventListener('abort', onAbort);
      this.#idleTimer = setTimeout(() => void this.end(), limits.renderIdleMsMax).unref();
    }
  }

  async end(): Promise<void> {
    this.#ended();
    await this.#worker.terminate();
  }

  #ended(): void {
    clearTimeout(this.#idleTimer);
    this.isUsable = false;
    this.#whenEnded(this);
  }
}

function failureOf(report: Extract<WorkerReport, { readonly kind: 'failed' }>): Error {
  const { at, code, message, problems } = report;
  const cause = new FoveaError(code, message, { problems });
  return at === undefined ? cause : new RenderFailure(at, cause);
}
