// A blob as a file of this disk, which a thread may read by itself.

import { closeSync, openSync, readSync } from 'node:fs';
import { systemErrorCode } from '../errors.ts';
import { ContentMeter, damaged, verifiedAtOnce } from './content-hash.ts';

export interface BlobFile {
  readonly hash: string;
  /** Where it is: at the first of these places that is there. */
  readonly paths: readonly string[];
}

/**
 * Reads the content while its caller waits: not for a thread that serves others. Each piece lies in
 * the buffer until the next one. Throws what the system says of a file that cannot be read, and, at
 * the latest after the last piece, for content that does not match its hash.
 */
export function* readBlobFile(
  { hash, paths }: BlobFile,
  buffer: Uint8Array,
): Generator<Uint8Array> {
  const file = openFirst(paths);
  try {
    const first = buffer.subarray(0, readSync(file, buffer));
    // Most files are one piece, and end where a read gives less than it might.
    if (first.length < buffer.length) {
      yield* verifiedAtOnce(first, hash);
      return;
    }
    const meter = new ContentMeter();
    for (let piece = first; piece.length > 0; piece = buffer.subarray(0, readSync(file, buffer))) {
      meter.take(piece);
      yield piece;
    }
    if (meter.measured().hash !== hash) throw damaged(hash);
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
