// What the thread that writes a zip file is told, and what it answers.

import type { ErrorCode } from '../errors.ts';
import type { BlobFile } from '../storage/blob-file.ts';
import type { StoredBlob } from '../storage/blob-store.ts';

/** An entry, then its content: pieces of it, or a file that the thread reads. */
export type ZipPart =
  | { readonly kind: 'entry'; readonly path: string; readonly isDeflated: boolean }
  | { readonly kind: 'piece'; readonly bytes: Uint8Array }
  | { readonly kind: 'file'; readonly path: string; readonly file: BlobFile }
  | { readonly kind: 'end' };

/** One for each message, when most of it is written; that to `end` when all is on the disk. */
export type ZipAnswer =
  | { readonly kind: 'taken' }
  | ({ readonly kind: 'written' } & StoredBlob)
  | { readonly kind: 'failed'; readonly code: ErrorCode; readonly message: string };
