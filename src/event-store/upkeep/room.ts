// How much room the limits leave: plain arithmetic over figures of one moment.

import { limits } from '../../limits.ts';
import type { Usage } from '../store/store.ts';
import type { Policy } from './policy.ts';

export interface Figures {
  readonly usage: Usage;
  readonly freeBytes: number;
  /** What the reserve has on the disk. */
  readonly reserveBytes: number;
  /** Of uploads that are coming in. */
  readonly incomingBytes: number;
}

export interface Amount {
  readonly records: number;
  readonly bytes: number;
  /** Those of them that are yet to be written. */
  readonly diskBytes: number;
}

/** By how much each limit is exceeded; 0 where there is room. */
export interface Excess {
  readonly records: number;
  readonly bytes: number;
  readonly diskBytes: number;
}

type Limits = Pick<Policy, 'recordsMax' | 'bytesMax' | 'reserveBytes'>;

/** What would be too much once `added` were there, with so much of the limits to spare. */
export function excessOf(
  figures: Figures,
  policy: Limits,
  added: Amount,
  spare: Amount = { records: 0, bytes: 0, diskBytes: 0 },
): Excess {
  const { usage, freeBytes } = figures;
  const kept = keptBytes(figures) + figures.incomingBytes;
  return {
    records: Math.max(0, usage.records + added.records + spare.records - policy.recordsMax),
    bytes: Math.max(0, kept + added.bytes + spare.bytes - policy.bytesMax),
    diskBytes: Math.max(0, freeBytesMin(figures, policy) + added.diskBytes - freeBytes),
  };
}

export function isNone({ records, bytes, diskBytes }: Excess): boolean {
  return records === 0 && bytes === 0 && diskBytes === 0;
}

/**
 * What the disk must keep free: as much as the reserve has, and while the reserve is given up, room
 * to make it again.
 */
function freeBytesMin({ reserveBytes }: Figures, policy: Limits): number {
  if (policy.reserveBytes === 0) return limits.diskFreeBytesMin;
  return 2 * policy.reserveBytes - Math.min(reserveBytes, policy.reserveBytes);
}

/** What a cleanup at a limit removes beyond the excess, so that it need not run for each event. */
export function slackOf({ recordsMax, bytesMax }: Limits): Amount {
  return {
    records: Math.min(Math.floor(recordsMax / 100), limits.capacitySlackRecordsMax),
    bytes: Math.min(Math.floor(bytesMax / 100), limits.capacitySlackBytesMax),
    diskBytes: 0,
  };
}

/** Whether one look at the figures says that no cleanup may remove anything. */
export function isAllSpared({ usage }: Figures, sparesUnsent: boolean): boolean {
  const unsent = sparesUnsent ? usage.waiting + usage.drafts : 0;
  return usage.records <= Math.max(unsent, usage.held);
}

/** What counts towards the byte limit: not the database's log, which no removal makes smaller. */
export function keptBytes({ usage }: Figures): number {
  return usage.fileDiskBytes + usage.databaseBytes;
}

/**
 * What removals can free, at most: the files of events that may go, and their share of the
 * database, without its empty tables and the ledger, in which each leaves a line.
 */
export function removableBytes({ usage }: Figures, sparesUnsent: boolean): number {
  const { events, diskBytes } = usage.removable(sparesUnsent);
  if (events <= 0) return 0;
  const removals = Object.values(usage.removed).reduce((total, count) => total + count, 0);
  const lines = Math.min(removals, limits.ledgerLinesMax);
  const newLines = Math.min(events, limits.ledgerLinesMax - lines);
  const allRows = usage.databaseBytes - emptyDatabaseBytes - lines * ledgerLineBytes;
  const rows = (Math.max(0, allRows) * events) / usage.records;
  // A small event hardly takes more than its line; it still frees something.
  return diskBytes + rows - Math.min(newLines * ledgerLineBytes, rows / 2);
}

/** Of the tables alone. */
const emptyDatabaseBytes = 100 * 1024;
/** Hardly less, indexes included: too much here would refuse what there can be room for. */
const ledgerLineBytes = 120;

/** Bytes of the files of an event, on average; of an empty store 0. */
export function averageFileBytes({ usage }: Figures): number {
  return usage.records === 0 ? 0 : Math.ceil(usage.fileDiskBytes / usage.records);
}

/** Bytes of an event in the database, on average; of an empty store 0. */
export function averageRowBytes({ usage }: Figures): number {
  return usage.records === 0 ? 0 : Math.ceil(usage.databaseBytes / usage.records);
}

/** Why nothing is taken in, for people. */
export function wordsFor(excess: Excess, figures: Figures, policy: Limits): string {
  const spared =
    'nothing more may be removed: what is left waits for upload, is a draft, or is under a hold';
  if (excess.records > 0) {
    return `The store holds ${figures.usage.records} events of at most ${policy.recordsMax}, and ${spared}.`;
  }
  if (excess.bytes > 0) {
    return `The store uses ${keptBytes(figures)} bytes of at most ${policy.bytesMax}, and ${spared}.`;
  }
  const least = freeBytesMin(figures, policy);
  return `The disk has ${figures.freeBytes} bytes free and must keep ${least}, and no cleanup can change that now.`;
}
