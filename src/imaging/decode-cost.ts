// The memory that decoding an image file takes, computed from its header. Most pixels are streamed
// by libvips and cost little: what counts is what a format keeps in memory as a whole.

import { largestAvifImage } from './avif-size.ts';
import type { JpegFile } from './jpeg-file.ts';
import type { PngHeader } from './png-file.ts';
import { readTiffLayout } from './tiff-header.ts';
import type { WebpHeader } from './webp-header.ts';

/** Pixels as a decoder gives them. */
export interface DecodedHeader {
  readonly width: number;
  readonly height: number;
  readonly channels: number;
  readonly bytesPerSample: number;
}

export interface DecodeCost {
  /** Memory beside the file itself. */
  readonly bytes: number;
  /** What takes most of it: follows "as". */
  readonly what: string;
}

/** All of it; `held`: what is in memory as a whole. */
export function decodeCost(header: DecodedHeader, held: DecodeCost): DecodeCost {
  return { bytes: held.bytes + streamedBytes(header), what: held.what };
}

export function heldOfJpeg({ width, height, hasManyScans, samplesPerPixel }: JpegFile): DecodeCost {
  const held = hasManyScans ? 2 * samplesPerPixel * width * height : 0;
  return { bytes: held, what: hasManyScans ? 'a JPEG of several scans (progressive)' : 'a JPEG' };
}

export function heldOfPng(header: PngHeader): DecodeCost {
  const { width, height, channels, bytesPerSample, isInterlaced } = header;
  const hasAlpha = channels % 2 === 0;
  const pixels = width * height * channels * bytesPerSample;
  const held = isInterlaced ? pixels + (hasAlpha ? interlacedAlphaBytes : 0) : 0;
  const kind = isInterlaced ? 'an interlaced PNG' : 'a PNG';
  return { bytes: held, what: `${kind} of ${8 * bytesPerSample} bits` };
}

/** The canvas, and what is drawn on it. */
export function heldOfWebp({ width, height, isHeavy }: WebpHeader): DecodeCost {
  const what = isHeavy ? 'a lossless or animated WebP' : 'a WebP';
  return { bytes: (isHeavy ? 8 : 5) * width * height, what };
}

/** Throws `Malformed` where the file is too broken to tell. */
export function heldOfTiff(bytes: Uint8Array, header: DecodedHeader): DecodeCost {
  return { bytes: tiffBytes(bytes, header), what: 'a TIFF of such tiles or planes' };
}

export function heldOfAvif(bytes: Uint8Array, { width, height }: DecodedHeader): DecodeCost {
  const pixels = Math.max(width * height, largestAvifImage(bytes));
  return { bytes: avifBytesPerPixel * pixels, what: 'an AVIF' };
}

/** Its pixels are in the file. */
export const heldOfBmp: DecodeCost = { bytes: 0, what: 'a BMP' };

/** What the transparency of an interlaced PNG takes more, at any size. Measured: 28 to 45 MB. */
const interlacedAlphaBytes = 48 * 1024 * 1024;

/** Frames of the decoder in 16 bits, the planes, then RGB. Measured: 18 to 20. */
const avifBytesPerPixel = 20;

/**
 * Two rows of tiles; a strip of each plane, where colours have planes of their own; a strip twice,
 * where a codec such as JPEG decodes it as a whole. Other strips are read line by line.
 */
function tiffBytes(bytes: Uint8Array, { width, bytesPerSample }: DecodedHeader): number {
  const { samples, isPlanar, tile, rowsPerStrip, isReadByLine } = readTiffLayout(bytes);
  const pixelBytes = samples * bytesPerSample;
  if (tile) return 2 * Math.ceil(width / tile.width) * tile.width * tile.height * pixelBytes;
  return isPlanar || !isReadByLine ? 2 * rowsPerStrip * width * pixelBytes : 0;
}

/**
 * Rows that wait until one of a small image is made of them, where all rows are decoded: three
 * times what one stands for, and some that libvips reads ahead. Measured.
 */
function streamedBytes({ width, height, channels, bytesPerSample }: DecodedHeader): number {
  const rows = Math.min(height, 3 * Math.ceil(height / smallestSide) + rowsAhead);
  return rows * width * channels * bytesPerSample;
}

const smallestSide = 32;
const rowsAhead = 128;
