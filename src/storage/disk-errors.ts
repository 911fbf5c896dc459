// Errors of the disk, told apart from errors of the source that is written to it.

import { FoveaError, systemErrorCode } from '../errors.ts';

/** Throws errors of the disk as `full` or `internal`. */
export async function onDisk<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (thrown) {
    throw diskError(thrown);
  }
}

/** An error of the disk as `full` or `internal`. */
export function diskError(thrown: unknown): FoveaError {
  if (thrown instanceof FoveaError) return thrown;
  const code = systemErrorCode(thrown);
  if (code === 'ENOSPC' || code === 'EDQUOT') {
    return new FoveaError('full', 'The disk is full: nothing was stored.', { cause: thrown });
  }
  const what = code === 'EROFS' ? 'is read-only' : 'failed';
  return new FoveaError('internal', `The disk of the files ${what}.`, { cause: thrown });
}

/** Remembers whether the source failed, to tell its failures from those of the disk. */
export class WatchedSource {
  hasFailed = false;

  async *watched(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    const source = pieces[Symbol.asyncIterator]();
    try {
      for (;;) {
        const next = await this.#next(source);
        if (next.done) return;
        yield next.value;
      }
    } finally {
      await source.return?.();
    }
  }

  async #next(source: AsyncIterator<Uint8Array>): Promise<IteratorResult<Uint8Array>> {
    try {
      return await source.next();
    } catch (thrown) {
      this.hasFailed = true;
      throw thrown;
    }
  }
}
