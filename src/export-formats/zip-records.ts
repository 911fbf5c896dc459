// The records of a zip file, as in the ZIP specification (APPNOTE 6.3): of 64 bits where they have
// to be.

/** The name of an entry in UTF-8, and how its content is stored. */
export interface NamedEntry {
  readonly name: Buffer;
  readonly isDeflated: boolean;
}

/** Of the content of an entry. */
export interface ContentSums {
  readonly crc: number;
  readonly size: number;
  /** Bytes in the zip file. */
  readonly stored: number;
}

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

export function localHeader({ name, isDeflated }: NamedEntry): Buffer {
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

/** Stands behind the content. */
export function dataDescriptor({ crc, size, stored }: ContentSums): Buffer {
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

/** `offset`: where the local header of the entry begins. */
export function directoryRecord(
  { name, isDeflated }: NamedEntry,
  { crc, size, stored }: ContentSums,
  offset: number,
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

export interface Directory {
  readonly count: number;
  readonly bytes: number;
  readonly offset: number;
}

/** What stands behind the directory. */
export function endRecords({ count, bytes, offset }: Directory): Buffer {
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
