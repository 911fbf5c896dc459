// The operation of the kernel that makes a file of an image.

import { invalidArgument } from '../../errors.ts';
import type { Machine } from './machine.ts';
import type { Kernel, Pixels } from './operations.ts';

type EncodingOperations = Pick<Kernel, 'encodeJpeg'>;

export function encodingOperations(machine: Machine): EncodingOperations {
  return {
    encodeJpeg: (pixels, quality) => {
      if (!Number.isInteger(quality) || quality < 1 || quality > 100) {
        throw invalidArgument('quality', 'must be a whole number from 1 to 100');
      }
      if (pixels.width * pixels.height === 0) {
        throw invalidArgument('pixels', 'a JPEG file has at least one pixel');
      }
      return encoded(machine, pixels, quality, pixels.width * pixels.height * 3 + reserveBytes);
    },
  };
}

/** For the header, and for what the encoder wants to be free before the last pixels. */
const reserveBytes = 4096;

/** All but noise takes fewer bytes than its pixels: noise gets twice as much, and again. */
function encoded(
  machine: Machine,
  pixels: Pixels,
  quality: number,
  capacity: number,
): Uint8Array<ArrayBuffer> {
  const file = machine.withScratch(() => {
    const { pointer, width, height } = pixels;
    const output = machine.allocate(capacity);
    const length = machine.call.encodeJpeg(pointer, width, height, quality, output, capacity);
    return length < 0 ? undefined : new Uint8Array(machine.view(output, length));
  });
  return file ?? encoded(machine, pixels, quality, capacity * 2);
}
