// A blob as a file of this disk, which a thread may read by itself.

import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { systemErrorCode } from '../errors.ts';
import { limits } from '../limits.ts';
import { verified } from './content-hash.ts';

export interface BlobFile {
  readonly hash: string;
  /** Where it is: at the first of these places that is there. */
  readonly paths: readonly string[];
}

/**
 * The content as of `open` of a blob store, read while its caller waits: not for a thread that
 * serves others. Throws what the system says of a file that cannot be read.
 */
export function readBlobFile({ hash, paths }: BlobFile): AsyncGenerator<Uint8Array> {
  return verified(piecesOf(paths), hash);
}

function* piecesOf(paths: readonly string[]): Generator<Uint8Array> {
  const file = openFirst(paths);
  try {
    let left = fstatSync(file).size;
    while (left > 0) {
      const piece = new Uint8Array(Math.min(left, limits.blobReadAtOnceBytesMax));
      const length = readSync(file, piece);
      if (length === 0) return;
      yield piece.subarray(0, length);
      left -= length;
    }
  } finally {
    closeSync(file);
  }
}

function openFirst([path = '', ...others]: readonly string[]): number {
  try {
    return openSync(path, 'r');
  } catch (thrown) {
    if (systemErrorCode(thrown) !== 'ENOENT' || others.length === 0) throw thrown;
    return openFirst(others);
  }
}
