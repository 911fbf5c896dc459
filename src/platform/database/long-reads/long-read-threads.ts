// Worker threads for long reads: other requests do not wait for them, and a read that takes too
// long ends with its thread.

import { extname } from 'node:path';
import { FoveaError, systemErrorCode } from '../../../errors.ts';
import { limits } from '../../../limits.ts';
import type { WorkWatcher } from '../../../work-watcher.ts';
import { takeUsable, WorkerThread } from '../../../worker-thread.ts';
import { toWatcher } from '../comparisons/tell-shares.ts';
import {
  type FailedRead,
  type FromReadThread,
  type LongReads,
  type Question,
  type ReadAnswer,
  type ReadName,
  type ReadThreadData,
  type ShareDone,
  tooManyWaiting,
  tooMuch,
} from './long-reads.ts';

/**
 * Threads on the database at `path`, which start with the first read that needs them and end when
 * there is none for a while. A read may take `msMax`, one that compares images `compareMsMax`.
 */
export function startLongReadThreads(
  path: string,
  msMax: number = limits.readMsMax,
  compareMsMax: number = limits.comparisonMsMax,
): LongReads {
  const readers = new Readers(path, msMax, limits.readThreadsMax);
  // The vectors of all images are in its memory: another thread would have them a second time.
  const ofVectors = new Readers(path, Math.min(compareMsMax, limits.vectorReadMsMax), 1);
  // They keep what they found, for the next page.
  const keptMsMax = limits.comparisonsKeptMsMax;
  const ofLooks = new Readers(path, compareMsMax, limits.readThreadsMax, keptMsMax);
  const readersOf = (name: ReadName) =>
    name === 'nearest' ? ofVectors : comparing.has(name) ? ofLooks : readers;
  return {
    read: (asker, question, watcher) => readersOf(question.name).read(asker, question, watcher),
    close: async () => {
      await Promise.all([readers.close(), ofVectors.close(), ofLooks.close()]);
    },
  };
}

/** They compare all images of a project: seconds for many. */
const comparing: ReadonlySet<ReadName> = new Set(['health', 'nearDuplicates', 'findings']);

interface Job {
  readonly asker: string;
  /** Resolves when it is answered or refused. */
  readonly runOn: (thread: ReadThread) => Promise<void>;
  readonly refuse: (reason: unknown) => void;
}

class Readers {
  readonly #path: string;
  readonly #msMax: number;
  readonly #threadsMax: number;
  readonly #idleMsMax: number;
  readonly #idle: ReadThread[] = [];
  readonly #running = new Map<ReadThread, string>();
  #waiting: Job[] = [];
  #isOpen = true;

  constructor(
    path: string,
    msMax: number,
    threadsMax: number,
    idleMsMax: number = limits.readThreadIdleMsMax,
  ) {
    this.#path = path;
    this.#msMax = msMax;
    this.#threadsMax = threadsMax;
    this.#idleMsMax = idleMsMax;
  }

  async read<Name extends ReadName>(
    asker: string,
    question: Question<Name>,
    watcher: WorkWatcher = {},
  ): Promise<ReadAnswer<Name>> {
    if (!this.#isOpen) throw closing();
    const { signal } = watcher;
    signal?.throwIfAborted();
    const ahead = this.#waiting.filter((job) => job.asker === asker).length;
    if (ahead >= limits.readsWaitingMax) throw tooManyWaiting();
    const { promise, resolve, reject } = Promise.withResolvers<ReadAnswer<Name>>();
    const runOn = (thread: ReadThread) =>
      thread.ask(question, this.#msMax, watcher).then(resolve, reject);
    const job: Job = { asker, runOn, refuse: reject };
    this.#waiting.push(job);
    const onAbort = () => this.#giveUp(job, signal?.reason);
    signal?.addEventListener('abort', onAbort, { once: true });
    this.#next();
    try {
      return await promise;
    } finally {
      signal?.removeEventListener('abort', onAbort);
    }
  }

  async close(): Promise<void> {
    this.#isOpen = false;
    for (const { refuse } of this.#waiting) refuse(closing());
    this.#waiting = [];
    await Promise.all([...this.#idle, ...this.#running.keys()].map((thread) => thread.close()));
  }

  /** One that runs is given up by its thread. */
  #giveUp(job: Job, reason: unknown): void {
    if (!this.#waiting.includes(job)) return;
    this.#waiting = this.#waiting.filter((other) => other !== job);
    job.refuse(reason);
  }

  /** One of a workspace at a time, so that its long ones hold up nobody else. */
  #next(): void {
    const askers = new Set(this.#running.values());
    const job = this.#waiting.find(({ asker }) => !askers.has(asker));
    if (job === undefined || this.#running.size >= this.#threadsMax) return;
    this.#waiting = this.#waiting.filter((other) => other !== job);
    const thread = takeUsable(this.#idle) ?? new ReadThread(this.#path, this.#idleMsMax);
    this.#running.set(thread, job.asker);
    void this.#run(thread, job);
    this.#next();
  }

  async #run(thread: ReadThread, { runOn }: Job): Promise<void> {
    await runOn(thread);
    // One that was given up may still be at work: nobody takes its place before it has ended.
    if (!thread.isUsable) await thread.close();
    this.#running.delete(thread);
    if (thread.isUsable) this.#idle.push(thread);
    this.#next();
  }
}

class ReadThread {
  readonly #thread: WorkerThread<unknown, FromReadThread>;
  readonly #started: Promise<unknown>;

  constructor(path: string, idleMsMax: number) {
    const data: ReadThreadData = { path };
    const entry = new URL(`./long-read-worker${extname(import.meta.url)}`, import.meta.url);
    this.#thread = new WorkerThread({
      entry,
      data,
      megabytesMax: limits.readMegabytesMax,
      idleMsMax,
    });
    this.#started = this.#thread.started();
  }

  get isUsable(): boolean {
    return this.#thread.isUsable;
  }

  /** Its start counts for no read. */
  async ask<Name extends ReadName>(
    question: Question<Name>,
    msMax: number,
    { signal, onShare }: WorkWatcher,
  ): Promise<ReadAnswer<Name>> {
    await this.#started;
    const given = await this.#thread.ask<Exclude<FromReadThread<Name>, ShareDone>>(
      question,
      { msMax, signal },
      toWatcher(onShare),
    );
    if (given === 'too slow') throw tooMuch();
    if (given === 'ended') throw reasonOf(this.#thread.failure);
    if (given.kind === 'read') return given.answer;
    throw given.kind === 'failed'
      ? new FoveaError(given.code, given.message, detailsOf(given))
      : closing();
  }

  /** Resolves when it has ended, and its connection with it. */
  async close(): Promise<void> {
    await this.#thread.terminate();
  }
}

function detailsOf({ hint, problems }: FailedRead) {
  return { problems, ...(hint !== undefined && { hint }) };
}

function reasonOf(thrown: unknown): FoveaError {
  if (thrown === undefined) return closing();
  if (systemErrorCode(thrown) === 'ERR_WORKER_OUT_OF_MEMORY') return tooMuch();
  return new FoveaError('internal', 'A thread that reads has failed.', { cause: thrown });
}

function closing(): FoveaError {
  return new FoveaError('cancelled', 'The service is stopping.');
}
