// What the thread of a model and the one that started it say to each other.

import {
  asFoveaError,
  type ErrorCode,
  type Problem,
  type Retry,
  type UpstreamError,
} from '../errors.ts';
import type { Size } from '../imaging/letterbox-resize.ts';
import type { DetectJob, Found } from './detector.ts';
import type { ClassNames } from './model-class-names.ts';
import type { DetectorTask } from './model-layout.ts';
import type { OwnThresholds } from './thresholds.ts';

export type ToModel =
  | {
      readonly kind: 'open';
      readonly file: Uint8Array;
      readonly classes: ClassNames | undefined;
    }
  | { readonly kind: 'detect'; readonly job: DetectJob };

export type FromModel =
  | {
      readonly kind: 'opened';
      readonly task: DetectorTask;
      readonly classes: readonly string[];
      readonly keypointNames: readonly (readonly string[])[];
      readonly canvas: Size;
      readonly isStretched: boolean;
      readonly thresholds: OwnThresholds;
    }
  | { readonly kind: 'found'; readonly found: Found }
  | FailedAnswer;

export interface FailedAnswer {
  readonly kind: 'failed';
  readonly code: ErrorCode;
  readonly message: string;
  readonly hint: string | undefined;
  readonly problems: readonly Problem[];
  readonly retry: Retry;
  readonly upstream: UpstreamError | undefined;
}

/** What a thread says of an error. */
export function failedAnswer(thrown: unknown): FailedAnswer {
  const { code, message, hint, problems, retry, upstream } = asFoveaError(thrown);
  return { kind: 'failed', code, message, hint, problems, retry, upstream };
}
