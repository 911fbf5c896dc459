// Image files whose EXIF has very many entries: those of one directory, of directories that follow
// one another, and of a directory that points at itself, which readers follow again and again.

import { crc32 } from 'node:zlib';
import sharp from 'sharp';

/** Tags whose value is the place of another directory: EXIF, GPS, interoperability. */
export const exifPointers = [0x8769, 0x8825, 0xa005] as const;

/** An entry that no reader knows. */
const unknownTag = 0xc800;

/** The most that stands in one segment of a JPEG, in whole entries. */
export const exifEntriesInJpeg = 5_000;

/** A directory whose entries all point at itself. */
export function selfPointingExif(entries: number, pointer: number = exifPointers[0]): Buffer {
  return exifOf([{ entries, tag: pointer, next: false }]);
}

/** A chain of directories with that many entries each. */
export function chainedExif(...counts: readonly number[]): Buffer {
  return exifOf(
    counts.map((entries, at) => ({ entries, tag: unknownTag, next: at < counts.length - 1 })),
  );
}

/** A first directory of some entries, and one that its last entry points at. */
export function nestedExif(outer: number, inner: number, pointer: number): Buffer {
  const exif = exifOf([
    { entries: outer, tag: unknownTag, next: false },
    { entries: inner, tag: unknownTag, next: false },
  ]);
  const last = firstDirectory + 2 + (outer - 1) * entryBytes;
  exif.writeUInt16LE(pointer, last);
  exif.writeUInt32LE(firstDirectory + directoryBytes(outer), last + 8);
  return exif;
}

interface Directory {
  readonly entries: number;
  readonly tag: number;
  /** Whether it leads to the one behind it. */
  readonly next: boolean;
}

const firstDirectory = 8;
const entryBytes = 12;
const directoryBytes = (entries: number) => 2 + entries * entryBytes + 4;

/** Each entry has one 32-bit value: the place of the first directory. */
function exifOf(directories: readonly Directory[]): Buffer {
  const sizes = directories.map(({ entries }) => directoryBytes(entries));
  const bytes = Buffer.alloc(sizes.reduce((sum, size) => sum + size, firstDirectory));
  bytes.write('II*\0', 'latin1');
  let at = bytes.writeUInt32LE(firstDirectory, 4);
  for (const { entries, tag, next } of directories) {
    at = bytes.writeUInt16LE(entries, at);
    for (let entry = 0; entry < entries; entry += 1) {
      at = bytes.writeUInt16LE(tag, at);
      at = bytes.writeUInt16LE(4, at);
      at = bytes.writeUInt32LE(1, at);
      at = bytes.writeUInt32LE(firstDirectory, at);
    }
    at = bytes.writeUInt32LE(next ? at + 4 : 0, at);
  }
  return bytes;
}

export type ExifFormat = 'jpeg' | 'png' | 'webp' | 'avif';

/** An image of 64 x 64 pixels with this EXIF: it is written over that of a long description. */
export async function withExif(format: ExifFormat, exif: Uint8Array): Promise<Buffer> {
  const background = { r: 9, g: 90, b: 200 };
  const image = sharp({ create: { width: 64, height: 64, channels: 3, background } });
  const description = 'a'.repeat(exif.length);
  const bytes = await image
    .withExif({ IFD0: { ImageDescription: description } })
    .toFormat(format)
    .toBuffer();
  const start = bytes.indexOf('II*\0', 0, 'latin1');
  if (start < 0) throw new Error(`the ${format} has no EXIF`);
  bytes.set(exif, start);
  if (format === 'png') {
    const end = start + bytes.readUInt32BE(start - 8);
    bytes.writeUInt32BE(crc32(bytes.subarray(start - 4, end)), end);
  }
  return bytes;
}
