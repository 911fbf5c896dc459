// Brightness of a pixel as a number, and changes of it that keep the colour.

import type { Kernel, Pixels } from './kernel/operations.ts';

/** Rec. 709, as the hosted platform's documents give it for grayscale. */
export const grayscaleWeights = [0.2125, 0.7154, 0.0721] as const;

/** Rec. 601, as image libraries use it for saturation and for luma. */
export const lumaWeights = [0.299, 0.587, 0.114] as const;

/** The Rec. 601 luma of each pixel, 0 to 255, row by row. */
export function lumaOf(kernel: Kernel, pixels: Pixels): Uint8Array {
  const rgb = kernel.bytes(pixels);
  const luma = new Uint8Array(pixels.width * pixels.height);
  for (let at = 0, from = 0; at < luma.length; at++, from += 3) {
    const red = rgb[from] ?? 0;
    const green = rgb[from + 1] ?? 0;
    const blue = rgb[from + 2] ?? 0;
    // 16384ths of the weights: whole numbers give the same on every machine.
    luma[at] = (red * 4899 + green * 9617 + blue * 1868 + 8192) >> 14;
  }
  return luma;
}

/** Gives each pixel another luma; the difference is added to red, green and blue. */
export function setLuma(
  kernel: Kernel,
  pixels: Pixels,
  before: Uint8Array,
  after: Uint8Array,
): void {
  // Writing beyond 0 to 255 stops there.
  const rgb = clampedView(kernel.bytes(pixels));
  for (let at = 0, to = 0; at < before.length; at++, to += 3) {
    const change = (after[at] ?? 0) - (before[at] ?? 0);
    rgb[to] = (rgb[to] ?? 0) + change;
    rgb[to + 1] = (rgb[to + 1] ?? 0) + change;
    rgb[to + 2] = (rgb[to + 2] ?? 0) + change;
  }
}

/** How often each value from 0 to 255 is there. */
export function histogramOf(values: Uint8Array): Uint32Array {
  const counts = new Uint32Array(256);
  for (const value of values) counts[value] = (counts[value] ?? 0) + 1;
  return counts;
}

function clampedView(bytes: Uint8Array): Uint8ClampedArray {
  return new Uint8ClampedArray(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
