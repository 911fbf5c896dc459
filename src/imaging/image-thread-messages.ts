// The messages between an image thread and the thread that started it.

import type { ErrorCode, Problem } from '../errors.ts';
import type { ImageRequest, ImageResponse } from './image-requests.ts';

export interface ThreadData {
  /** Whether this thread says which decoders the whole process may use. */
  readonly allowsDecoders: boolean;
  /** It does one job, and ends: it may take as much memory as one image may. */
  readonly isAlone: boolean;
}

export interface ToThread {
  readonly id: number;
  readonly job: ImageRequest;
}

export type FromThread =
  | { readonly kind: 'ready'; readonly isNative: boolean }
  | { readonly kind: 'done'; readonly id: number; readonly answer: ImageResponse }
  /** The job takes too much memory for a thread that others share. Its bytes come back. */
  | { readonly kind: 'too much'; readonly id: number; readonly bytes: Uint8Array<ArrayBuffer> }
  | { readonly kind: 'failed'; readonly id: number; readonly error: SentError };

export interface SentError {
  readonly code: ErrorCode;
  readonly message: string;
  readonly problems: readonly Problem[];
  readonly hint: string | undefined;
}
