// A zip file as a stream of pieces: for any number of entries, each read when its turn comes. The
// records are those of the ZIP specification (APPNOTE 6.3), of 64 bits where they have to be.

import { pipeline } from 'node:stream';
import { crc32, createDeflateRaw, deflateRawSync } from 'node:zlib';
import { type ErrorCode, FoveaError, systemErrorCode } from '../errors.ts';

export interface ZipEntry {
  /** Relative, with `/` between its parts. */
  readonly path: string;
  readonly isDeflated: boolean;
  /** Called once, when its turn comes. */
  readonly content: () => AsyncGenerator<Uint8Array>;
}

/**
 * For an entry whose content is not to be had: `conflict` where asking again cannot help, since it
 * is damaged or lost; `internal` else.
 */
export function unreadableEntry(path: string, cause: unknown): FoveaError {
  const isDamaged = cause instanceof FoveaError && lostCodes.has(cause.code);
  if (isDamaged || systemErrorCode(cause) === 'ENOENT') {
    const remedy = 'restore it from a backup, or leave the image out of what you export';
    const message = `The stored content of "${path}" is damaged or lost: ${remedy}.`;
    return new FoveaError('conflict', message, { cause });
  }
  return new FoveaError('internal', `"${path}" of the export cannot be read.`, { cause });
}

const lostCodes: ReadonlySet<ErrorCode> = new Set(['internal', 'not_found']);

/** Throws as the contents of the entries do. The same entries give the same bytes. */
export async function* zipStream(
  entries: Iterable<ZipEntry> | AsyncIterable<ZipEntry>,
): AsyncGenerator<Uint8Array> {
  const directory: Buffer[] = [];
  let offset = 0;
  for await (const entry of entries) {
    const name = Buffer.from(entry.path);
    const header = localHeader(name, entry);
    yield header;
    const sums: Sums = { crc: 0, size: 0, stored: 0 };
    yield* contentOf(entry, sums);
    const descriptor = dataDescriptor(sums);
    yield descriptor;
    directory.push(directoryRecord(name, entry, { ...sums, offset }));
    offset += header.length + sums.stored + descriptor.length;
  }
  yield* directory;
  const bytes = directory.reduce((sum, { length }) => sum + length, 0);
  yield endRecords({ count: directory.length, bytes, offset });
}

/** Of the content of an entry, counted while it passes. */
interface Sums {
  crc: number;
  size: number;
  /** As it stands in the zip file. */
  stored: number;
}

async function* contentOf(
  { content, isDeflated }: ZipEntry,
  sums: Sums,
): AsyncGenerator<Uint8Array> {
  const pieces = counted(content(), sums);
  for await (const piece of isDeflated ? deflated(pieces) : pieces) {
    sums.stored += piece.length;
    yield piece;
  }
}

async function* counted(
  content: AsyncIterable<Uint8Array>,
  sums: Sums,
): AsyncGenerator<Uint8Array> {
  for await (const piece of content) {
    sums.crc = crc32(piece, sums.crc);
    sums.size += piece.length;
    yield piece;
  }
}

/** What is short is deflated at once: a stream that deflates costs more than the few bytes do. */
async function* deflated(pieces: AsyncGenerator<Uint8Array>): AsyncGenerator<Uint8Array> {
  const first = await pieces.next();
  const second = first.done ? first : await pieces.next();
  const start = first.done ? new Uint8Array() : first.value;
  if (second.done && start.length <= deflatedAtOnceBytesMax) return yield deflateRawSync(start);
  const all = async function* () {
    yield start;
    if (!second.done) yield second.value;
    yield* pieces;
  };
  // The error of what is read comes out of it too.
  yield* pipeline(all, createDeflateRaw(), () => {});
}

/** A millisecond of the main thread. */
const deflatedAtOnceBytesMax = 16 * 1024;

const versionNeeded = 20;
const versionNeeded64 = 45;
/** Unix, and the version of the specification. */
const versionMadeBy = (3 << 8) | 63;
/** Sizes and sum stand behind the content; names are in UTF-8. */
const flags = 0x0808;
/** 2000-01-01 00:00: zip files hold local time, and this has the same digits in every zone. */
const dosTime = 0;
const dosDate = ((2000 - 1980) << 9) | (1 << 5) | 1;
const fileMode = 0o100644;
const max16 = 0xffff;
const max32 = 0xffff_ffff;

function localHeader(name: Buffer, { isDeflated }: ZipEntry): Buffer {
  const record = Buffer.alloc(30 + name.length);
  record.writeUInt32LE(0x04034b50, 0);
  record.writeUInt16LE(versionNeeded, 4);
  record.writeUInt16LE(flags, 6);
  record.writeUInt16LE(isDeflated ? 8 : 0, 8);
  record.writeUInt16LE(dosTime, 10);
  record.writeUInt16LE(dosDate, 12);
  record.writeUInt16LE(name.length, 26);
  name.copy(record, 30);
  return record;
}

function dataDescriptor({ crc, size, stored }: Sums): Buffer {
  const isLarge = Math.max(size, stored) >= max32;
  const record = Buffer.alloc(isLarge ? 24 : 16);
  record.writeUInt32LE(0x08074b50, 0);
  record.writeUInt32LE(crc, 4);
  if (isLarge) {
    record.writeBigUInt64LE(BigInt(stored), 8);
    record.writeBigUInt64LE(BigInt(size), 16);
  } else {
    record.writeUInt32LE(stored, 8);
    record.writeUInt32LE(size, 12);
  }
  return record;
}

function directoryRecord(
  name: Buffer,
  { isDeflated }: ZipEntry,
  { crc, size, stored, offset }: Sums & { readonly offset: number },
): Buffer {
  const isLarge = Math.max(size, stored, offset) >= max32;
  const record = Buffer.alloc(46 + name.length + (isLarge ? 28 : 0));
  const in32 = (value: number) => (isLarge ? max32 : value);
  record.writeUInt32LE(0x02014b50, 0);
  record.writeUInt16LE(versionMadeBy, 4);
  record.writeUInt16LE(isLarge ? versionNeeded64 : versionNeeded, 6);
  record.writeUInt16LE(flags, 8);
  record.writeUInt16LE(isDeflated ? 8 : 0, 10);
  record.writeUInt16LE(dosTime, 12);
  record.writeUInt16LE(dosDate, 14);
  record.writeUInt32LE(crc, 16);
  record.writeUInt32LE(in32(stored), 20);
  record.writeUInt32LE(in32(size), 24);
  record.writeUInt16LE(name.length, 28);
  record.writeUInt16LE(isLarge ? 28 : 0, 30);
  record.writeUInt32LE(fileMode * 2 ** 16, 38);
  record.writeUInt32LE(in32(offset), 42);
  name.copy(record, 46);
  if (isLarge) {
    const at = 46 + name.length;
    record.writeUInt16LE(1, at);
    record.writeUInt16LE(24, at + 2);
    record.writeBigUInt64LE(BigInt(size), at + 4);
    record.writeBigUInt64LE(BigInt(stored), at + 12);
    record.writeBigUInt64LE(BigInt(offset), at + 20);
  }
  return record;
}

interface Directory {
  readonly count: number;
  readonly bytes: number;
  readonly offset: number;
}

function endRecords({ count, bytes, offset }: Directory): Buffer {
  const isLarge = count >= max16 || Math.max(bytes, offset) >= max32;
  const record = Buffer.alloc(22);
  record.writeUInt32LE(0x06054b50, 0);
  record.writeUInt16LE(isLarge ? max16 : count, 8);
  record.writeUInt16LE(isLarge ? max16 : count, 10);
  record.writeUInt32LE(isLarge ? max32 : bytes, 12);
  record.writeUInt32LE(isLarge ? max32 : offset, 16);
  return isLarge ? Buffer.concat([endRecords64({ count, bytes, offset }), record]) : record;
}

/** The record of 64 bits, and the locator that leads to it. */
function endRecords64({ count, bytes, offset }: Directory): Buffer {
  const record = Buffer.alloc(56 + 20);
  record.writeUInt32LE(0x06064b50, 0);
  record.writeBigUInt64LE(44n, 4);
  record.writeUInt16LE(versionMadeBy, 12);
  record.writeUInt16LE(versionNeeded64, 14);
  record.writeBigUInt64LE(BigInt(count), 24);
  record.writeBigUInt64LE(BigInt(count), 32);
  record.writeBigUInt64LE(BigInt(bytes), 40);
  record.writeBigUInt64LE(BigInt(offset), 48);
  record.writeUInt32LE(0x07064b50, 56);
  record.writeBigUInt64LE(BigInt(offset + bytes), 64);
  record.writeUInt32LE(1, 72);
  return record;
}
