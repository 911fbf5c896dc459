// Room on the disk for large files that come in at the same time: the database needs some, too.

import { FoveaError } from '../errors.ts';
import { limits } from '../limits.ts';

/** Bytes that somebody is about to write. */
export interface Share {
  /** To be told of each piece, before it is written. Throws `full`. */
  wrote(bytes: number): Promise<void>;
  /** Nothing more is going to be written. */
  release(): void;
}

export interface Room {
  /**
   * A share for a file of so many bytes; undefined: nobody knows how many. Throws `full` where it
   * has no room beside all that others of this process have yet to write.
   */
  take(bytes: number | undefined): Promise<Share>;
}

/** `freeBytes` are those of the disk. */
export function createRoom(freeBytes: () => Promise<number>): Room {
  const shares = new Set<OpenShare>();
  let turn: Promise<unknown> = Promise.resolve();
  // One after the other: of two that come at once, and do not both fit, one fits.
  const inTurn = (work: () => Promise<void>): Promise<void> => {
    const result = turn.then(work);
    turn = result.catch(() => {});
    return result;
  };
  const check = async () => {
    const owed = [...shares].reduce((sum, share) => sum + owedBy(share), 0);
    if (owed + limits.uploadSpareBytesMin > (await freeBytes())) throw full();
  };
  return {
    take: async (bytes) => {
      const share = { promised: bytes, written: 0, lookedAt: 0 };
      await inTurn(async () => {
        shares.add(share);
        await check().catch((thrown) => {
          shares.delete(share);
          throw thrown;
        });
      });
      return {
        wrote: async (count) => {
          share.written += count;
          if (share.written - share.lookedAt < limits.uploadRoomStepBytes) return;
          share.lookedAt = share.written;
          await inTurn(check);
        },
        release: () => {
          shares.delete(share);
        },
      };
    },
  };
}

/** The pieces of a source as they are, each told of before it goes on. */
export async function* counted(
  source: AsyncIterable<Uint8Array>,
  wrote: Share['wrote'],
): AsyncGenerator<Uint8Array> {
  for await (const piece of source) {
    await wrote(piece.length);
    yield piece;
  }
}

interface OpenShare {
  readonly promised: number | undefined;
  written: number;
  /** The bytes that were written when the disk was last looked at. */
  lookedAt: number;
}

function owedBy({ promised, written, lookedAt }: OpenShare): number {
  const step = lookedAt + limits.uploadRoomStepBytes;
  return Math.max(0, (promised ?? step) - written);
}

function full(): FoveaError {
  return new FoveaError('full', 'There is no room on the disk for this file.', {
    retryAfterSeconds: limits.fullRetryAfterSeconds,
  });
}
