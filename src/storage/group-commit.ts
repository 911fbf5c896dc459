// Writes that wait together share one transaction, in a thread of its own with its own connection.

import { Worker } from 'node:worker_threads';
import { type ErrorCode, FoveaError } from '../errors.ts';
import { limits } from '../limits.ts';

/** What goes to the thread: commands for one transaction. */
export interface Batch<Command> {
  /** Wall time in milliseconds since 1970: clocks do not cross threads. */
  readonly now: number;
  readonly commands: readonly Command[];
}

/** What comes back: one result for each command, in their order. */
export type Result<Outcome> =
  | { readonly outcome: Outcome }
  | {
      readonly code: ErrorCode;
      readonly message: string;
      readonly retry: FoveaError['retry'];
      readonly hint?: string;
    };

/** Asks the thread to close its connection and to end. */
export const endOfBatches = 'end';

export interface GroupCommitOptions {
  /** The thread's module: it answers every batch with its results; see serveBatches. */
  readonly entry: URL;
  /** What the thread gets as `workerData`. */
  readonly data: unknown;
  now(): number;
}

export interface GroupCommit<Command, Outcome> {
  /**
   * Runs a command; it is on the disk when this resolves. `bytes` is about how much it writes.
   * Throws what the command throws, and `internal` when the thread ends: it may be done then.
   */
  submit(command: Command, bytes: number): Promise<Outcome>;
  /**
   * Resolves once all that was submitted has ended, and the thread with it. What has not ended in
   * time is ended: it rejects with `internal`, and may be done.
   */
  close(): Promise<void>;
}

/**
 * Starts no thread before the first command, and another one when it has died. What is submitted
 * while a transaction runs goes into the next one.
 */
export function createGroupCommit<Command, Outcome>(
  options: GroupCommitOptions,
): GroupCommit<Command, Outcome> {
  const queue: Waiting<Command, Outcome>[] = [];
  let thread: Thread<Command, Outcome> | undefined;
  let running: Promise<void> | undefined;
  let isClosed = false;

  async function drain(): Promise<void> {
    // Whoever submits in this turn of the loop is in the first batch too.
    await Promise.resolve();
    while (queue.length > 0) {
      const taken = queue.splice(0, batchLength(queue));
      try {
        if (thread === undefined || thread.hasEnded) thread = startThread(options);
        const commands = taken.map(({ command }) => command);
        settle(taken, await thread.run({ now: options.now(), commands }));
      } catch (thrown) {
        for (const { reject } of taken) reject(thrown);
      }
    }
    running = undefined;
  }

  async function end(): Promise<void> {
    await running;
    await thread?.end();
  }

  return {
    submit: (command, bytes) => {
      if (isClosed) return Promise.reject(closed());
      const { promise, resolve, reject } = Promise.withResolvers<Outcome>();
      queue.push({ command, bytes, resolve, reject });
      running ??= drain();
      return promise;
    },
    close: async () => {
      isClosed = true;
      if (await endsInTime(end())) return;
      for (const { reject } of queue.splice(0)) reject(closed());
      await thread?.terminate();
    },
  };
}

interface Waiting<Command, Outcome> {
  readonly command: Command;
  readonly bytes: number;
  readonly resolve: (outcome: Outcome) => void;
  readonly reject: (reason: unknown) => void;
}

async function endsInTime(end: Promise<void>): Promise<boolean> {
  const { promise: late, resolve } = Promise.withResolvers<boolean>();
  const timer = setTimeout(resolve, limits.groupCommitCloseMsMax, false);
  try {
    return await Promise.race([end.then(() => true), late]);
  } finally {
    clearTimeout(timer);
  }
}

/** How many of the first commands go together: at least one. */
function batchLength(queue: readonly { readonly bytes: number }[]): number {
  let bytes = 0;
  let length = 0;
  for (const waiting of queue) {
    bytes += waiting.bytes;
    if (length === limits.groupCommitCommandsMax) break;
    if (length > 0 && bytes > limits.groupCommitBytesMax) break;
    length += 1;
  }
  return length;
}

function settle<Command, Outcome>(
  taken: readonly Waiting<Command, Outcome>[],
  results: readonly Result<Outcome>[],
): void {
  for (const [place, { resolve, reject }] of taken.entries()) {
    const result = results[place];
    if (result === undefined) reject(ended(undefined));
    else if ('outcome' in result) resolve(result.outcome);
    else {
      const { code, message, ...details } = result;
      reject(new FoveaError(code, message, details));
    }
  }
}

/** Throws `internal` where the process can have no more threads. */
function startThread<Command, Outcome>(options: GroupCommitOptions): Thread<Command, Outcome> {
  try {
    return new Thread(options);
  } catch (cause) {
    const message = 'The thread that writes could not be started: nothing was stored.';
    throw new FoveaError('internal', message, { cause, retry: 'safe' });
  }
}

/** One thread, which runs one batch at a time. */
class Thread<Command, Outcome> {
  readonly #worker: Worker;
  #resolve: (results: readonly Result<Outcome>[]) => void = () => {};
  #reject: (reason: unknown) => void = () => {};
  #failure: unknown;
  hasEnded = false;

  constructor({ entry, data }: GroupCommitOptions) {
    this.#worker = new Worker(entry, { workerData: data });
    this.#worker.unref();
    this.#worker.on('message', (results: readonly Result<Outcome>[]) => this.#resolve(results));
    // Without a listener, an error of the thread would end the process.
    this.#worker.on('error', (thrown) => {
      this.#failure = thrown;
    });
    this.#worker.on('exit', () => {
      this.hasEnded = true;
      this.#reject(ended(this.#failure));
    });
  }

  async run(batch: Batch<Command>): Promise<readonly Result<Outcome>[]> {
    const { promise, resolve, reject } = Promise.withResolvers<readonly Result<Outcome>[]>();
    this.#resolve = resolve;
    this.#reject = reject;
    try {
      this.#worker.ref();
      this.#worker.postMessage(batch);
      return await promise;
    } finally {
      this.#worker.unref();
    }
  }

  async end(): Promise<void> {
    if (this.hasEnded) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#worker.once('exit', () => resolve());
    this.#worker.ref();
    this.#worker.postMessage(endOfBatches);
    await promise;
  }

  async terminate(): Promise<void> {
    await this.#worker.terminate();
  }
}

/** Its commands may be done: not to be made again unseen. */
function ended(cause: unknown): FoveaError {
  return new FoveaError('internal', 'The thread that writes ended.', { cause });
}

function closed(): FoveaError {
  return new FoveaError('internal', 'The store is closed.');
}
