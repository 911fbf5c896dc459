// Evaluates in a thread of its own: many detections take seconds, in which others must get answers.

import { extname } from 'node:path';
import type { EvaluableTask } from '../../contract/evaluations.ts';
import { currentCaller } from '../../current-caller.ts';
import { FoveaError } from '../../errors.ts';
import type { ClassificationFigures } from '../../evaluation/classification.ts';
import type { Detection } from '../../evaluation/evaluated-image.ts';
import type { Evaluation } from '../../evaluation/evaluation.ts';
import type { NamedImage } from '../../evaluation/find-images.ts';
import type { Fit } from '../../evaluation/fit-of-predictions.ts';
import type { UnknownNames } from '../../evaluation/read-predictions.ts';
import { limits } from '../../limits.ts';
import { Semaphore } from '../../semaphore.ts';
import { startWorkerThread } from '../../worker-thread.ts';
import type { FoundMistake } from '../store/evaluations.ts';
import type { LabelledShape } from './judged-images.ts';
import type { PackedShapes } from './packed-shapes.ts';

export interface EvaluationQuestion {
  readonly modelTask: EvaluableTask;
  /** Of classes: whether an image has one. */
  readonly isSingleLabel: boolean;
  readonly images: readonly JudgedBy[];
  readonly classes: readonly string[];
  /** Where keypoints are judged, the names of those of each class. */
  readonly keypointNames: readonly (readonly string[])[] | undefined;
  readonly confidence: number | undefined;
  /** The file whose predictions are judged in place of the detections of the images. */
  readonly predictions: { readonly text: string; readonly isNumbered: boolean } | undefined;
}

export interface JudgedBy extends NamedImage {
  readonly groundTruths: readonly LabelledShape[];
  readonly detections: readonly Detection[];
  /** Of each detection its outline or keypoints, where these are judged. */
  readonly shapes?: PackedShapes | undefined;
  /** By how much the original is larger: sizes are those of the original. */
  readonly scale: number;
}

/** A file whose form is looked at, before there is anything to judge. */
export interface FormQuestion {
  readonly modelTask: EvaluableTask;
  /** Of the labels; none: it is not known yet which they have. */
  readonly classes: readonly string[];
  /** What those are called that are to be judged. */
  readonly namedImages: readonly NamedImage[];
  readonly form: { readonly text: string; readonly isNumbered: boolean };
}

export interface EvaluationAnswer extends Evaluation {
  /** Of classes alone. */
  readonly classification?: ClassificationFigures | undefined;
  readonly judgedBy: string;
  readonly kind: 'evaluated';
  /**
   * Of each image its labels, and what was found with that confidence, in pixels of the image: as
   * JSON, since many boxes take long from thread to thread.
   */
  readonly boxes: readonly string[];
  /** Of each image, its labels that are possibly wrong. */
  readonly mistakes: readonly (readonly FoundMistake[])[];
  /** Undefined where a model was run. */
  readonly unknown: UnknownNames | undefined;
  /** Of a file alone. */
  readonly fit: Fit | undefined;
}

export type FromEvaluationThread =
  | { readonly kind: 'ready' }
  | { readonly kind: 'wellFormed' }
  | EvaluationAnswer
  | ({ readonly kind: 'refused' } & Pick<FoveaError, 'code' | 'message' | 'hint' | 'problems'>);

/** Throws as readPredictions, `too_large` for what takes too long, and the reason of the signal. */
export async function evaluateInThread(
  question: EvaluationQuestion,
  signal: AbortSignal,
): Promise<EvaluationAnswer> {
  const given = await ask(question, signal);
  if (given.kind === 'evaluated') return given;
  throw new FoveaError('internal', 'An evaluation has no answer.');
}

/** Each takes a thread with its memory, while a caller waits. */
const formChecks = new Semaphore({ permitsMax: 1 });

/** Throws as `evaluateInThread` for a file whose form is wrong, whatever is judged by it. */
export async function checkForm(question: FormQuestion, signal: AbortSignal): Promise<void> {
  const caller = currentCaller();
  await formChecks.run(() => ask(question, signal), caller ? { caller, signal } : { signal });
}

async function ask(
  question: EvaluationQuestion | FormQuestion,
  signal: AbortSignal,
): Promise<FromEvaluationThread> {
  const entry = new URL(`./evaluation-worker${extname(import.meta.url)}`, import.meta.url);
  const thread = await startWorkerThread<EvaluationQuestion | FormQuestion, FromEvaluationThread>(
    { entry, megabytesMax: limits.evaluationMegabytesMax },
    signal,
  );
  try {
    const given = await thread.ask(question, { msMax: limits.evaluationMsMax, signal });
    if (given === 'too slow' || given === 'ended') {
      const what = given === 'too slow' ? 'time' : 'memory';
      throw new FoveaError('too_large', `The evaluation takes too much ${what}.`, {
        hint: 'Judge fewer images at a time.',
      });
    }
    if (given.kind !== 'refused') return given;
    const { code, message, hint, problems } = given;
    throw new FoveaError(code, message, { problems, ...(hint !== undefined && { hint }) });
  } finally {
    await thread.terminate();
  }
}
