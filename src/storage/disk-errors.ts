// What went wrong with a disk, told apart from what went wrong with whatever is written to it.

import { FoveaError, systemErrorCode } from '../errors.ts';

/** Throws what the disk says by the name of it that a caller can act on: `full` or `internal`. */
export async function onDisk<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (thrown) {
    throw diskError(thrown);
  }
}

/** Likewise, for what was thrown already. */
export function diskError(thrown: unknown): FoveaError {
  if (thrown instanceof FoveaError) return thrown;
  const code = systemErrorCode(thrown);
  if (code === 'ENOSPC' || code === 'EDQUOT') {
    return new FoveaError('full', 'The disk is full: nothing was stored.', { cause: thrown });
  }
  const what = code === 'EROFS' ? 'is read-only' : 'failed';
  return new FoveaError('internal', `The disk of the files ${what}.`, { cause: thrown });
}

/** Knows whether a failure was that of the source, and not that of the disk. */
export class Source {
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
