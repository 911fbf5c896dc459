// Starts a worker thread for image files, and sends it jobs.

import { extname } from 'node:path';
import { FoveaError } from '../errors.ts';
import { limits } from '../limits.ts';
import { WorkerThread } from '../worker-thread.ts';
import { fileError } from './file-error.ts';
import { takesTooLong } from './image-file.ts';
import type { ImageRequest, ImageResponse } from './image-requests.ts';
import type { FromThread, SentError, ThreadData, ToThread } from './image-thread-messages.ts';

export type Outcome =
  | { readonly answer: ImageResponse }
  /** The thread gave the job back, with the bytes that moved there. */
  | { readonly tooMuch: Uint8Array<ArrayBuffer> }
  /** The thread ended, perhaps by another job that ran there. */
  | 'interrupted';

export interface ImageThread {
  readonly isUsable: boolean;
  /** Resolves when it has loaded what reads images: whether that is the native sharp. */
  readonly ready: Promise<boolean>;
  /** The bytes move there. Throws what the job throws, and `too_large` when its time is over. */
  run(job: ImageRequest): Promise<Outcome>;
  /** Resolves when it has ended, and its memory is free. */
  end(): Promise<void>;
}

export function startImageThread(data: ThreadData): ImageThread {
  const entry = new URL(`./image-worker${extname(import.meta.url)}`, import.meta.url);
  const thread = new WorkerThread<ToThread, FromThread>({
    entry,
    data,
    youngMegabytesMax: limits.pixelThreadYoungMegabytesMax,
    isLarge: true,
  });
  const running = new Map<number, PromiseWithResolvers<Outcome>>();
  const ready = Promise.withResolvers<boolean>();
  ready.promise.catch(() => {});
  let lastId = 0;

  const finish = (id: number, settle: (job: PromiseWithResolvers<Outcome>) => void) => {
    const job = running.get(id);
    running.delete(id);
    if (job) settle(job);
  };
  const run = async (job: ImageRequest): Promise<Outcome> => {
    if (!thread.isUsable) throw ended(undefined);
    const id = ++lastId;
    const outcome = Promise.withResolvers<Outcome>();
    running.set(id, outcome);
    const release = thread.hold();
    const { buffer } = 'bytes' in job ? job.bytes : job.pixels.data;
    thread.post({ id, job }, [buffer]);
    const timer = setTimeout(() => {
      finish(id, ({ reject }) => reject(fileError('too_large', takesTooLong)));
      // What holds up one job may hold up all of them.
      void thread.terminate();
    }, limits.imageReadMsMax);
    return outcome.promise.finally(() => {
      clearTimeout(timer);
      release();
    });
  };

  const releaseStart = thread.hold();
  thread.onMessage((message) => {
    if (message.kind !== 'ready') return finish(message.id, (job) => settleBy(message, job));
    ready.resolve(message.isNative);
    releaseStart();
  });
  thread.onEnd(() => {
    ready.reject(ended(thread.failure));
    const outcome = data.isAlone ? undefined : 'interrupted';
    const error = endedByImage(thread.failure);
    for (const id of [...running.keys()]) {
      finish(id, (job) => (outcome ? job.resolve(outcome) : job.reject(error)));
    }
  });
  return {
    get isUsable() {
      return thread.isUsable;
    },
    ready: ready.promise,
    run,
    end: () => thread.terminate(),
  };
}

function settleBy(
  message: Exclude<FromThread, { kind: 'ready' }>,
  { resolve, reject }: PromiseWithResolvers<Outcome>,
): void {
  if (message.kind === 'failed') reject(received(message.error));
  else if (message.kind === 'done') resolve({ answer: message.answer });
  else resolve({ tooMuch: message.bytes });
}

function received({ code, message, problems, hint }: SentError): FoveaError {
  return new FoveaError(code, message, { problems, ...(hint !== undefined && { hint }) });
}

function ended(cause: unknown): FoveaError {
  return new FoveaError('internal', 'A thread that reads images ended.', { cause });
}

/** WebAssembly ends with its thread where its memory is full. */
function endedByImage(cause: unknown): FoveaError {
  return fileError('too_large', 'takes more memory to read than there is', { cause });
}
