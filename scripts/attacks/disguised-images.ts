// Image files whose headers hide their size, or how they are stored.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import sharp, { type WebpOptions } from 'sharp';
import { repeated } from './dense-bodies.ts';
import { packedZeros } from './image-bytes.ts';

const fixture = join(import.meta.dirname, '../../test/fixtures/178-megapixels.avif');

/** An AVIF of 178 million pixels that says it shows 64 x 64 of them (ISO 14496-12, `clap`). */
export function croppedAvif(): Buffer {
  const avif = readFileSync(fixture);
  const crop = Buffer.alloc(40);
  crop.writeUInt32BE(crop.length, 0);
  crop.write('clap', 4, 'latin1');
  for (const [at, value] of [64, 1, 64, 1, 0, 1, 0, 1].entries()) {
    crop.writeUInt32BE(value, 8 + 4 * at);
  }
  const start = (box: string) => avif.indexOf(box, 0, 'latin1') - 4;
  const grow = (at: number, bytes: number) => avif.writeUInt32BE(avif.readUInt32BE(at) + bytes, at);
  const end = (box: string) => start(box) + avif.readUInt32BE(start(box));
  const [propertiesEnd, associations, associationsEnd] = [end('ipco'), start('ipma'), end('ipma')];
  const more = crop.length + 1;
  for (const box of ['meta', 'iprp']) grow(start(box), more);
  grow(start('ipco'), crop.length);
  grow(associations, 1);
  // One item, with one more property; the pixels of the file lie further behind.
  const propertyCount = associations + 18;
  avif[propertyCount] = (avif[propertyCount] ?? 0) + 1;
  grow(start('iloc') + 20, more);
  return Buffer.concat([
    avif.subarray(0, propertiesEnd),
    crop,
    avif.subarray(propertiesEnd, associationsEnd),
    Buffer.from([0x80 | 4]),
    avif.subarray(associationsEnd),
  ]);
}

/** Types of values in a TIFF directory. */
export const tiffTypes = { short: 3, long: 4, float: 11, long8: 16 } as const;

export interface TileSize {
  readonly side: number;
  /** Of the two tags that say it. */
  readonly type: number;
  readonly count?: number;
}

/** A big-endian BigTIFF, 16,384 x 10,880: its tiles are all the same bytes. */
export function bigTiff({ side, type, count = 1 }: TileSize): Buffer {
  const [width, height] = [16_384, 10_880];
  const tiles = Math.ceil(width / side) * Math.ceil(height / side);
  const packed = packedZeros(side * side * 3);
  const entryCount = 11;
  const places = 16 + 8 + entryCount * 20 + 8;
  const pixels = places + 16 * tiles;
  const { short, long, long8 } = tiffTypes;
  const entries = [
    tiffEntry(256, long, width),
    tiffEntry(257, long, height),
    tiffEntry(258, short, 8, 3),
    // Compression: Deflate.
    tiffEntry(259, short, 8),
    tiffEntry(262, short, 2),
    tiffEntry(277, short, 3),
    tiffEntry(284, short, 1),
    tiffEntry(322, type, side, count),
    tiffEntry(323, type, side, count),
    tiffEntry(324, long8, places, tiles),
    tiffEntry(325, long8, places + 8 * tiles, tiles),
  ];
  const list = (value: number) => repeated(tiles, () => bigNumber(value));
  return Buffer.concat([
    Buffer.from('MM\0\x2b\0\x08\0\0', 'latin1'),
    bigNumber(16),
    bigNumber(entryCount),
    ...entries,
    bigNumber(0),
    ...list(pixels),
    ...list(packed.length),
    packed,
  ]);
}

function tiffEntry(tag: number, type: number, value: number, count = 1): Buffer {
  const bytes = Buffer.alloc(20);
  bytes.writeUInt16BE(tag, 0);
  bytes.writeUInt16BE(type, 2);
  bytes.writeBigUInt64BE(BigInt(count), 4);
  const isList = type === tiffTypes.long8 || count > 4;
  if (isList) bytes.writeBigUInt64BE(BigInt(value), 12);
  else if (type === tiffTypes.float) bytes.writeFloatBE(value, 12);
  else if (type === tiffTypes.long) bytes.writeUInt32BE(value, 12);
  else for (let at = 0; at < count; at += 1) bytes.writeUInt16BE(value, 12 + 2 * at);
  return bytes;
}

function bigNumber(value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(BigInt(value));
  return bytes;
}

/** A TIFF whose pixels are one JPEG in one strip, which is unpacked as a whole. */
export async function oneStripTiff(side: number): Promise<Buffer> {
  const image = solid(side, side).tiff({
    compression: 'jpeg',
    quality: 20,
    tile: true,
    tileWidth: side,
    tileHeight: side,
  });
  const bytes = await image.toBuffer();
  const first = bytes.readUInt32LE(4) + 2;
  const count = bytes.readUInt16LE(first - 2);
  const entries = repeated(count, (at) => {
    const entry = Buffer.from(bytes.subarray(first + 12 * at, first + 12 * at + 12));
    const tag = entry.readUInt16LE(0);
    entry.writeUInt16LE(stripTags.get(tag) ?? tag, 0);
    return entry;
  });
  // Its only tile becomes its only strip, and the width of a tile a tag that no reader knows.
  const sorted = entries.toSorted((one, other) => one.readUInt16LE(0) - other.readUInt16LE(0));
  bytes.set(Buffer.concat(sorted), first);
  return bytes;
}

/** Width, height, place and bytes of a tile: unknown, rows, place and bytes of a strip. */
const stripTags: ReadonlyMap<number, number> = new Map([
  [322, 40_000],
  [323, 278],
  [324, 273],
  [325, 279],
]);

/** A still WebP with that many unknown chunks between its header and its image. */
export async function webpBehindChunks(
  width: number,
  height: number,
  chunks: number,
  options: WebpOptions,
): Promise<Buffer> {
  const still = await solid(width, height).webp(options).toBuffer();
  const header = Buffer.alloc(18);
  header.write('VP8X', 'latin1');
  header.writeUInt32LE(10, 4);
  header.writeUIntLE(width - 1, 12, 3);
  header.writeUIntLE(height - 1, 15, 3);
  const unknown = repeated(chunks, () => unknownChunk);
  const body = Buffer.concat([Buffer.from('WEBP'), header, ...unknown, still.subarray(12)]);
  const start = Buffer.from('RIFF\0\0\0\0', 'latin1');
  start.writeUInt32LE(body.length, 4);
  return Buffer.concat([start, body]);
}

const unknownChunk = Buffer.from('abcd\0\0\0\0', 'latin1');

function solid(width: number, height: number) {
  const background = { r: 9, g: 90, b: 200 };
  return sharp({ create: { width, height, channels: 3, background }, limitInputPixels: false });
}
