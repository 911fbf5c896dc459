// A blob as a file of this disk, which a thread may read by itself.

import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { systemErrorCode } from '../errors.ts';
import { limits } from '../limits.ts';
import { ContentMeter, damaged } from './content-hash.ts';

export interface BlobFile {
  readonly hash: string;
  /** Where it is: at the first of these places that is there. */
  readonly paths: readonly string[];
}

/**
 * The content piece by piece, read while its caller waits: not for a thread that serves others.
 * The last piece comes only after the whole matched the hash. Throws `internal` when it does not,
 * and what the system says of a file that cannot be read.
 */
export function* readBlobFile({ hash, paths }: BlobFile): Generator<Uint8Array> {
  const file = openFirst(paths);
  try {
    const meter = new ContentMeter();
    let left = fstatSync(file).size;
    let last: Uint8Array | undefined;
    while (left > 0) {
      const piece = new Uint8Array(Math.min(left, limits.blobReadAtOnceBytesMax));
      const length = readSync(file, piece);
      if (length === 0) break;
      if (last !== undefined) yield last;
      last = piece.subarray(0, length);
      meter.add(last);
      left -= length;
    }
    if (meter.measured().hash !== hash) throw damaged(hash);
    if (last !== undefined) yield last;
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
