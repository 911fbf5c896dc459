// Masks as PNG files: the number of a pixel is its class, so colours say nothing.

import { limits } from '../limits.ts';
import { fileError } from './file-error.ts';
import { readImageHeader, readOut } from './image-file.ts';
import { loadSharp } from './load-sharp.ts';
import type { RawImage } from './raw-image.ts';

/**
 * One byte a pixel. Throws `invalid_input` for a file that is no PNG of 8-bit grey, else as
 * readImageHeader.
 */
export async function decodeMask(bytes: Uint8Array): Promise<RawImage> {
  const file = await readImageHeader(bytes);
  if (file.format !== 'png') throw fileError('invalid_input', `is ${file.format}, and no PNG`);
  const [bits = 0, colour = 0] = bytes.subarray(headerAt.bits, headerAt.bits + 2);
  if (bits !== 8 || colour !== grey) {
    throw fileError('invalid_input', `has ${bits} bits and ${colours[colour] ?? 'colours'}`, {
      hint: 'A mask is a PNG of 8-bit grey whose values are classes, without a palette.',
    });
  }
  const sharp = await loadSharp();
  const limitInputPixels = limits.imagePixelsMax;
  const pixels = sharp(bytes, { failOn: 'warning', limitInputPixels, ignoreIcc: true });
  return readOut(file, pixels.toColourspace('b-w'));
}

const headerAt = { bits: 24 } as const;
const grey = 0;

const colours: Readonly<Record<number, string>> = { 0: 'grey', 3: 'a palette', 4: 'transparency' };
