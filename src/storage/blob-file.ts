// A blob as a file of this disk, which a thread may read by itself.

import { closeSync, openSync, readSync } from 'node:fs';
import { systemErrorCode } from '../errors.ts';
import { ContentMeter, damaged } from './content-hash.ts';

export interface BlobFile {
  readonly hash: string;
  /** Where it is: at the first of these places that is there. */
  readonly paths: readonly string[];
}

/**
 * Reads the content while its caller waits: not for a thread that serves others. Each piece lies in
 * the buffer until the next one. Throws what the system says of a file that cannot be read, and,
 * after the last piece, for content that does not match its hash.
 */
export function* readBlobFile(
  { hash, paths }: BlobFile,
  buffer: Uint8Array,
): Generator<Uint8Array> {
  const file = openFirst(paths);
  try {
    const meter = new ContentMeter();
    for (;;) {
      const length = readSync(file, buffer);
      if (length === 0) break;
      const piece = buffer.subarray(0, length);
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
