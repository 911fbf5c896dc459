// Brings a store that is at a limit below it again, by removing its oldest events.

import type { EventStoreSettings } from '../../event-store-config.ts';
import type { RemovalReason } from '../store/store.ts';
import type { Cleaner, Goal } from './cleaner.ts';
import {
  type Amount,
  averageRowBytes,
  type Excess,
  excessOf,
  type Figures,
  isAllSpared,
  slackOf,
} from './room.ts';

export interface RoomParts {
  readonly cleaner: Cleaner;
  readonly settings: EventStoreSettings;
  /** Figures of this moment. */
  read(): Promise<Figures>;
  /** False: removals gain nothing on this disk, so none are made for it. */
  readonly mayEmptyDisk: boolean;
}

export interface Wish {
  readonly wanted: Amount;
  /** Beyond that, below the limits of records and bytes. */
  readonly spare: Amount;
  readonly batchesMax: number;
}

export interface Made {
  /** Events removed. */
  readonly events: number;
  /** Room on the disk was wanted, and removals gained next to none. */
  readonly isFutile: boolean;
}

/**
 * Removes what is too much for `wanted` to come in, and a little more, so that it need not run for
 * each event. Nothing is removed for what can never fit.
 */
export async function makeRoom(
  parts: RoomParts,
  { wanted, spare, batchesMax }: Wish,
): Promise<Made> {
  const { cleaner, settings } = parts;
  const slack = slackOf(settings);
  const left = { batches: batchesMax };
  let events = 0;
  let figures = await parts.read();
  const remove = async (reason: RemovalReason, amount: Partial<Goal>) => {
    const goal = { events: Infinity, bytes: Infinity, ...amount };
    const removed = await cleaner.removeOldest(reason, goal, averageRowBytes(figures), left);
    events += removed.events;
    return removed;
  };
  const excess = (): Excess => {
    const isVain = isAllSpared(figures, settings.cloud !== undefined);
    return isVain ? noExcess : excessOf(figures, settings, wanted, spare);
  };

  const records = excess().records;
  if (records > 0) {
    await remove('record_limit', { events: records + slack.records });
    figures = await parts.read();
  }
  const { bytes } = excess();
  if (bytes > 0) {
    await remove('byte_limit', { bytes: bytes + slack.bytes });
    figures = await parts.read();
  }
  if (excess().diskBytes > 0 && parts.mayEmptyDisk) figures = await shrunk(parts);
  const { diskBytes } = excess();
  if (diskBytes === 0 || diskBytes > figures.bytesUsed || !parts.mayEmptyDisk) {
    return { events, isFutile: false };
  }
  const freeBytes = figures.freeBytes;
  const removed = await remove('disk_full', { bytes: diskBytes });
  figures = await shrunk(parts);
  const isFutile = figures.freeBytes - freeBytes < removed.diskBytes / 2;
  return { events, isFutile: isFutile && removed.events > 0 };
}

/** What is only waiting to be given back is given back before anything is removed. */
async function shrunk({ cleaner, read }: RoomParts): Promise<Figures> {
  await cleaner.unlinkRemoved();
  await cleaner.shrink('urgent');
  return read();
}

const noExcess: Excess = { records: 0, bytes: 0, diskBytes: 0 };
