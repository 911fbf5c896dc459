// Image files that are small and say that they are large.

import { constants, crc32, deflateRawSync } from 'node:zlib';

export interface PngShape {
  readonly width: number;
  readonly height: number;
  readonly bits: 8 | 16;
  /** 0: grey, 2: RGB, 6: RGBA. */
  readonly colour: 0 | 2 | 6;
  readonly interlaced: boolean;
}

/** A black PNG. Its pixels are never in memory here: equal pieces are packed once. */
export function blackPng({ width, height, bits, colour, interlaced }: PngShape): Buffer {
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([bits, colour, 0, 0, interlaced ? 1 : 0], 8);
  const bitsPerPixel = { 0: 1, 2: 3, 6: 4 }[colour] * bits;
  const passes = interlaced ? adam7 : [[0, 0, 1, 1] as const];
  const bytes = passes
    .map(([x, y, stepX, stepY]) => {
      const [columns, rows] = [Math.ceil((width - x) / stepX), Math.ceil((height - y) / stepY)];
      return rows * (1 + Math.ceil((columns * bitsPerPixel) / 8));
    })
    .reduce((sum, one) => sum + one, 0);
  return png([chunk('IHDR', head), chunk('IDAT', packedZeros(bytes)), chunk('IEND')]);
}

/** RFC 2083 section 2.6: first column and row of each pass, and its steps. */
const adam7 = [
  [0, 0, 8, 8],
  [4, 0, 8, 8],
  [0, 4, 4, 8],
  [2, 0, 4, 4],
  [0, 2, 2, 4],
  [1, 0, 2, 2],
  [0, 1, 1, 2],
] as const;

export function png(chunks: readonly Buffer[]): Buffer {
  return Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), ...chunks]);
}

export function chunk(type: string, content: Uint8Array = new Uint8Array()): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), content]);
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(content.length);
  check.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, check]);
}

/** The same PNG with more chunks after its head. */
export function withChunks(image: Uint8Array, chunks: readonly Buffer[]): Buffer {
  const headEnd = 8 + 25;
  return Buffer.concat([image.subarray(0, headEnd), ...chunks, image.subarray(headEnd)]);
}

let count = 0;

/** A PNG of 64 x 64 pixels, which differs from those before it. */
export function smallPng(): Buffer {
  return differing(blackPng({ width: 64, height: 64, bits: 8, colour: 2, interlaced: false }));
}

/** The same PNG with other bytes, so that the platform does not know it yet. */
export function differing(image: Uint8Array): Buffer {
  count += 1;
  return withChunks(image, [chunk('tEXt', Buffer.from(`a\0${count}`))]);
}

/** So many zeros as a zlib stream (RFC 1950). */
export function packedZeros(bytes: number): Buffer {
  const piece = Buffer.alloc(Math.min(bytes, 1024 * 1024));
  const whole = Math.floor(bytes / piece.length);
  const packed = deflateRawSync(piece, { finishFlush: constants.Z_FULL_FLUSH });
  const last = deflateRawSync(Buffer.alloc(bytes - whole * piece.length));
  // Adler-32 of zeros: the first sum stays 1, the second one grows by it.
  const check = Buffer.alloc(4);
  check.writeUInt16BE(bytes % 65_521, 0);
  check.writeUInt16BE(1, 2);
  const pieces = Array.from({ length: whole }, () => packed);
  return Buffer.concat([Buffer.from([0x78, 0x9c]), ...pieces, last, check]);
}

/** A TIFF of directories that each point at the next one, and the last at the first. */
export function loopingTiff(directories: number): Buffer {
  const bytes = Buffer.alloc(8 + directories * 18);
  bytes.write('II*\0', 'latin1');
  bytes.writeUInt32LE(8, 4);
  for (let at = 0; at < directories; at += 1) {
    const start = 8 + at * 18;
    bytes.writeUInt16LE(1, start);
    bytes.writeUInt16LE(256, start + 2);
    bytes.writeUInt16LE(3, start + 4);
    bytes.writeUInt32LE(1, start + 6);
    bytes.writeUInt32LE(64, start + 10);
    bytes.writeUInt32LE(at === directories - 1 ? 8 : start + 18, start + 14);
  }
  return bytes;
}

/** A BMP of one colour depth, with as many bytes of pixels as its header says. */
export function blackBmp(width: number, height: number): Buffer {
  const pixels = Math.ceil((width * 3) / 4) * 4 * height;
  const bytes = Buffer.alloc(54 + pixels);
  bytes.write('BM', 'latin1');
  bytes.writeUInt32LE(bytes.length, 2);
  bytes.writeUInt32LE(54, 10);
  bytes.writeUInt32LE(40, 14);
  bytes.writeInt32LE(width, 18);
  bytes.writeInt32LE(height, 22);
  bytes.writeUInt16LE(1, 26);
  bytes.writeUInt16LE(24, 28);
  bytes.writeUInt32LE(pixels, 34);
  return bytes;
}

/** A progressive JPEG whose last scan comes again and again: each is a pass over all blocks. */
export function scansAgain(jpeg: Buffer, bytesMax: number): Buffer {
  const scan = jpeg.subarray(jpeg.lastIndexOf(Buffer.from([0xff, 0xda])), jpeg.length - 2);
  const times = Math.floor((bytesMax - jpeg.length) / scan.length);
  const more = Array.from({ length: Math.min(times, 20_000) }, () => scan);
  return Buffer.concat([jpeg.subarray(0, -2), ...more, jpeg.subarray(-2)]);
}
