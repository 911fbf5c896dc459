// Threads for long reads: nobody else waits for one, and one that takes too long ends with its
// thread.

import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { FoveaError } from '../../errors.ts';
import { limits } from '../../limits.ts';
import type { Question, ReadAnswer, ReadName } from './long-reads.ts';
import type { FailedRead, FromReadThread, ReadThreadData } from './read-messages.ts';
import type { Reader } from './reader.ts';

/**
 * Threads on the database at `path`, which start with the first read that needs them. A read may
 * take `msMax`.
 */
export function threadReader(path: string, msMax: number = limits.readMsMax): Reader {
  const readers = new Readers(path, msMax);
  return {
    read: (asker, question) => readers.read(asker, question),
    close: () => readers.close(),
  };
}

interface Job {
  readonly asker: string;
  /** Resolves when it is answered or refused. */
  readonly runOn: (thread: ReadThread) => Promise<void>;
  readonly refuse: (reason: FoveaError) => void;
}

class Readers {
  readonly #path: string;
  readonly #msMax: number;
  readonly #idle: ReadThread[] = [];
  readonly #running = new Map<ReadThread, string>();
  #waiting: Job[] = [];
  #isOpen = true;

  constructor(path: string, msMax: number) {
    this.#path = path;
    this.#msMax = msMax;
  }

  async read<Name extends ReadName>(
    asker: string,
    question: Question<Name>,
  ): Promise<ReadAnswer<Name>> {
    if (!this.#isOpen) throw closing();
    const ahead = this.#waiting.filter((job) => job.asker === asker).length;
    if (ahead >= limits.readsWaitingMax) throw tooManyWaiting();
    return new Promise((resolve, reject) => {
      const runOn = (thread: ReadThread) => thread.ask(question, this.#msMax).then(resolve, reject);
      this.#waiting.push({ asker, runOn, refuse: reject });
      this.#next();
    });
  }

  async close(): Promise<void> {
    this.#isOpen = false;
    for (const { refuse } of this.#waiting) refuse(closing());
    this.#waiting = [];
    await Promise.all([...this.#idle, ...this.#running.keys()].map((thread) => thread.close()));
  }

  /** One of a workspace at a time, so that its long ones hold up nobody else. */
  #next(): void {
    const askers = new Set(this.#running.values());
    const job = this.#waiting.find(({ asker }) => !askers.has(asker));
    if (job === undefined || this.#running.size >= limits.readThreadsMax) return;
    this.#waiting = this.#waiting.filter((other) => other !== job);
    const thread = this.#idle.pop() ?? new ReadThread(this.#path);
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
  readonly #worker: Worker;
  readonly #isReady: Promise<void>;
  readonly #ended = Promise.withResolvers<FoveaError>();
  isUsable = true;

  constructor(path: string) {
    const workerData: ReadThreadData = { path };
    this.#worker = new Worker(
      new URL(`./read-worker${extname(import.meta.url)}`, import.meta.url),
      { workerData, resourceLimits: { maxOldGenerationSizeMb: limits.readMegabytesMax } },
    );
    this.#worker.unref();
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#isReady = promise;
    this.#worker.once('message', () => resolve());
    // Without a listener, an error of the thread would end the process.
    this.#worker.on('error', (thrown) => this.#end(reasonOf(thrown)));
    this.#worker.once('exit', () => this.#end(closing()));
  }

  /** Its start counts for no read. */
  async ask<Name extends ReadName>(
    question: Question<Name>,
    msMax: number,
  ): Promise<ReadAnswer<Name>> {
    this.#worker.ref();
    let timer: NodeJS.Timeout | undefined;
    try {
      await Promise.race([this.#isReady, this.#failure()]);
      const { promise, resolve } = Promise.withResolvers<FromReadThread<Name>>();
      this.#worker.once('message', resolve);
      this.#worker.postMessage(question);
      timer = setTimeout(() => this.#end(tooMuch()), msMax);
      const given = await Promise.race([promise, this.#failure()]);
      if (given.kind === 'read') return given.answer;
      throw given.kind === 'failed'
        ? new FoveaError(given.code, given.message, detailsOf(given))
        : closing();
    } finally {
      clearTimeout(timer);
      this.#worker.unref();
    }
  }

  /** Resolves when it has ended, and its connection with it. */
  async close(): Promise<void> {
    this.#end(closing());
    await this.#worker.terminate();
  }

  async #failure(): Promise<never> {
    throw await this.#ended.promise;
  }

  #end(reason: FoveaError): void {
    this.isUsable = false;
    this.#ended.resolve(reason);
  }
}

function detailsOf({ hint, problems }: FailedRead) {
  return { problems, ...(hint !== undefined && { hint }) };
}

function reasonOf(thrown: unknown): FoveaError {
  const isOutOfMemory =
    thrown instanceof Error && 'code' in thrown && thrown.code === 'ERR_WORKER_OUT_OF_MEMORY';
  if (isOutOfMemory) return tooMuch();
  return new FoveaError('internal', 'A thread that reads has failed.', { cause: thrown });
}

function tooMuch(): FoveaError {
  const message = 'This looks through more than one call may: it was given up.';
  return new FoveaError('invalid_input', message, {
    hint: 'Narrow it: fewer words with *, one project, a smaller page, or a shorter time.',
  });
}

function tooManyWaiting(): FoveaError {
  return new FoveaError('rate_limited', 'Too many searches of this workspace wait already.', {
    retryAfterSeconds: 1,
    hint: 'Wait for their answers, and send fewer at a time.',
  });
}

function closing(): FoveaError {
  return new FoveaError('cancelled', 'The service is stopping.');
}
