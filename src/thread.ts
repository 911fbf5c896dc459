// A thread of our own for work that may take too long: one question at a time, within a time and a
// bound of memory. One that exceeds them ends, and takes nothing else with it.

import { Worker } from 'node:worker_threads';
import { FoveaError } from './errors.ts';

/** Why a thread gave no answer. It has ended then: another one has to be started. */
export type NoAnswer = 'too slow' | 'ended';

export interface Question {
  readonly msMax: number;
  readonly signal: AbortSignal;
  /** Memory that moves to the thread instead of being copied. */
  readonly transfer?: readonly ArrayBuffer[];
}

export interface Thread<To, From> {
  /**
   * Whoever asks waits for the answer before the next question. Throws the reason of an abort; the
   * thread has ended then, too.
   */
  ask(message: To, question: Question): Promise<From | NoAnswer>;
  close(): void;
}

export interface ThreadOptions {
  /** The module that the thread runs. It posts a message when it is ready. */
  readonly entry: URL;
  /** What it is told when it starts. */
  readonly data: unknown;
  readonly megabytesMax: number;
}

/**
 * Ready to be asked; its start counts for no question. It keeps no process alive that has nothing
 * else to do. Throws the reason of an abort.
 */
export async function startThread<To, From>(
  { entry, data, megabytesMax }: ThreadOptions,
  signal: AbortSignal,
): Promise<Thread<To, From>> {
  const worker = new Worker(entry, {
    workerData: data,
    resourceLimits: { maxOldGenerationSizeMb: megabytesMax },
  });
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
  const answer = async (
    signal: AbortSignal,
    msMax: number | undefined,
    send: () => void,
  ): Promise<From | NoAnswer> => {
    signal.throwIfAborted();
    if (!isUsable) return 'ended';
    const { promise, resolve, reject } = Promise.withResolvers<From | NoAnswer>();
    const onEnd = () => resolve('ended');
    const onAbort = () => reject(signal.reason);
    const timer = msMax === undefined ? undefined : setTimeout(() => resolve('too slow'), msMax);
    worker.once('message', resolve).once('exit', onEnd);
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      send();
      const given = await promise;
      if (given === 'too slow' || given === 'ended') close();
      return given;
    } catch (thrown) {
      close();
      throw thrown;
    } finally {
      clearTimeout(timer);
      worker.off('message', resolve).off('exit', onEnd);
      signal.removeEventListener('abort', onAbort);
    }
  };
  if ((await answer(signal, undefined, () => {})) === 'ended') {
    throw new FoveaError('internal', 'A thread did not start.');
  }
  worker.unref();
  return {
    ask: (message, { msMax, signal, transfer = [] }) =>
      answer(signal, msMax, () => worker.postMessage(message, [...transfer])),
    close,
  };
}
