// What the thread that writes a zip file is told, and what it answers.

import type { ErrorCode } from '../errors.ts';
import type { BlobFile } from '../storage/blob-file.ts';
import type { StoredBlob } from '../storage/blob-store.ts';

/** An entry, with a file that the thread reads, or followed by pieces of its content. */
export type ZipPart =
  | ZipEntryPart
  | { readonly kind: 'piece'; readonly bytes: Uint8Array }
  | { readonly kind: 'end' };

export interface ZipEntryPart {
  readonly kind: 'entry';
  readonly path: string;
  readonly isDeflated: boolean;
  readonly file: BlobFile | undefined;
}

/** One for each message, when most of it is written; that to `end` when all is on the disk. */
export type ZipAnswer =
  | { readonly kind: 'taken' }
  | ({ readonly kind: 'written' } & StoredBlob)
  | { readonly kind: 'failed'; readonly code: ErrorCode; readonly message: string };
