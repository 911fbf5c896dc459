// Reads image files: format, size, and whether their pixels can be decoded. Works in the calling
// thread: services go through image-thread-pool.ts.

import type { Sharp } from 'sharp';
import { FoveaError } from '../errors.ts';
import { limits } from '../limits.ts';
import { checkBmpRows, decodeBmp, readBmpHeader, type Size } from './bmp.ts';
import { checkWhole } from './check-whole.ts';
import { type DecodeCost, decodeCost } from './decode-cost.ts';
import { fileError } from './file-error.ts';
import { type ImageFormat, imageContentTypes, Malformed, recogniseImage } from './image-format.ts';
import { type ImageHeader, readHeader } from './image-header.ts';
import { loadSharp } from './load-sharp.ts';
import type { RawImage } from './raw-image.ts';
import { sharpnessSide } from './sharpness.ts';
import { type Descriptor, describePixels } from './similarity-descriptor.ts';

export interface ImageFile {
  readonly format: ImageFormat;
  readonly contentType: string;
  /** Pixels as stored: an EXIF orientation is not applied. */
  readonly width: number;
  readonly height: number;
  /** EXIF orientation, 1 to 8; 1 where the file has none. */
  readonly orientation: number;
}

/**
 * What an image file is, after it is known that all its pixels can be read. Of several pages or
 * frames the first counts. Errors name `file`: `unsupported_media` (not an accepted format),
 * `too_large` (bytes or pixels), `invalid_input` (empty, truncated or corrupt).
 */
export async function readImageFile(bytes: Uint8Array): Promise<ImageFile> {
  return (await readDescribedImage(bytes)).file;
}

/**
 * What an image file is, after it is known that nothing of it is missing: the damage that its
 * structure shows is refused, that within its pixels is not. Nothing is decoded. Errors as
 * readImageFile.
 */
export async function checkImageFile(bytes: Uint8Array): Promise<ImageFile> {
  const weighed = await weighImage(bytes);
  const file = affordable(weighed);
  try {
    if (weighed.fault !== undefined) throw new Malformed(weighed.fault);
    checkWhole(bytes, file.format);
  } catch (cause) {
    throw asFileError(file.format, cause);
  }
  return file;
}

/** readImageFile, and how it looks; undefined for a BMP that is too large to decode for that. */
export async function readDescribedImage(
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
  // Reading into a small image reads all pixels, in little memory.
  const side = sharpnessSide;
  const small = await readOut(file, pixels.resize(side, side, { fit: 'fill' }));
  return { file, descriptor: describePixels(small) };
}

/**
 * The same from the header alone: the pixels may still turn out to be corrupt. Errors as
 * readImageFile.
 */
export async function readImageHeader(bytes: Uint8Array): Promise<ImageFile> {
  return affordable(await weighImage(bytes));
}

/** Throws `too_large` for an image that takes more memory than is spent. */
function affordable({ file, cost }: WeighedImage): ImageFile {
  const megabytes = (count: number) => Math.ceil(count / 1024 ** 2);
  if (cost.bytes > limits.decodeBytesMax) {
    const { width, height } = file;
    const message =
      `has ${width} x ${height} pixels, which as ${cost.what} take ${megabytes(cost.bytes)} MB ` +
      `to decode; at most ${megabytes(limits.decodeBytesMax)} are spent`;
    const hint = 'Send it as a baseline JPEG or as a PNG without interlacing, or make it smaller.';
    throw fileError('too_large', message, { hint });
  }
  return file;
}

/**
 * The header of an image that was accepted before, perhaps when more could be: only the bounds on
 * pixels hold. Errors as readImageFile.
 */
export async function readStoredHeader(bytes: Uint8Array): Promise<ImageFile> {
  return (await weighImage(bytes)).file;
}

interface WeighedImage extends Pick<ImageHeader, 'fault'> {
  readonly file: ImageFile;
  readonly cost: DecodeCost;
}

/** A header, and what decoding its pixels would take. */
export async function weighImage(bytes: Uint8Array): Promise<WeighedImage> {
  checkLength(bytes);
  const format = recognise(bytes);
  try {
    const header = await readHeader(bytes, format);
    checkPixels(header);
    const { width, height, orientation } = header;
    const contentType = imageContentTypes[format];
    const cost = decodeCost(header, header.held);
    const { fault } = header;
    return { file: { format, contentType, width, height, orientation }, cost, fault };
  } catch (cause) {
    throw asFileError(format, cause);
  }
}

function asFileError(format: ImageFormat, cause: unknown): FoveaError {
  if (cause instanceof FoveaError) return cause;
  return unreadable(format, cause, cause instanceof Malformed ? `: it ${cause.message}` : '');
}

/** Throws `invalid_input` for no bytes, and `too_large` for too many. */
export function checkLength({ length }: Uint8Array): void {
  if (length === 0) throw fileError('invalid_input', 'is empty');
  if (length <= limits.imageBytesMax) return;
  throw fileError('too_large', `has ${length} bytes; at most ${limits.imageBytesMax} are accepted`);
}

function checkPixels({ width, height }: Size): void {
  if (width * height <= limits.imagePixelsMax && Math.max(width, height) <= limits.imageSideMax) {
    return;
  }
  throw fileError(
    'too_large',
    `has ${width} x ${height} pixels; at most ${limits.imagePixelsMax} in all and ` +
      `${limits.imageSideMax} on a side are accepted`,
  );
}

/**
 * The stored pixels as the start of a sharp pipeline: 8 bits, sRGB, without transparency (as
 * training code reads an image). Nothing is decoded before the pipeline has an output, but a BMP
 * file, whose pixels are all in memory. `enough`: what the caller resizes them to; of a BMP file
 * not much more than that is made then.
 */
export async function openPixels(
  bytes: Uint8Array,
  { format, width, height }: ImageFile,
  enough?: Size,
): Promise<Sharp> {
  if (format === 'bmp') {
    const header = readBmpHeader(bytes);
    const size = reducedSize(header, enough);
    return openRaw({ data: await decodeBmp(bytes, header, size), ...size });
  }
  const sharp = await loadSharp();
  const limitInputPixels = limits.imagePixelsMax;
  // Some colour profiles make a pixel ten times as expensive.
  const ignoreIcc = width * height > limits.colourProfilePixelsMax;
  return sharp(bytes, { failOn: 'warning', limitInputPixels, ignoreIcc })
    .removeAlpha()
    .toColourspace('srgb');
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

/** How pixels are mixed where an image changes its size. */
export type ScalingKernel = 'linear' | 'cubic' | 'lanczos3';

/** An image in another size, as models are given it. Errors as readImageFile. */
export async function fitImage(
  bytes: Uint8Array,
  size: Size,
  kernel: ScalingKernel = 'linear',
): Promise<RawImage> {
  const file = await readImageHeader(bytes);
  const pixels = await openPixels(bytes, file, size);
  const { width, height } = size;
  return readOut(file, pixels.resize(width, height, { fit: 'fill', kernel }));
}

/** As a JPEG of the same orientation, each side `scale` times as long. Errors as readImageFile. */
export async function reencode(
  bytes: Uint8Array,
  scale: number,
  quality: number,
): Promise<Uint8Array> {
  const file = await readImageHeader(bytes);
  checkEncodable(file);
  const side = (length: number) => Math.max(1, Math.round(length * scale));
  const size = { width: side(file.width), height: side(file.height) };
  const pixels = await openPixels(bytes, file, size);
  const scaled = scale === 1 ? pixels : pixels.resize({ ...size, fit: 'fill' });
  const timed = scaled.timeout({ seconds: limits.imageReadMsMax / 1000 });
  const { orientation } = file;
  return (orientation === 1 ? timed : timed.withMetadata({ orientation }))
    .jpeg({ quality })
    .toBuffer()
    .catch((cause) => {
      throw unreadable(file.format, cause, ': its pixels cannot be read');
    });
}

/** A BMP file that is not made smaller is in memory with all its pixels. */
function checkEncodable({ format, width, height }: ImageFile): void {
  if (format !== 'bmp' || 3 * width * height <= limits.decodeBytesMax) return;
  throw fileError('too_large', `has ${width} x ${height} pixels, too many for a BMP`);
}

/**
 * Runs a pipeline that began with openPixels; what fails in it is the fault of the file. Throws
 * `too_large` where it needs more memory or time than there is.
 */
export async function readOut(file: ImageFile, pixels: Sharp): Promise<RawImage> {
  try {
    const { data, info } = await pixels
      .timeout({ seconds: limits.imageReadMsMax / 1000 })
      .raw({ depth: 'uchar' })
      .toBuffer({ resolveWithObject: true });
    return { data, width: info.width, height: info.height };
  } catch (cause) {
    throw unreadable(file.format, cause, ': its pixels cannot be read');
  }
}

function unreadable(format: ImageFormat, cause: unknown, what = ''): FoveaError {
  if (
    cause instanceof Error &&
    /out of memory|insufficient memory|memory allocation/i.test(cause.message)
  ) {
    const message = `takes more memory to read than there is (${format})`;
    const hint = 'Make it smaller; or install sharp beside Fovea, which may use all memory.';
    return fileError('too_large', message, { cause, hint });
  }
  if (cause instanceof Error && /^timeout:/i.test(cause.message)) {
    return fileError('too_large', takesTooLong, { cause });
  }
  return fileError('invalid_input', `is a truncated or corrupt ${format} image${what}`, { cause });
}

/** What is said of an image whose time is over. */
export const takesTooLong = `takes longer than ${limits.imageReadMsMax / 1000} s to read`;

function recognise(bytes: Uint8Array): ImageFormat {
  const found = recogniseImage(bytes);
  if ('format' in found) return found.format;
  throw fileError(
    'unsupported_media',
    `is ${found.other}; accepted are JPEG, PNG, WebP, BMP, TIFF and AVIF`,
  );
}
