// Messages between a thread for long reads and the one that started it.

import type { ErrorCode, Problem } from '../../../errors.ts';
import type { ReadAnswer, ReadName } from './long-reads.ts';

export interface ReadThreadData {
  /** Of the database. */
  readonly path: string;
}

export type FromReadThread<Name extends ReadName = ReadName> =
  | { readonly kind: 'ready' }
  | { readonly kind: 'read'; readonly answer: ReadAnswer<Name> }
  | FailedRead;

export interface FailedRead {
  readonly kind: 'failed';
  readonly code: ErrorCode;
  readonly message: string;
  readonly hint: string | undefined;
  readonly problems: readonly Problem[];
}
