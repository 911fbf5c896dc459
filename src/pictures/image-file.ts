// Image files: which format it is, how large, whether its pixels can be read.

import type { Sharp } from 'sharp';
import { type ErrorCode, FoveaError } from '../errors.ts';
import { limits } from '../limits.ts';
import { checkBmpRows, decodeBmp, readBmpHeader, type Size } from './bmp.ts';
import { type Descriptor, describePicture, descriptorSide } from './descriptor.ts';
import { recogniseImage } from './image-signature.ts';
import { findSharpBuild, loadSharp } from './load-sharp.ts';
import { createTurns } from './turns.ts';

export const imageContentTypes = {
  jpeg: 'image/jpeg',
  png: 'image/png',
  webp: 'image/webp',
  bmp: 'image/bmp',
  tiff: 'image/tiff',
  avif: 'image/avif',
} as const;

export type ImageFormat = keyof typeof imageContentTypes;

export interface ImageFile {
  readonly format: ImageFormat;
  readonly contentType: string;
  /** Pixels as stored: an EXIF orientation is not applied. */
  readonly width: number;
  readonly height: number;
  /** EXIF orientation, 1 to 8; 1 where the file has none. */
  readonly orientation: number;
}

/** Pixels, three bytes each (red, green, blue in sRGB), row by row from the top. */
export interface RawImage {
  readonly data: Uint8Array;
  readonly width: number;
  readonly height: number;
}

/**
 * What an image file is, after it is known that all its pixels can be read. Of several pages or
 * frames the first counts. Errors name `file`: `unsupported_media` (not an accepted format),
 * `too_large` (bytes or pixels), `invalid_input` (empty, truncated or corrupt).
 */
export async function readImageFile(bytes: Uint8Array): Promise<ImageFile> {
  return (await readPicture(bytes)).file;
}

/** The same, and how it looks; undefined for a BMP file that is too large to decode for that. */
export async function readPicture(
  bytes: Uint8Array,
): Promise<{ readonly file: ImageFile; readonly descriptor: Descriptor | undefined }> {
  const file = await readImageHeader(bytes);
  if (file.format === 'bmp') {
    checkBmpRows(bytes, readBmpHeader(bytes));
    // Decoding a large one here would hold up everybody else: its pixels are plain.
    if (file.width * file.height > limits.bmpDescribedPixelsMax) {
      return { file, descriptor: undefined };
    }
  }
  const pixels = await openPixels(bytes, file);
  // Reading into a small picture reads all pixels, in little memory.
  const side = descriptorSide;
  const small = await readOut(file, pixels.resize(side, side, { fit: 'fill' }));
  return { file, descriptor: describePicture(small) };
}

/**
 * The same from the header alone: the pixels may still turn out to be corrupt. Errors as
 * readImageFile.
 */
export async function readImageHeader(bytes: Uint8Array): Promise<ImageFile> {
  if (bytes.length === 0) throw fileError('invalid_input', 'is empty');
  if (bytes.length > limits.imageBytesMax) {
    throw fileError(
      'too_large',
      `has ${bytes.length} bytes; at most ${limits.imageBytesMax} are accepted`,
    );
  }
  const format = recognise(bytes);
  const header = format === 'bmp' ? readBmpHeader(bytes) : await readHeader(bytes, format);
  const { width, height } = header;
  if (width * height > limits.imagePixelsMax || Math.max(width, height) > limits.imageSideMax) {
    throw fileError(
      'too_large',
      `has ${width} x ${height} pixels; at most ${limits.imagePixelsMax} in all and ` +
        `${limits.imageSideMax} on a side are accepted`,
    );
  }
  const orientation = 'orientation' in header ? header.orientation : 1;
  return { format, contentType: imageContentTypes[format], width, height, orientation };
}

/**
 * The stored pixels as the start of a sharp pipeline: 8 bits, sRGB, without transparency (as
 * training code reads an image). Nothing is decoded before the pipeline has an output, but a BMP
 * file, whose pixels are all in memory. `enough`: what the caller resizes them to; of a BMP file
 * not much more than that is made then.
 */
export async function openPixels(
  bytes: Uint8Array,
  { format }: ImageFile,
  enough?: Size,
): Promise<Sharp> {
  if (format === 'bmp') {
    const header = readBmpHeader(bytes);
    const { width, height } = reducedSize(header, enough);
    return openRaw({ data: await decodeBmp(bytes, header, { width, height }), width, height });
  }
  const sharp = await loadSharp();
  const options = { failOn: 'warning', limitInputPixels: limits.imagePixelsMax } as const;
  return sharp(bytes, options).removeAlpha().toColourspace('srgb');
}

/** Twice what is enough, where that is much less: the last step to it is for a better filter. */
function reducedSize(stored: Size, enough: Size = stored): Size {
  const [width, height] = [2 * enough.width, 2 * enough.height];
  return 2 * width <= stored.width && 2 * height <= stored.height ? { width, height } : stored;
}

/** Raw pixels as the start of a sharp pipeline. */
export async function openRaw({ data, width, height }: RawImage): Promise<Sharp> {
  const sharp = await loadSharp();
  const raw = { width, height, channels: 3 } as const;
  return sharp(data, { raw, limitInputPixels: false });
}

/** The stored pixels. Errors as readImageFile. */
export async function decodeImage(bytes: Uint8Array): Promise<RawImage> {
  const file = await readImageHeader(bytes);
  return readOut(file, await openPixels(bytes, file));
}

/**
 * An image in small, with its size as stored: the longer side has `side` pixels, or
 * `enlargementMax` times its own where that is less. Of most formats, not all pixels are in memory
 * at once; of large BMP files neither. Errors as readImageFile.
 */
export async function decodeSmall(
  bytes: Uint8Array,
  side: number,
  enlargementMax: number,
): Promise<{ readonly file: ImageFile; readonly image: RawImage }> {
  const file = await readImageHeader(bytes);
  const fit = Math.min(side / Math.max(file.width, file.height), enlargementMax);
  const width = Math.max(1, Math.round(file.width * fit));
  const height = Math.max(1, Math.round(file.height * fit));
  const pixels = await openPixels(bytes, file, { width, height });
  return { file, image: await readOut(file, pixels.resize(width, height, { fit: 'fill' })) };
}

/**
 * Runs a pipeline that began with openPixels; what fails in it is the fault of the file. Throws
 * `too_large` where it needs more memory than WebAssembly has.
 */
export async function readOut(file: ImageFile, pixels: Sharp): Promise<RawImage> {
  const { isNative } = await findSharpBuild();
  const read = () => pixels.raw({ depth: 'uchar' }).toBuffer({ resolveWithObject: true });
  try {
    const reading = isNative ? read() : inTurn(file.width * file.height, read);
    const { data, info } = await reading;
    return { data, width: info.width, height: info.height };
  } catch (cause) {
    throw unreadable(file.format, cause, ': its pixels cannot be read');
  }
}

/** For WebAssembly: whatever runs there when its memory is full may end all of it. */
const inTurn = createTurns(limits.wasmPixelsAtOnceMax);

function unreadable(format: ImageFormat, cause: unknown, what = ''): FoveaError {
  if (
    cause instanceof Error &&
    /out of memory|insufficient memory|memory allocation/i.test(cause.message)
  ) {
    const message = `takes more memory to read than there is (${format})`;
    const hint = 'Make it smaller; or install sharp beside Fovea, which may use all memory.';
    return fileError('too_large', message, { cause, hint });
  }
  return fileError('invalid_input', `is a truncated or corrupt ${format} image${what}`, { cause });
}

/** Must be awaited before another thread reads an image: says which decoders may run. */
export async function prepareDecoding(): Promise<void> {
  await loadSharp();
}

interface Header {
  readonly width: number;
  readonly height: number;
  readonly orientation: number;
}

async function readHeader(bytes: Uint8Array, format: ImageFormat): Promise<Header> {
  const sharp = await loadSharp();
  try {
    // The limit is ours to check, so that the refusal can name the size.
    const image = sharp(bytes, { failOn: 'none', limitInputPixels: false });
    const { width, height, orientation = 1 } = await image.metadata();
    return { width, height, orientation };
  } catch (cause) {
    throw unreadable(format, cause);
  }
}

function recognise(bytes: Uint8Array): ImageFormat {
  const found = recogniseImage(bytes);
  if ('format' in found) return found.format;
  throw fileError(
    'unsupported_media',
    `is ${found.other}; accepted are JPEG, PNG, WebP, BMP, TIFF and AVIF`,
  );
}

function fileError(
  code: ErrorCode,
  message: string,
  details: { readonly cause?: unknown; readonly hint?: string } = {},
): FoveaError {
  const problems = [{ path: 'file', message }];
  return new FoveaError(code, `file: ${message}`, { ...details, problems });
}
