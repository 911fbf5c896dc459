// The operation of the kernel that encodes an image as a JPEG file.

import { invalidArgument } from '../../errors.ts';
import type { Kernel, Pixels } from './operations.ts';
import type { WasmInstance } from './wasm-instance.ts';

type EncodingOperations = Pick<Kernel, 'encodeJpeg'>;

export function encodingOperations(wasm: WasmInstance): EncodingOperations {
  return {
    encodeJpeg: (pixels, quality) => {
      if (!Number.isInteger(quality) || quality < 1 || quality > 100) {
        throw invalidArgument('quality', 'must be a whole number from 1 to 100');
      }
      if (pixels.width * pixels.height === 0) {
        throw invalidArgument('pixels', 'a JPEG file has at least one pixel');
      }
      return encoded(wasm, pixels, quality, pixels.width * pixels.height * 3 + reserveBytes);
    },
  };
}

/** For the header, and the free bytes that the encoder wants before each block. */
const reserveBytes = 4096;

/** Few files are larger than their pixels. Where one is, twice the memory is tried, and so on. */
function encoded(
  wasm: WasmInstance,
  pixels: Pixels,
  quality: number,
  capacity: number,
): Uint8Array<ArrayBuffer> {
  const file = wasm.withScratch(() => {
    const { pointer, width, height } = pixels;
    const output = wasm.allocate(capacity);
    const length = wasm.call.encodeJpeg(pointer, width, height, quality, output, capacity);
    return length < 0 ? undefined : new Uint8Array(wasm.view(output, length));
  });
  return file ?? encoded(wasm, pixels, quality, capacity * 2);
}
