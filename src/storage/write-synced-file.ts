// Writes content into a new file and syncs it: many chunks in one call, while the next ones come.

import { type FileHandle, open } from 'node:fs/promises';
import { limits } from '../limits.ts';

/** Writes a new file down to the disk; says how many bytes it has. */
export async function writeSynced(
  path: string,
  content: Uint8Array | AsyncIterable<Uint8Array>,
): Promise<number> {
  const file = await open(path, 'wx', 0o600);
  let bytes: number;
  try {
    bytes =
      content instanceof Uint8Array
        ? await writeAll(file, [content], 0)
        : await writePieces(file, content);
    await file.sync();
  } catch (thrown) {
    await closed(file);
    throw thrown;
  }
  await file.close();
  return bytes;
}

async function closed(file: FileHandle): Promise<void> {
  await file.close().catch(() => {});
}

/**
 * Writes pieces as they come, with little in memory; says how many bytes they had. What is written
 * goes down to the disk meanwhile, so that the sync at the end has little left to do; an error of
 * the disk on the way is thrown, because a later sync would not tell of it again.
 */
async function writePieces(file: FileHandle, pieces: AsyncIterable<Uint8Array>): Promise<number> {
  let waiting: Uint8Array[] = [];
  let waitingBytes = 0;
  let position = 0;
  let syncFrom = limits.fileSyncBytes;
  const writing = new Task();
  const syncing = new Task();
  const flush = async () => {
    await writing.done();
    if (position >= syncFrom && !syncing.isRunning) {
      await syncing.done();
      syncing.begin(file.datasync());
      syncFrom = position + limits.fileSyncBytes;
    }
    writing.begin(writeAll(file, waiting, position));
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
    // The file must not be closed under them.
    await Promise.all([writing.settled, syncing.settled]);
  }
  await writing.done();
  await syncing.done();
  return position;
}

/** A client may send one byte at a time, and each chunk takes more memory than its bytes. */
const piecesMax = 1_000;

/** A promise in the background, whose failure is thrown by `done`. */
class Task {
  isRunning = false;
  settled: Promise<void> = Promise.resolve();
  #failure: { readonly reason: unknown } | undefined;

  begin(work: Promise<unknown>): void {
    this.isRunning = true;
    this.settled = work.then(
      () => {
        this.isRunning = false;
      },
      (reason) => {
        this.isRunning = false;
        this.#failure = { reason };
      },
    );
  }

  async done(): Promise<void> {
    await this.settled;
    if (this.#failure) throw this.#failure.reason;
  }
}

/** Writes all of the pieces at a position, however many calls it takes; says how many bytes. */
async function writeAll(
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
