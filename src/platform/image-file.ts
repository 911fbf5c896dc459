// Image files: which format it is, how large, whether its pixels can be read.

import { FoveaError } from '../errors.ts';

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
 * What an image file is, after all its pixels were read once. Errors name `file`:
 * `unsupported_media` (not an accepted format), `too_large` (bytes or pixels), `invalid_input`
 * (empty, truncated or corrupt).
 */
export async function readImageFile(_bytes: Uint8Array): Promise<ImageFile> {
  throw new FoveaError('not_implemented', 'Not there yet.');
}

/** The pixels as stored, without transparency. Errors as readImageFile. */
export async function decodeImage(_bytes: Uint8Array): Promise<RawImage> {
  throw new FoveaError('not_implemented', 'Not there yet.');
}
