// Arithmetic of the record, byte and disk limits over one reading of the store and its disk.

import { limits } from '../../limits.ts';
import type { Usage } from '../store/store.ts';
import type { RetentionPolicy } from './retention-policy.ts';

export interface CapacityReading {
  readonly usage: Usage;
  readonly freeBytes: number;
  /** Bytes of the ballast file on the disk. */
  readonly ballastBytes: number;
  /** Of uploads in progress. */
  readonly incomingBytes: number;
}

export interface CapacityAmount {
  readonly records: number;
  readonly bytes: number;
  /** Bytes not yet written to the disk. */
  readonly diskBytes: number;
}

export const noAmount: CapacityAmount = { records: 0, bytes: 0, diskBytes: 0 };

export function sumOf(one: CapacityAmount, other: CapacityAmount): CapacityAmount {
  return {
    records: one.records + other.records,
    bytes: one.bytes + other.bytes,
    diskBytes: one.diskBytes + other.diskBytes,
  };
}

/** More than the limits can never be kept. */
export function cappedAtLimits(
  { records, bytes, diskBytes }: CapacityAmount,
  { recordsMax, bytesMax }: Limits,
): CapacityAmount {
  return {
    records: Math.min(records, recordsMax),
    bytes: Math.min(bytes, bytesMax),
    diskBytes: Math.min(diskBytes, bytesMax),
  };
}

/** By how much each limit is exceeded; 0 where there is room. */
export interface CapacityExcess {
  readonly records: number;
  readonly bytes: number;
  readonly diskBytes: number;
}

type Limits = Pick<RetentionPolicy, 'recordsMax' | 'bytesMax' | 'reserveBytes'>;

/** The excess once `added` is stored, with `margin` kept free below the limits. */
export function excessOf(
  reading: CapacityReading,
  policy: Limits,
  added: CapacityAmount,
  margin: CapacityAmount = noAmount,
): CapacityExcess {
  const { usage, freeBytes } = reading;
  const kept = countedBytes(reading) + reading.incomingBytes;
  return {
    records: Math.max(0, usage.records + added.records + margin.records - policy.recordsMax),
    bytes: Math.max(0, kept + added.bytes + margin.bytes - policy.bytesMax),
    diskBytes: Math.max(0, freeBytesMin(reading, policy) + added.diskBytes - freeBytes),
  };
}

export function isWithinLimits({ records, bytes, diskBytes }: CapacityExcess): boolean {
  return records === 0 && bytes === 0 && diskBytes === 0;
}

/** The disk must keep the ballast's size free, and twice that while the ballast is released. */
function freeBytesMin({ ballastBytes }: CapacityReading, policy: Limits): number {
  if (policy.reserveBytes === 0) return limits.diskFreeBytesMin;
  return 2 * policy.reserveBytes - Math.min(ballastBytes, policy.reserveBytes);
}

/** What an eviction removes beyond the excess, so that it need not run for each event. */
export function evictionMargin({ recordsMax, bytesMax }: Limits): CapacityAmount {
  return {
    records: Math.min(Math.floor(recordsMax / 100), limits.evictionMarginRecordsMax),
    bytes: Math.min(Math.floor(bytesMax / 100), limits.evictionMarginBytesMax),
    diskBytes: 0,
  };
}

/** Whether the reading alone shows that no eviction may remove anything. */
export function isNothingRemovable({ usage }: CapacityReading, sparesUnsent: boolean): boolean {
  const unsent = sparesUnsent ? usage.waiting + usage.drafts : 0;
  return usage.records <= Math.max(unsent, usage.held);
}

/**
 * Counts towards the byte limit: what removals can free, which is files and rows. The empty tables
 * and the ledger stay, and the database's log shrinks by itself.
 */
export function countedBytes({ usage }: CapacityReading): number {
  return usage.fileDiskBytes + rowBytes(usage);
}

function rowBytes({ databaseBytes, ledgerBytes }: Usage): number {
  return Math.max(0, databaseBytes - emptyDatabaseBytes - ledgerBytes);
}

/** Size of a database without rows. */
const emptyDatabaseBytes = 100 * 1024;

/** Of the deletion ledger, which comes on top of the byte limit. */
export function ledgerBytesMax({ bytesMax }: Pick<Limits, 'bytesMax'>): number {
  const share = Math.floor(bytesMax * limits.ledgerShareMax);
  return Math.min(Math.max(share, limits.ledgerBytesMin), limits.ledgerBytesMax);
}

/** Upper bound of the bytes that removals can free: files of removable events, and their rows. */
export function removableBytes({ usage }: CapacityReading, sparesUnsent: boolean): number {
  const { events, diskBytes } = usage.removable(sparesUnsent);
  return events <= 0 ? 0 : diskBytes + (rowBytes(usage) * events) / usage.records;
}

/** Average bytes of an event's files; 0 in an empty store. */
export function averageFileBytes({ usage }: CapacityReading): number {
  return usage.records === 0 ? 0 : Math.ceil(usage.fileDiskBytes / usage.records);
}

/** Average bytes of an event in the database; in an empty store, those of a small one. */
export function averageRowBytes({ usage }: CapacityReading): number {
  if (usage.records === 0) return limits.firstRowBytes;
  return Math.ceil(rowBytes(usage) / usage.records);
}

/** Why writes are refused. */
export function excessMessage(
  excess: CapacityExcess,
  reading: CapacityReading,
  policy: Limits & Pick<RetentionPolicy, 'sparesUnsent'>,
): string {
  const left = policy.sparesUnsent
    ? 'waits for upload, is a draft, or is under a hold'
    : 'is under a hold';
  const spared = `nothing more may be removed: what is left ${left}`;
  if (excess.records > 0) {
    return `The store holds ${reading.usage.records} events of at most ${policy.recordsMax}, and ${spared}.`;
  }
  if (excess.bytes > 0) {
    return `The store uses ${countedBytes(reading)} bytes of at most ${policy.bytesMax}, and ${spared}.`;
  }
  const least = freeBytesMin(reading, policy);
  return `The disk has ${reading.freeBytes} bytes free and must keep ${least}, and no cleanup can change that now.`;
}
