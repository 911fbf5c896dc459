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

/** Counts towards the byte limit; without the database's log, which removals do not shrink. */
export function countedBytes({ usage }: CapacityReading): number {
  return usage.fileDiskBytes + usage.databaseBytes;
}

/**
 * Upper bound of the bytes that removals can free: the files of removable events and their share of
 * the database, without its empty tables and the ledger, to which each removal adds a line.
 */
export function removableBytes({ usage }: CapacityReading, sparesUnsent: boolean): number {
  const { events, diskBytes } = usage.removable(sparesUnsent);
  if (events <= 0) return 0;
  const removals = Object.values(usage.removed).reduce((total, count) => total + count, 0);
  const lines = Math.min(removals, limits.ledgerLinesMax);
  const newLines = Math.min(events, limits.ledgerLinesMax - lines);
  const allRows = usage.databaseBytes - emptyDatabaseBytes - lines * ledgerLineBytes;
  const rows = (Math.max(0, allRows) * events) / usage.records;
  // A small event takes hardly more than its ledger line, but still frees something.
  return diskBytes + rows - Math.min(newLines * ledgerLineBytes, rows / 2);
}

/** Size of a database without rows. */
const emptyDatabaseBytes = 100 * 1024;
/** A lower estimate, indexes included: a higher one would refuse writes that can fit. */
const ledgerLineBytes = 120;

/** Average bytes of an event's files; 0 in an empty store. */
export function averageFileBytes({ usage }: CapacityReading): number {
  return usage.records === 0 ? 0 : Math.ceil(usage.fileDiskBytes / usage.records);
}

/** Average bytes of an event in the database; 0 in an empty store. */
export function averageRowBytes({ usage }: CapacityReading): number {
  return usage.records === 0 ? 0 : Math.ceil(usage.databaseBytes / usage.records);
}

/** Why writes are refused. */
export function excessMessage(
  excess: CapacityExcess,
  reading: CapacityReading,
  policy: Limits,
): string {
  const spared =
    'nothing more may be removed: what is left waits for upload, is a draft, or is under a hold';
  if (excess.records > 0) {
    return `The store holds ${reading.usage.records} events of at most ${policy.recordsMax}, and ${spared}.`;
  }
  if (excess.bytes > 0) {
    return `The store uses ${countedBytes(reading)} bytes of at most ${policy.bytesMax}, and ${spared}.`;
  }
  const least = freeBytesMin(reading, policy);
  return `The disk has ${reading.freeBytes} bytes free and must keep ${least}, and no cleanup can change that now.`;
}
