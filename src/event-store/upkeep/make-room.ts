// Brings a store that is at a limit below it again, by removing its oldest events.

import type { RemovalReason, Removed } from '../store/store.ts';
import type { Cleaner, Goal } from './cleaner.ts';
import type { Policy } from './policy.ts';
import type { Reserve } from './reserve.ts';
import {
  type Amount,
  averageRowBytes,
  excessOf,
  type Figures,
  isAllSpared,
  removableBytes,
  slackOf,
} from './room.ts';

export interface RoomParts {
  readonly cleaner: Cleaner;
  readonly reserve: Reserve;
  readonly policy: Policy;
  /** Figures of this moment. */
  read(): Promise<Figures>;
  /** False: removals gain nothing on this disk, so none are made for it. */
  readonly mayEmptyDisk: boolean;
}

export interface Wish {
  /** For all who wait, and what to make room for where that is more than removals can free. */
  readonly wanted: Amount;
  readonly least: Amount;
  /** Beyond that, below the limits of records and bytes. */
  readonly spare: Amount;
  readonly batchesMax: number;
}

export interface Made {
  /** What room was to be made for. */
  readonly wanted: Amount;
  /** Events removed. */
  readonly events: number;
  /** Of the last reading: with nothing removed, those that a removal found nothing for. */
  readonly figures: Figures;
  /** Room on the disk was wanted, and removals gained next to none. */
  readonly isFutile: boolean;
}

/**
 * Removes what is too much for `wanted` to come in, and a little more, so that it need not run for
 * each event. Nothing is removed for what cannot fit then either: it would be refused all the same,
 * and the events be gone.
 */
export async function makeRoom(parts: RoomParts, wish: Wish): Promise<Made> {
  const { policy } = parts;
  const figures = await parts.read();
  const wanted = isOutOfReach(figures, policy, wish.wanted) ? wish.least : wish.wanted;
  const removal = new Removal(parts, figures, wish.batchesMax);
  const isFutile =
    !isOutOfReach(figures, policy, wanted) && (await removeFor(parts, removal, wanted, wish.spare));
  return { ...removal.done, wanted, isFutile };
}

/** Whether it has too many bytes even for a store without all that may be removed. */
export function isOutOfReach(figures: Figures, policy: Policy, added: Amount): boolean {
  const { bytes } = excessOf(figures, policy, added);
  return bytes > 0 && bytes > removableBytes(figures, policy.sparesUnsent);
}

/** Says whether it was futile. */
async function removeFor(
  parts: RoomParts,
  removal: Removal,
  wanted: Amount,
  spare: Amount,
): Promise<boolean> {
  const { policy } = parts;
  const slack = slackOf(policy);
  const excess = () => excessOf(removal.figures, policy, wanted, spare);

  const { records } = excess();
  if (records > 0) await removal.remove('record_limit', { events: records + slack.records });
  const { bytes } = excess();
  if (bytes > 0 && bytes <= removal.removableBytes)
    await removal.remove('byte_limit', { bytes: bytes + slack.bytes });

  if (excess().diskBytes === 0 || !parts.mayEmptyDisk) return false;
  await removal.shrink();
  const { freeBytes } = removal.figures;
  const { diskBytes } = excess();
  if (diskBytes === 0 || diskBytes > removal.removableBytes) return false;
  const removed = await removal.remove('disk_full', { bytes: diskBytes });
  await removal.shrink();
  const gained = removal.figures.freeBytes - freeBytes;
  return removed.events > 0 && gained < removed.diskBytes / 8;
}

/** Removes in steps, with the figures after each of them. */
class Removal {
  readonly #parts: RoomParts;
  readonly #left: { batches: number };
  #events = 0;
  figures: Figures;

  constructor(parts: RoomParts, figures: Figures, batchesMax: number) {
    this.#parts = parts;
    this.figures = figures;
    this.#left = { batches: batchesMax };
  }

  get done(): Pick<Made, 'events' | 'figures'> {
    return { events: this.#events, figures: this.figures };
  }

  /** At most so many. */
  get removableBytes(): number {
    return removableBytes(this.figures, this.#parts.policy.sparesUnsent);
  }

  async remove(reason: RemovalReason, goal: Partial<Goal>): Promise<Removed> {
    const { cleaner, policy, read } = this.#parts;
    if (isAllSpared(this.figures, policy.sparesUnsent)) return nothing;
    const whole = { events: Infinity, bytes: Infinity, ...goal };
    const rowBytes = averageRowBytes(this.figures);
    const removed = await cleaner.removeOldest(reason, whole, rowBytes, this.#left);
    this.#events += removed.events;
    if (removed.events > 0) this.figures = await read();
    return removed;
  }

  /** Gives back to the disk what is only waiting for that. */
  async shrink(): Promise<void> {
    const { cleaner, reserve, read } = this.#parts;
    await cleaner.unlinkRemoved();
    await cleaner.shrink('urgent');
    await reserve.settle();
    this.figures = await read();
  }
}

const nothing: Removed = { events: 0, diskBytes: 0 };
