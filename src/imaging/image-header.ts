// Reads the header of an image file: its own reader for each format, sharp for those whose header
// takes a decoder. Refuses what would cost too much even to look at.

import { limits } from '../limits.ts';
import { readBmpHeader } from './bmp.ts';
import {
  type DecodeCost,
  type DecodedHeader,
  heldOfAvif,
  heldOfBmp,
  heldOfJpeg,
  heldOfPng,
  heldOfTiff,
  heldOfWebp,
} from './decode-cost.ts';
import { countExifEntries } from './exif-entry-count.ts';
import { fileError } from './file-error.ts';
import type { ImageFormat } from './image-format.ts';
import { readJpegFile } from './jpeg-file.ts';
import { loadSharp } from './load-sharp.ts';
import { readPngHeader } from './png-file.ts';
import { countTiffPages } from './tiff-header.ts';
import { readWebpHeader } from './webp-header.ts';

export interface ImageHeader extends DecodedHeader {
  /** EXIF orientation, 1 to 8; 1 where the file has none. */
  readonly orientation: number;
  /** What is in memory as a whole while its pixels are decoded. */
  readonly held: DecodeCost;
  /** What is missing or damaged behind it, where reading it has told; follows "it". */
  readonly fault?: string | undefined;
}

/** Throws `too_large`, `invalid_input`, or `Malformed`. */
export async function readHeader(bytes: Uint8Array, format: ImageFormat): Promise<ImageHeader> {
  return readers[format](bytes);
}

/** Whether the header is read without sharp, and how the pixels are stored too. */
export function isReadWithoutDecoder(format: ImageFormat): boolean {
  return format !== 'tiff' && format !== 'avif';
}

const readers: Readonly<
  Record<ImageFormat, (bytes: Uint8Array) => ImageHeader | Promise<ImageHeader>>
> = {
  jpeg: (bytes) => {
    const file = readJpegFile(bytes, limits.jpegScansMax);
    checkCount(file.scans, limits.jpegScansMax, 'scans');
    checkExif(bytes);
    const { width, height, components: channels, orientation, fault } = file;
    const held = heldOfJpeg(file);
    return { width, height, channels, bytesPerSample: 1, orientation, held, fault };
  },
  png: (bytes) => {
    const header = readPngHeader(bytes);
    checkCount(header.compressedTexts, limits.pngTextsMax, 'compressed texts');
    checkExif(bytes);
    const { width, height, channels, bytesPerSample, orientation } = header;
    return { width, height, channels, bytesPerSample, orientation, held: heldOfPng(header) };
  },
  webp: (bytes) => {
    checkExif(bytes);
    const header = readWebpHeader(bytes);
    const { width, height, orientation } = header;
    return { width, height, channels: 4, bytesPerSample: 1, orientation, held: heldOfWebp(header) };
  },
  bmp: (bytes) => {
    const { width, height } = readBmpHeader(bytes);
    return { width, height, channels: 4, bytesPerSample: 1, orientation: 1, held: heldOfBmp };
  },
  tiff: async (bytes) => {
    checkCount(countTiffPages(bytes, limits.tiffPagesMax), limits.tiffPagesMax, 'pages');
    return decoderHeader(bytes, heldOfTiff);
  },
  avif: async (bytes) => {
    checkExif(bytes);
    return decoderHeader(bytes, heldOfAvif);
  },
};

function checkExif(bytes: Uint8Array): void {
  const countMax = limits.exifEntriesMax;
  checkCount(countExifEntries(bytes, countMax), countMax, 'EXIF entries');
}

function checkCount(count: number, countMax: number, what: string): void {
  if (count <= countMax) return;
  throw fileError('too_large', `has more than ${countMax} ${what}, which are not read`);
}

/** By sharp. */
async function decoderHeader(
  bytes: Uint8Array,
  heldOf: (bytes: Uint8Array, header: DecodedHeader) => DecodeCost,
): Promise<ImageHeader> {
  const sharp = await loadSharp();
  // The limit is ours to check, so that the refusal can name the size.
  const image = sharp(bytes, { failOn: 'none', limitInputPixels: false });
  const { width, height, channels, depth, orientation = 1 } = await image.metadata();
  const header = { width, height, channels, bytesPerSample: sampleBytes[depth] ?? 16 };
  return { ...header, orientation, held: heldOf(bytes, header) };
}

/** By the names that libvips gives them. */
const sampleBytes: Readonly<Record<string, number>> = {
  uchar: 1,
  char: 1,
  ushort: 2,
  short: 2,
  uint: 4,
  int: 4,
  float: 4,
  complex: 8,
  double: 8,
  dpcomplex: 16,
};
