// A thread for models: one that takes too long, or fails, takes nothing else with it.

import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { FoveaError } from '../errors.ts';
import { limits } from '../limits.ts';
import type { Size } from '../pictures/letterbox.ts';
import type { DetectJob, Found } from './detector.ts';
import type { FromModel, ToModel } from './model-messages.ts';

export interface OpenModel {
  readonly classes: readonly string[];
  /** The size that the model wants. */
  readonly canvas: Size;
  /**
   * Runs the model on one image; who calls sees to it that one runs at a time. Throws
   * `upstream_failed` (the model failed) and `timed_out`. Nothing interrupts a run but the end of
   * its thread, which would cost more than the rest of it.
   */
  detect(job: DetectJob): Promise<Found>;
}

/** A thread with one model at a time. */
export interface ModelThread {
  /** False once it has ended: another one has to be started. */
  readonly isUsable: boolean;
  /**
   * Opens a model in place of the one before. The bytes of the file go to the thread, and are empty
   * here afterwards. Throws as openDetector, and `timed_out`.
   */
  open(file: Uint8Array<ArrayBuffer>, classes: readonly string[] | undefined): Promise<OpenModel>;
  close(): void;
}

/** It keeps no process alive that has nothing else to do. */
export function startModelThread(): ModelThread {
  const thread = new Thread();
  return {
    get isUsable() {
      return thread.isUsable;
    },
    open: async (file, classes) => {
      const question = { kind: 'open', file, classes } as const;
      const opened = await thread.ask(question, [file.buffer], limits.modelOpenMsMax);
      if (opened.kind !== 'opened') throw unexpected();
      return {
        classes: opened.classes,
        canvas: opened.canvas,
        detect: async (job) => {
          const answer = await thread.ask({ kind: 'detect', job }, [], limits.inferenceMsMax);
          if (answer.kind !== 'found') throw unexpected();
          return answer.found;
        },
      };
    },
    close: () => thread.close(),
  };
}

class Thread {
  readonly #worker: Worker;
  isUsable = true;

  constructor() {
    this.#worker = new Worker(
      new URL(`./model-worker${extname(import.meta.url)}`, import.meta.url),
    );
    this.#worker.unref();
    this.#worker.once('exit', () => {
      this.isUsable = false;
    });
    // Without a listener, an error of the thread would end the process.
    this.#worker.on('error', () => {
      this.isUsable = false;
    });
  }

  async ask(message: ToModel, transfer: ArrayBuffer[], ms: number): Promise<FromModel> {
    const worker = this.#worker;
    const { promise, resolve, reject } = Promise.withResolvers<FromModel>();
    const onEnd = () => reject(ended());
    const timer = setTimeout(() => reject(tooSlow(ms)), ms);
    worker.once('message', resolve).once('exit', onEnd).once('error', onEnd);
    worker.ref();
    try {
      if (!this.isUsable) throw ended();
      worker.postMessage(message, transfer);
      const answer = await promise.catch((thrown) => {
        this.close();
        throw thrown;
      });
      if (answer.kind === 'failed') throw failureOf(answer);
      return answer;
    } finally {
      clearTimeout(timer);
      worker.off('message', resolve).off('exit', onEnd).off('error', onEnd).unref();
    }
  }

  close(): void {
    this.isUsable = false;
    void this.#worker.terminate();
  }
}

function failureOf(answer: FromModel & { kind: 'failed' }): FoveaError {
  const { code, message, hint, problems, upstream } = answer;
  return new FoveaError(code, message, {
    ...(hint !== undefined && { hint }),
    problems,
    ...(upstream && { upstream }),
  });
}

function tooSlow(ms: number): FoveaError {
  return new FoveaError('timed_out', `The model took longer than ${ms / 1000} seconds.`, {
    hint: 'Use a smaller model, or install onnxruntime-node, which is faster.',
  });
}

function ended(): FoveaError {
  return new FoveaError('upstream_failed', 'The model ended in the middle of its work.', {
    hint: 'It may need more memory than there is.',
    retry: 'never',
  });
}

function unexpected(): FoveaError {
  return new FoveaError('internal', 'The thread of a model gave no answer to its question.');
}
