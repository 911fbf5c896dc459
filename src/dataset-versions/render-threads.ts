// Worker threads that render the images of dataset versions.

import { availableParallelism } from 'node:os';
import { extname } from 'node:path';
import { untilAborted } from '../abort.ts';
import { normalizeSettings } from '../contract/version-no-op-steps.ts';
import type { VersionSettings } from '../contract/version-settings.ts';
import { type ErrorCode, FoveaError, type Problem } from '../errors.ts';
import { prepareDecoding } from '../imaging/image-thread-pool.ts';
import { limits } from '../limits.ts';
import { Semaphore } from '../semaphore.ts';
import { takeUsable, WorkerThread } from '../worker-thread.ts';
import {
  type Emit,
  type RenderedFile,
  type RenderedImage,
  RenderFailure,
  type RenderJob,
} from './render-images.ts';

export interface Renderers {
  /** How many jobs are rendered at the same time; others wait. */
  readonly count: number;
  /**
   * Makes the images of a job, each given to `emit` before many more are made. Throws what `emit`
   * throws, the reason of the signal, and RenderFailure for a source that cannot be worked on.
   */
  render(job: RenderJob, emit: Emit, signal: AbortSignal): Promise<void>;
  /**
   * The same, but the threads write files into a folder. They are the caller's from then on, also
   * where this throws.
   */
  renderFiles(
    job: RenderJob,
    folder: string,
    emit: (file: RenderedFile) => Promise<void>,
    signal: AbortSignal,
  ): Promise<void>;
  /** Ends all threads; jobs in work fail as `cancelled`. */
  close(): Promise<void>;
}

/**
 * A thread for each core; memory for pixels is shared by all. Threads start with the first job and
 * end when there is none for a while.
 */
export function createRenderers(count = availableParallelism()): Renderers {
  const idle: RenderThread[] = [];
  const all = new Set<RenderThread>();
  const closing = new AbortController();
  const pixels = new Semaphore({ permitsMax: limits.renderPixelsAtOnceMax });
  const threads = new Semaphore({ permitsMax: count });

  function start(): RenderThread {
    const thread = new RenderThread((ended) => void all.delete(ended));
    all.add(thread);
    return thread;
  }

  async function runWork(work: RenderWork, take: Take, signal: AbortSignal): Promise<Taken> {
    const thread = takeUsable(idle) ?? start();
    try {
      return await thread.run(work, take, signal);
    } finally {
      if (thread.isUsable) idle.push(thread);
    }
  }

  async function render(work: RenderWork, take: Take, signal: AbortSignal): Promise<void> {
    await prepareDecoding();
    const stop = AbortSignal.any([closing.signal, signal]);
    const onThread = () => threads.run(() => runWork(work, take, signal), { signal: stop });
    const taken = await pixels.run(onThread, { permits: work.job.pixels ?? 0, signal: stop });
    // Meanwhile the thread works on the next job.
    await untilAborted(Promise.all(taken), stop);
  }

  return {
    count,
    render: (job, emit, signal) =>
      render({ job: inNormalForm(job) }, (made) => emit(imageOf(made)), signal),
    renderFiles: (job, folder, emit, signal) =>
      render({ job: inNormalForm(job), folder }, (made) => emit(fileOf(made)), signal),
    close: async () => {
      closing.abort(stopped());
      await Promise.all([...all].map((thread) => thread.end()));
    },
  };
}

/** Of the settings of each version or preview, which all of its jobs have. */
const normalForms = new WeakMap<VersionSettings, VersionSettings>();

/** Made here: a thread that loads the schema of the settings starts half as fast. */
function inNormalForm(job: RenderJob): RenderJob {
  const known = normalForms.get(job.settings);
  const settings = known ?? normalizeSettings(job.settings);
  if (known === undefined) normalForms.set(job.settings, settings);
  return { ...job, settings };
}

export interface RenderWork {
  readonly job: RenderJob;
  /** Where the files of images go; undefined: their bytes are wanted. */
  readonly folder?: string;
}

export type ToRenderer = RenderWork | 'taken';

/** What a thread has made. */
type Made = Extract<WorkerReport, { readonly kind: 'image' | 'file' }>;

type Take = (made: Made) => Promise<void>;

function imageOf(made: Made): RenderedImage {
  if (made.kind === 'image') return made.image;
  throw new FoveaError('internal', 'A thread wrote an image whose bytes were wanted.');
}

function fileOf(made: Made): RenderedFile {
  if (made.kind === 'file') return made.file;
  throw new FoveaError('internal', 'A thread gave an image whose file was wanted.');
}

/** One for each image of a job; each resolves when its image was taken. */
type Taken = readonly Promise<void>[];

/** One thread, which does one job at a time. */
class RenderThread {
  readonly #thread: WorkerThread<ToRenderer, WorkerReport>;
  readonly #whenEnded: (thread: RenderThread) => void;
  /** Ended while it unpacks WebAssembly, a thread takes the process with it (Node 24). */
  readonly #started = Promise.withResolvers<void>();
  #isStopped = false;

  constructor(whenEnded: (thread: RenderThread) => void) {
    this.#whenEnded = whenEnded;
    const entry = new URL(`./render-worker${extname(import.meta.url)}`, import.meta.url);
    this.#thread = new WorkerThread({
      entry,
      idleMsMax: limits.renderIdleMsMax,
      youngMegabytesMax: limits.pixelThreadYoungMegabytesMax,
      isLarge: true,
    });
    this.#thread.onEnd(() => {
      this.#started.resolve();
      this.#whenEnded(this);
    });
    const stop = this.#thread.onMessage(({ kind }) => {
      if (kind !== 'started') return;
      stop();
      this.#started.resolve();
    });
  }

  get isUsable(): boolean {
    return this.#thread.isUsable;
  }

  /** Resolves when all images are made; the last of them may not be taken yet. */
  async run(work: RenderWork, take: Take, signal: AbortSignal): Promise<Taken> {
    try {
      return await this.#run(work, take, signal);
    } catch (thrown) {
      // It may be in the middle of an image, which nothing interrupts but its end.
      if (!(thrown instanceof RenderFailure)) await this.end();
      throw thrown;
    }
  }

  async end(): Promise<void> {
    this.#isStopped = true;
    this.#whenEnded(this);
    const release = this.#thread.hold();
    await this.#started.promise;
    release();
    await this.#thread.terminate();
  }

  async #run(work: RenderWork, take: Take, signal: AbortSignal): Promise<Taken> {
    const thread = this.#thread;
    const { promise, resolve, reject } = Promise.withResolvers<Taken>();
    const all: Promise<void>[] = [];
    const onReport = (report: WorkerReport) => {
      if (report.kind === 'image' || report.kind === 'file') {
        const taken = take(report).then(() => thread.post('taken'));
        taken.catch(reject);
        all.push(taken);
        return;
      }
      if (report.kind === 'started') return;
      if (report.kind === 'done') resolve(all);
      else Promise.all(all).then(() => reject(failureOf(report)), reject);
    };
    const onEnd = () => reject(this.#isStopped ? stopped() : endedByItself(thread.failure));
    const stops = [thread.onMessage(onReport), thread.onEnd(onEnd), thread.hold()];
    try {
      // Either may have come about while the job waited for its turn.
      signal.throwIfAborted();
      if (!thread.isUsable) throw endedByItself(thread.failure);
      thread.post(work);
      return await untilAborted(promise, signal);
    } finally {
      for (const stop of stops) stop();
    }
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

export type WorkerReport =
  /** It has loaded what it works with. */
  | { readonly kind: 'started' }
  | { readonly kind: 'image'; readonly image: RenderedImage }
  | { readonly kind: 'file'; readonly file: RenderedFile }
  | { readonly kind: 'done' }
  | {
      readonly kind: 'failed';
      /** The place of the source that could not be worked on, where it was one. */
      readonly at: number | undefined;
      readonly code: ErrorCode;
      readonly message: string;
      readonly problems: readonly Problem[];
    };
