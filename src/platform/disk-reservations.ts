// Reserves disk space for large files that arrive at the same time; the database needs some, too.

import { FoveaError } from '../errors.ts';
import { limits } from '../limits.ts';
import { SerialQueue } from '../serial-queue.ts';

/** Space for one file. */
export interface DiskReservation {
  /** Call before each piece is written. Throws `full`. */
  wrote(bytes: number): Promise<void>;
  /** Call when nothing more will be written. */
  release(): void;
}

export interface DiskReservations {
  /**
   * Reserves space for a file of `bytes`; undefined: its size is not known. Throws `full` where
   * the free space does not hold it beside all other reservations of this process.
   */
  reserve(bytes: number | undefined): Promise<DiskReservation>;
}

/** `freeBytes` are those of the disk. */
export function createDiskReservations(freeBytes: () => Promise<number>): DiskReservations {
  const reservations = new Set<OpenReservation>();
  // Of two files that do not both fit, one is accepted.
  const queue = new SerialQueue();
  const check = async () => {
    const owed = [...reservations].reduce((sum, reservation) => sum + owedBy(reservation), 0);
    if (owed + limits.uploadSpareBytesMin > (await freeBytes())) throw full();
  };
  return {
    reserve: async (bytes) => {
      const reservation = { promised: bytes, written: 0, lookedAt: 0 };
      await queue.run(async () => {
        reservations.add(reservation);
        await check().catch((thrown) => {
          reservations.delete(reservation);
          throw thrown;
        });
      });
      return {
        wrote: async (count) => {
          reservation.written += count;
          if (reservation.written - reservation.lookedAt < limits.uploadRoomStepBytes) return;
          reservation.lookedAt = reservation.written;
          await queue.run(check);
        },
        release: () => {
          reservations.delete(reservation);
        },
      };
    },
  };
}

/** The pieces of a source as they are, each told of before it goes on. */
export async function* counted(
  source: AsyncIterable<Uint8Array>,
  wrote: DiskReservation['wrote'],
): AsyncGenerator<Uint8Array> {
  for await (const piece of source) {
    await wrote(piece.length);
    yield piece;
  }
}

interface OpenReservation {
  readonly promised: number | undefined;
  written: number;
  /** The bytes that were written when the disk was last looked at. */
  lookedAt: number;
}

function owedBy({ promised, written, lookedAt }: OpenReservation): number {
  const step = lookedAt + limits.uploadRoomStepBytes;
  return Math.max(0, (promised ?? step) - written);
}

function full(): FoveaError {
  return new FoveaError('full', 'There is no room on the disk for this file.', {
    retryAfterSeconds: limits.fullRetryAfterSeconds,
  });
}
