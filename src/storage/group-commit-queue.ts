// Group commit: writes that wait together share one transaction, in a worker thread.

import { type ErrorCode, FoveaError } from '../errors.ts';
import { limits } from '../limits.ts';
import { WorkerThread } from '../worker-thread.ts';

/** Commands sent to the thread together; it may run several batches in one transaction. */
export interface CommandBatch<Command> {
  /** Wall time in milliseconds since 1970: clocks do not cross threads. */
  readonly now: number;
  /** About how much the commands write. */
  readonly bytes: number;
  readonly commands: readonly Command[];
}

/**
 * The result of one command. Outcomes are not wrapped, since an object around each would cost as
 * much as the outcome; an outcome has no member `failure`.
 */
export type Result<Outcome> = Outcome | Failure;

export interface Failure {
  readonly failure: {
    readonly code: ErrorCode;
    readonly message: string;
    readonly retry: FoveaError['retry'];
    readonly hint?: string;
  };
}

/** Asks the thread to close its connection and to end. */
export const endOfBatches = 'end';

export interface GroupCommitOptions {
  /** The thread's module, which calls serveBatches. */
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
  /** How many commands have been submitted and have not ended. */
  readonly waiting: number;
  /**
   * Resolves once all that was submitted has ended, and the thread with it. What has not ended in
   * time is ended: it rejects with `internal`, and may be done.
   */
  close(): Promise<void>;
}

/**
 * Starts no thread before the first command, and another one when it has died. Commands go to it a
 * few at a time, also while a transaction runs: the thread takes what waits there into the next.
 * One that has written nothing for a while ends, and with it go its caches: the sooner, the more
 * they may be.
 */
export function createGroupCommit<Command, Outcome>(
  options: GroupCommitOptions,
): GroupCommit<Command, Outcome> {
  let queue: Waiting<Command, Outcome>[] = [];
  let queuedBytes = 0;
  let thread: CommitThread<Command, Outcome> | undefined;
  let resting: CommitThread<Command, Outcome> | undefined;
  let writtenBytes = 0;
  let isClosed = false;
  const restAfterMuch = () => {
    if (writtenBytes >= limits.groupCommitRestBytesMin) rest(pause);
  };
  const pause = setTimeout(restAfterMuch, limits.groupCommitRestMs).unref();
  const longPause = setTimeout(() => rest(longPause), limits.groupCommitIdleMsMax).unref();

  function rest(timer: NodeJS.Timeout): void {
    if (thread === undefined) return;
    // Until no other one is about to end, so that closing knows of all.
    if (thread.waiting > 0 || resting?.hasEnded === false) return void timer.refresh();
    resting = thread;
    thread = undefined;
    writtenBytes = 0;
    void resting.end();
  }

  function send(): void {
    if (queue.length === 0) return;
    const taken = queue;
    const bytes = queuedBytes;
    queue = [];
    queuedBytes = 0;
    try {
      if (thread === undefined || thread.hasEnded) thread = startThread(options);
      thread.send(taken, { now: options.now(), bytes });
    } catch (thrown) {
      for (const { reject } of taken) reject(thrown);
    }
  }

  function submit(command: Command, bytes: number): Promise<Outcome> {
    if (isClosed) return Promise.reject(closed());
    const { promise, resolve, reject } = Promise.withResolvers<Outcome>();
    if (queuedBytes + bytes > limits.groupCommitBytesMax) send();
    // Commands that are submitted in the same turn of the event loop go together.
    if (queue.length === 0) setImmediate(send);
    queue.push({ command, resolve, reject });
    queuedBytes += bytes;
    writtenBytes += bytes;
    pause.refresh();
    longPause.refresh();
    if (queue.length >= limits.groupCommitSentAtOnceMax) send();
    return promise;
  }

  return {
    submit,
    get waiting() {
      return queue.length + (thread?.waiting ?? 0);
    },
    close: async () => {
      isClosed = true;
      send();
      clearTimeout(pause);
      clearTimeout(longPause);
      await Promise.all([resting, thread].map((one) => one?.endInTime()));
    },
  };
}

interface Waiting<Command, Outcome> {
  readonly command: Command;
  readonly resolve: (outcome: Outcome) => void;
  readonly reject: (reason: unknown) => void;
}

function settle<Command, Outcome>(
  taken: readonly Waiting<Command, Outcome>[],
  results: readonly Result<Outcome>[],
): void {
  for (const [place, { resolve, reject }] of taken.entries()) {
    const result = results[place];
    if (result === undefined) reject(ended(undefined));
    else if (isFailure(result)) {
      const { code, message, ...details } = result.failure;
      reject(new FoveaError(code, message, details));
    } else resolve(result);
  }
}

function isFailure(result: unknown): result is Failure {
  return typeof result === 'object' && result !== null && 'failure' in result;
}

/** Throws `internal` where the process can have no more threads. */
function startThread<Command, Outcome>(
  options: GroupCommitOptions,
): CommitThread<Command, Outcome> {
  try {
    return new CommitThread(options);
  } catch (cause) {
    const message = 'The thread that writes could not be started: nothing was stored.';
    throw new FoveaError('internal', message, { cause, retry: 'safe' });
  }
}

type Message<Command> = CommandBatch<Command> | typeof endOfBatches;

/** One thread, with all that it has not answered yet. */
class CommitThread<Command, Outcome> {
  readonly #thread: WorkerThread<Message<Command>, readonly Result<Outcome>[]>;
  #sent: Waiting<Command, Outcome>[] = [];
  #release: () => void = () => {};

  constructor({ entry, data }: GroupCommitOptions) {
    this.#thread = new WorkerThread({ entry, data });
    this.#thread.onMessage((results) => this.#settle(results));
    this.#thread.onEnd(() => {
      for (const { reject } of this.#sent.splice(0)) reject(ended(this.#thread.failure));
    });
  }

  get hasEnded(): boolean {
    return !this.#thread.isUsable;
  }

  /** How many it has not answered. */
  get waiting(): number {
    return this.#sent.length;
  }

  send(
    taken: readonly Waiting<Command, Outcome>[],
    batch: Omit<CommandBatch<Command>, 'commands'>,
  ): void {
    this.#thread.post({ ...batch, commands: taken.map(({ command }) => command) });
    if (this.#sent.length === 0) this.#release = this.#thread.hold();
    this.#sent.push(...taken);
  }

  /** Its answers come in the order of what was sent. */
  #settle(results: readonly Result<Outcome>[]): void {
    settle(this.#sent.splice(0, results.length), results);
    if (this.#sent.length === 0) this.#release();
  }

  async end(): Promise<void> {
    if (this.hasEnded) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#thread.onEnd(resolve);
    this.#thread.hold();
    this.#thread.post(endOfBatches);
    await promise;
  }

  /** Terminates it where it takes too long. */
  async endInTime(): Promise<void> {
    const timer = setTimeout(() => this.#thread.terminate(), limits.groupCommitCloseMsMax);
    await this.end();
    clearTimeout(timer);
  }
}

/** Its commands may have been carried out, so they must not be repeated blindly. */
function ended(cause: unknown): FoveaError {
  return new FoveaError('internal', 'The thread that writes ended.', { cause });
}

function closed(): FoveaError {
  return new FoveaError('internal', 'The store is closed.');
}
