// Reads the orientation that EXIF gives an image.

import { Malformed } from './image-format.ts';
import { readTiffTags } from './tiff-header.ts';

/** 1 to 8; 1 where it has none. `exif`: a TIFF directory. */
export function readOrientation(exif: Uint8Array): number {
  try {
    const value = readTiffTags(exif)(274) ?? 1;
    return value >= 1 && value <= 8 ? value : 1;
  } catch (thrown) {
    if (thrown instanceof Malformed) return 1;
    throw thrown;
  }
}

/** The directory behind the mark that JPEG, and some programs elsewhere, put before it. */
export function behindExifMark(bytes: Uint8Array): Uint8Array | undefined {
  const isMarked = mark.equals(bytes.subarray(0, mark.length));
  return isMarked ? bytes.subarray(mark.length) : undefined;
}

const mark = Buffer.from('Exif\0\0', 'latin1');
