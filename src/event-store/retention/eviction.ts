// Evicts the oldest events of a store that is at a limit, until it is below the limit again.

import type { RemovalReason, Removed } from '../store/store.ts';
import type { BallastFile } from './ballast-file.ts';
import {
  averageRowBytes,
  type CapacityAmount,
  type CapacityReading,
  evictionMargin,
  excessOf,
  isNothingRemovable,
  removableBytes,
} from './capacity.ts';
import type { EventRemover, RemovalGoal } from './event-remover.ts';
import type { RetentionPolicy } from './retention-policy.ts';

export interface EvictionDependencies {
  readonly remover: EventRemover;
  readonly ballast: BallastFile;
  readonly policy: RetentionPolicy;
  /** A reading of this moment. */
  read(): Promise<CapacityReading>;
  /** False: removals free no space on this disk, so nothing is removed for disk space. */
  readonly mayEvictForDisk: boolean;
}

export interface EvictionRequest {
  /** The sum of all waiting writes. */
  readonly wanted: CapacityAmount;
  /** Used instead of `wanted` where removals cannot free that much. */
  readonly minimum: CapacityAmount;
  /** To be kept free beyond that, below the limits of records and bytes. */
  readonly margin: CapacityAmount;
  readonly batchesMax: number;
}

export interface EvictionResult {
  /** `wanted` or `minimum` of the request. */
  readonly wanted: CapacityAmount;
  /** Events removed. */
  readonly events: number;
  /** The last reading, taken after the last removal. */
  readonly reading: CapacityReading;
  /** Events were removed for disk space, but freed next to none. */
  readonly isIneffective: boolean;
}

/**
 * Removes events until `wanted` fits, and a margin more, so that it need not run for each event.
 * Removes nothing for writes that could not fit even then.
 */
export async function evictOldest(
  dependencies: EvictionDependencies,
  wish: EvictionRequest,
): Promise<EvictionResult> {
  const { policy } = dependencies;
  const reading = await dependencies.read();
  const wanted = cannotFit(reading, policy, wish.wanted) ? wish.minimum : wish.wanted;
  const eviction = new Eviction(dependencies, reading, wish.batchesMax);
  const isIneffective =
    !cannotFit(reading, policy, wanted) &&
    (await removeFor(dependencies, eviction, wanted, wish.margin));
  return { ...eviction.result, wanted, isIneffective };
}

/** Whether it exceeds the byte limit even after removing all that may be removed. */
export function cannotFit(
  reading: CapacityReading,
  policy: RetentionPolicy,
  added: CapacityAmount,
): boolean {
  const { bytes } = excessOf(reading, policy, added);
  return bytes > 0 && bytes > removableBytes(reading, policy.sparesUnsent);
}

/** Returns whether removals for disk space were ineffective. */
async function removeFor(
  dependencies: EvictionDependencies,
  eviction: Eviction,
  wanted: CapacityAmount,
  margin: CapacityAmount,
): Promise<boolean> {
  const { policy } = dependencies;
  const extra = evictionMargin(policy);
  const excess = () => excessOf(eviction.reading, policy, wanted, margin);

  const { records } = excess();
  if (records > 0) await eviction.remove('record_limit', { events: records + extra.records });
  const { bytes } = excess();
  if (bytes > 0 && bytes <= eviction.removableBytes)
    await eviction.remove('byte_limit', { bytes: bytes + extra.bytes });

  if (excess().diskBytes === 0 || !dependencies.mayEvictForDisk) return false;
  await eviction.shrink();
  const { freeBytes } = eviction.reading;
  const { diskBytes } = excess();
  if (diskBytes === 0 || diskBytes > eviction.removableBytes) return false;
  const removed = await eviction.remove('disk_full', { bytes: diskBytes });
  await eviction.shrink();
  const gained = eviction.reading.freeBytes - freeBytes;
  return removed.events > 0 && gained < removed.diskBytes / 8;
}

/** Removes in steps, with a new reading after each. */
class Eviction {
  readonly #dependencies: EvictionDependencies;
  readonly #left: { batches: number };
  #events = 0;
  reading: CapacityReading;

  constructor(dependencies: EvictionDependencies, reading: CapacityReading, batchesMax: number) {
    this.#dependencies = dependencies;
    this.reading = reading;
    this.#left = { batches: batchesMax };
  }

  get result(): Pick<EvictionResult, 'events' | 'reading'> {
    return { events: this.#events, reading: this.reading };
  }

  /** Upper bound of the bytes that removals can free. */
  get removableBytes(): number {
    return removableBytes(this.reading, this.#dependencies.policy.sparesUnsent);
  }

  async remove(reason: RemovalReason, goal: Partial<RemovalGoal>): Promise<Removed> {
    const { remover, policy, read } = this.#dependencies;
    if (isNothingRemovable(this.reading, policy.sparesUnsent)) return nothing;
    const bounds = { events: Infinity, bytes: Infinity, ...goal };
    const rowBytes = averageRowBytes(this.reading);
    const removed = await remover.removeOldest(reason, bounds, rowBytes, this.#left);
    this.#events += removed.events;
    if (removed.events > 0) this.reading = await read();
    return removed;
  }

  /** Returns space of events that are already removed to the disk. */
  async shrink(): Promise<void> {
    const { remover, ballast, read } = this.#dependencies;
    await remover.unlinkRemoved();
    await remover.shrink('urgent');
    await ballast.syncFolder();
    this.reading = await read();
  }
}

const nothing: Removed = { events: 0, diskBytes: 0 };
