// A thread for models: one that takes too long, or fails, takes nothing else with it.

import { extname } from 'node:path';
import { FoveaError } from '../errors.ts';
import type { Size } from '../imaging/letterbox-resize.ts';
import { limits } from '../limits.ts';
import { type AskOptions, WorkerThread } from '../worker-thread.ts';
import type { DetectJob, Found } from './detector.ts';
import type { ClassNames } from './model-class-names.ts';
import type { DetectorTask } from './model-layout.ts';
import type { FailedAnswer, FromModel, ToModel } from './model-messages.ts';
import type { OwnThresholds } from './thresholds.ts';

export interface OpenModel {
  readonly task: DetectorTask;
  readonly classes: readonly string[];
  /** Of an object's keypoints, by the number of its class; the first is of all without. */
  readonly keypointNames: readonly (readonly string[])[];
  /** The size that the model wants. */
  readonly canvas: Size;
  /** Whether images fill the canvas, stretched; else they are letterboxed. */
  readonly isStretched: boolean;
  readonly thresholds: OwnThresholds;
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
  open(file: Uint8Array<ArrayBuffer>, classes: ClassNames | undefined): Promise<OpenModel>;
  /** Keeps it from ending by itself until the returned function is called. */
  hold(): () => void;
  close(): void;
}

/**
 * It keeps no process alive that has nothing else to do, and ends when it is not held for a while.
 */
export function startModelThread(): ModelThread {
  const entry = new URL(`./model-worker${extname(import.meta.url)}`, import.meta.url);
  const thread = new WorkerThread<ToModel, FromModel>({
    entry,
    idleMsMax: limits.modelIdleMsMax,
  });
  return {
    get isUsable() {
      return thread.isUsable;
    },
    open: async (file, classes) => {
      const transfer = [file.buffer];
      const opening = { msMax: limits.modelOpenMsMax, transfer };
      const opened = await askModel(thread, { kind: 'open', file, classes }, opening);
      if (opened.kind !== 'opened') throw unexpected();
      return {
        task: opened.task,
        classes: opened.classes,
        keypointNames: opened.keypointNames,
        canvas: opened.canvas,
        isStretched: opened.isStretched,
        thresholds: opened.thresholds,
        detect: async (job) => {
          const detecting = { msMax: limits.inferenceMsMax };
          const answer = await askModel(thread, { kind: 'detect', job }, detecting);
          if (answer.kind !== 'found') throw unexpected();
          return answer.found;
        },
      };
    },
    hold: () => thread.hold(),
    close: () => void thread.terminate(),
  };
}

/** Throws what the thread failed with, `timed_out`, and `upstream_failed` where it has ended. */
export async function askModel<To, From extends { readonly kind: string }>(
  thread: WorkerThread<To, From | FailedAnswer>,
  message: To,
  options: AskOptions,
): Promise<From> {
  const answer = await thread.ask(message, options);
  if (answer === 'too slow') throw tooSlow(options.msMax);
  if (answer === 'ended') throw ended();
  if (hasFailed(answer)) throw failureOf(answer);
  return answer;
}

function hasFailed<From extends { readonly kind: string }>(
  answer: From | FailedAnswer,
): answer is FailedAnswer {
  return answer.kind === 'failed';
}

function failureOf(answer: FailedAnswer): FoveaError {
  const { code, message, hint, problems, retry, upstream } = answer;
  return new FoveaError(code, message, {
    ...(hint !== undefined && { hint }),
    problems,
    retry,
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

export function unexpected(): FoveaError {
  return new FoveaError('internal', 'The thread of a model gave no answer to its question.');
}
