// Checks whether an image file is whole by its structure, without decoding its pixels.

import { checkAvifItems } from './avif-items.ts';
import { checkBmpRows, readBmpHeader } from './bmp.ts';
import type { ImageFormat } from './image-format.ts';
import { checkPngChunks } from './png-file.ts';
import { checkTiffPixels } from './tiff-header.ts';
import { checkWebpChunks } from './webp-header.ts';

/** Throws `Malformed`, of a BMP `invalid_input`, where part of the file is missing or damaged. */
export function checkWhole(bytes: Uint8Array, format: ImageFormat): void {
  checks[format](bytes);
}

const checks: Readonly<Record<ImageFormat, (bytes: Uint8Array) => void>> = {
  // Its header is read by a walk to its end.
  jpeg: () => {},
  png: checkPngChunks,
  webp: checkWebpChunks,
  bmp: (bytes) => checkBmpRows(bytes, readBmpHeader(bytes)),
  tiff: checkTiffPixels,
  avif: checkAvifItems,
};
