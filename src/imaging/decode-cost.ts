// The memory that decoding an image file takes, computed from its header. Most pixels are streamed
// by libvips and cost little: what counts is what a format keeps in memory as a whole.

import { largestAvifImage } from './avif-size.ts';
import type { ImageFormat } from './image-format.ts';
import { readJpegFrame } from './jpeg-header.ts';
import { readTiffLayout } from './tiff-header.ts';
import { readWebpHeader } from './webp-header.ts';

/** What sharp says of a header. */
export interface DecodedHeader {
  readonly width: number;
  readonly height: number;
  readonly channels: number;
  readonly bytesPerSample: number;
  /** Of PNG: interlaced. */
  readonly isProgressive: boolean;
}

export interface DecodeCost {
  /** Memory beside the file itself. */
  readonly bytes: number;
  /** What takes most of it: follows "as". */
  readonly what: string;
}

/** Throws `Malformed` where the file is too broken to tell. */
export function decodeCost(
  bytes: Uint8Array,
  format: ImageFormat,
  header: DecodedHeader,
): DecodeCost {
  const { bytes: held, what } = wholeCost[format](bytes, header);
  return { bytes: held + streamedBytes(header), what };
}

type CountBytes = (bytes: Uint8Array, header: DecodedHeader) => DecodeCost;

/** What is in memory as a whole, by format. Of WebP the canvas, and what is drawn on it. */
const wholeCost: Readonly<Record<ImageFormat, CountBytes>> = {
  jpeg: (bytes, { width, height }) => {
    const { hasManyScans, samplesPerPixel } = readJpegFrame(bytes);
    const held = hasManyScans ? 2 * samplesPerPixel * width * height : 0;
    return { bytes: held, what: hasManyScans ? 'a JPEG of several scans (progressive)' : 'a JPEG' };
  },
  png: (_bytes, { width, height, channels, bytesPerSample, isProgressive }) => {
    const hasAlpha = channels % 2 === 0;
    const pixels = width * height * channels * bytesPerSample;
    const held = isProgressive ? pixels + (hasAlpha ? interlacedAlphaBytes : 0) : 0;
    const kind = isProgressive ? 'an interlaced PNG' : 'a PNG';
    return { bytes: held, what: `${kind} of ${8 * bytesPerSample} bits` };
  },
  webp: (bytes, { width, height }) => {
    const { isHeavy } = readWebpHeader(bytes);
    const what = isHeavy ? 'a lossless or animated WebP' : 'a WebP';
    return { bytes: (isHeavy ? 8 : 5) * width * height, what };
  },
  tiff: (bytes, header) => ({
    bytes: tiffBytes(bytes, header),
    what: 'a TIFF of such tiles or planes',
  }),
  avif: (bytes, { width, height }) => {
    const pixels = Math.max(width * height, largestAvifImage(bytes));
    return { bytes: avifBytesPerPixel * pixels, what: 'an AVIF' };
  },
  // Its pixels are in the file.
  bmp: () => ({ bytes: 0, what: 'a BMP' }),
};

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

/** Compressed texts of a PNG: they are unpacked with its header, each to 8 MB at most. */
export function countPngTexts(bytes: Uint8Array): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let texts = 0;
  for (let at = 8; at + 8 <= bytes.length; at += 12 + view.getUint32(at)) {
    if (compressedTexts.has(view.getUint32(at + 4))) texts += 1;
  }
  return texts;
}

/** zTXt, iTXt, iCCP. */
const compressedTexts: ReadonlySet<number> = new Set([0x7a545874, 0x69545874, 0x69434350]);
