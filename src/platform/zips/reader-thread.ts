// A thread that reads annotation files, one question at a time: one that takes too long ends it.

import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { FoveaError } from '../../errors.ts';
import { limits } from '../../limits.ts';
import type { FromReader, ReaderData, ToReader } from './reader-messages.ts';

/** Why a thread gave no answer. It has ended then: another one has to be started. */
export type NoAnswer = 'too slow' | 'ended';

export interface ReaderThread {
  /** Whoever asks waits for the answer before the next question. Throws the reason of an abort. */
  ask(message: ToReader, transfer: ArrayBuffer[], msMax: number): Promise<FromReader | NoAnswer>;
  close(): void;
}

/** Ready to be asked; its start counts for no file. Throws the reason of an abort. */
export async function startReaderThread(
  data: ReaderData,
  signal: AbortSignal,
): Promise<ReaderThread> {
  const worker = new Worker(
    new URL(`./reader-worker${extname(import.meta.url)}`, import.meta.url),
    {
      workerData: data,
      resourceLimits: { maxOldGenerationSizeMb: limits.zipReaderMegabytesMax },
    },
  );
  // Without a listener, an error of the thread would end the process.
  worker.on('error', () => {});
  let isUsable = true;
  worker.once('exit', () => {
    isUsable = false;
  });
  const close = () => {
    isUsable = false;
    void worker.terminate();
  };
  const answer = async (msMax: number | undefined): Promise<FromReader | NoAnswer> => {
    signal.throwIfAborted();
    if (!isUsable) return 'ended';
    const { promise, resolve, reject } = Promise.withResolvers<FromReader | NoAnswer>();
    const onEnd = () => resolve('ended');
    const onAbort = () => reject(signal.reason);
    const timer = msMax === undefined ? undefined : setTimeout(() => resolve('too slow'), msMax);
    worker.once('message', resolve).once('exit', onEnd);
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
      worker.off('message', resolve).off('exit', onEnd);
      signal.removeEventListener('abort', onAbort);
    }
  };
  const ready = await answer(undefined).catch((thrown) => {
    close();
    throw thrown;
  });
  if (ready === 'ended') throw new FoveaError('internal', 'A thread for zip files did not start.');
  worker.unref();
  return {
    ask: async (message, transfer, msMax) => {
      if (isUsable) worker.postMessage(message, transfer);
      const given = await answer(msMax).catch((thrown) => {
        close();
        throw thrown;
      });
      if (typeof given === 'string') close();
      return given;
    },
    close,
  };
}
