// Pieces on their way into a file: many in one call, while the next ones come in.

import type { FileHandle } from 'node:fs/promises';
import { limits } from '../limits.ts';

/** Writes pieces as they come, with little in memory; says how many bytes they had. */
export async function writePieces(
  file: FileHandle,
  pieces: AsyncIterable<Uint8Array>,
): Promise<number> {
  let waiting: Uint8Array[] = [];
  let waitingBytes = 0;
  let writing = Promise.resolve(0);
  let position = 0;
  const flush = async () => {
    await writing;
    writing = writeAll(file, waiting, position);
    // A failure shows at the next flush; the source may fail before that.
    writing.catch(() => {});
    position += waitingBytes;
    waiting = [];
    waitingBytes = 0;
  };
  try {
    for await (const piece of pieces) {
      waiting.push(piece);
      waitingBytes += piece.byteLength;
      if (waitingBytes >= limits.fileWriteBytes || waiting.length >= piecesMax) await flush();
    }
    await flush();
  } finally {
    // The file must not be closed under a running write.
    await writing.catch(() => {});
  }
  await writing;
  return position;
}

/** A client may send one byte at a time; each piece takes more memory than its bytes. */
const piecesMax = 1_000;

/** Writes all of the pieces at a position, however many calls it takes; says how many bytes. */
export async function writeAll(
  file: FileHandle,
  pieces: readonly Uint8Array[],
  position: number,
): Promise<number> {
  let left = pieces.filter((piece) => piece.byteLength > 0);
  let written = 0;
  while (left.length > 0) {
    const { bytesWritten } = await file.writev(left, position + written);
    written += bytesWritten;
    left = without(left, bytesWritten);
  }
  return written;
}

/** What is left of pieces after their first bytes. */
function without(pieces: readonly Uint8Array[], bytes: number): Uint8Array[] {
  let skipped = bytes;
  const left: Uint8Array[] = [];
  for (const piece of pieces) {
    if (skipped >= piece.byteLength) skipped -= piece.byteLength;
    else {
      left.push(piece.subarray(skipped));
      skipped = 0;
    }
  }
  return left;
}
