// Baseline JPEG without chroma subsampling and with the standard tables. Whole numbers only, so
// that the same pixels give the same bytes on every machine.

import { loadBlock, planeBytes, planes, stageBlock } from './jpeg-colour';
import { encodeBlock, finishScan, scanPosition, startScan } from './jpeg-entropy';
import { headerBytes, writeHeader } from './jpeg-header';
import { chrominance, luminance, prepareTables } from './jpeg-tables';
import { prepareOrder, transform } from './jpeg-transform';

/**
 * Encodes RGB pixels (three bytes each, rows without padding); sides 1 to 65,535, `quality` 1 to
 * 100 on libjpeg's scale. Gives the number of bytes, or -1 where `capacity` is, or may be, too
 * small: before each group of 8 by 8 pixels the most that these can take must be free.
 */
export function encodeJpeg(
  pixels: usize,
  width: i32,
  height: i32,
  quality: i32,
  output: usize,
  capacity: usize,
): i32 {
  if (capacity < headerBytes + groupBytesMax + tailBytesMax) return -1;
  const last = output + capacity - groupBytesMax - tailBytesMax;
  prepareTables(quality);
  prepareOrder();
  startScan(writeHeader(output, width, height));
  for (let top = 0; top < height; top += 8) {
    for (let left = 0; left < width; left += 8) {
      if (scanPosition() > last) return -1;
      if (left + 8 <= width && top + 8 <= height) {
        loadBlock(pixels + (<usize>top * <usize>width + <usize>left) * 3, <usize>width * 3);
      } else {
        loadBlock(stageBlock(pixels, width, height, left, top), 24);
      }
      encodeBlock(transform(planes, luminance), 0, luminance);
      encodeBlock(transform(planes + planeBytes, chrominance), 1, chrominance);
      encodeBlock(transform(planes + planeBytes * 2, chrominance), 2, chrominance);
    }
  }
  return <i32>(finishScan() - output);
}

/** Three blocks of 64 coefficients of 26 bits (code and value), and a zero after each byte. */
const groupBytesMax: usize = 3 * 64 * 26 / 8 * 2;

/** What may be in the buffer or left to say at the end, with zeros; and the end marker. */
const tailBytesMax: usize = 24;
