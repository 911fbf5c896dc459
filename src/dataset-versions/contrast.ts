// The three ways to adjust contrast, and the luma of pixels on which they work.

import type { VersionSettings } from '../contract/version-settings.ts';
import { equalizeTiles } from './clahe.ts';
import type { Kernel, Pixels } from './kernel/operations.ts';
import type { PixelTransform } from './labelled-image.ts';

type ContrastType = NonNullable<VersionSettings['preprocessing']['contrast']>['type'];

export const contrasts: Readonly<Record<ContrastType, PixelTransform>> = {
  /** The 2nd percentile of all values becomes 0, the 98th becomes 255. */
  'Contrast Stretching': (kernel, pixels) => {
    const counts = histogramOf(kernel.bytes(pixels));
    const low = percentile(counts, 2);
    const high = percentile(counts, 98);
    if (high > low)
      kernel.lookup(
        pixels,
        tableOf((v) => ((v - low) / (high - low)) * 255),
      );
    return pixels;
  },
  /** Luma spread evenly over 0 to 255. */
  'Histogram Equalization': (kernel, pixels) => {
    const luma = lumaOf(kernel, pixels);
    const table = equalizingTable(histogramOf(luma), luma.length);
    setLuma(
      kernel,
      pixels,
      luma,
      luma.map((value) => table[value] ?? value),
    );
    return pixels;
  },
  /** The same within 8 x 8 tiles, limited (CLAHE). */
  'Adaptive Equalization': (kernel, pixels) => {
    const luma = lumaOf(kernel, pixels);
    setLuma(kernel, pixels, luma, equalizeTiles(luma, pixels));
    return pixels;
  },
};

/** 256 results, rounded and kept within 0 to 255. */
export function tableOf(change: (value: number) => number): Uint8Array {
  const table = Uint8ClampedArray.from({ length: 256 }, (_, value) => change(value));
  return new Uint8Array(table.buffer);
}

/** With linear interpolation between neighbours in order of size, as numpy.percentile. */
function percentile(counts: Uint32Array, percent: number): number {
  const total = counts.reduce((sum, count) => sum + count, 0);
  const place = ((total - 1) * percent) / 100;
  const lower = valueAt(counts, Math.floor(place));
  const upper = valueAt(counts, Math.ceil(place));
  return lower + (upper - lower) * (place - Math.floor(place));
}

/** The value at that place, from 0, when all values stand in order of size. */
function valueAt(counts: Uint32Array, place: number): number {
  return sumsOf(counts).findIndex((sum) => sum > place);
}

/** How many are there up to and with each value. */
function sumsOf(counts: Uint32Array): Uint32Array {
  const sums = Uint32Array.from(counts);
  for (let value = 1; value < sums.length; value++) {
    sums[value] = (sums[value] ?? 0) + (sums[value - 1] ?? 0);
  }
  return sums;
}

function equalizingTable(counts: Uint32Array, total: number): Uint8Array {
  const first = counts.findIndex((count) => count > 0);
  const darkest = counts[first] ?? 0;
  if (total === darkest) return tableOf((value) => value);
  const sums = sumsOf(counts);
  return tableOf((value) =>
    value <= first ? 0 : (((sums[value] ?? 0) - darkest) * 255) / (total - darkest),
  );
}

/** Rec. 709, as the hosted platform's documents give it for grayscale. */
export const grayscaleWeights = [0.2125, 0.7154, 0.0721] as const;

/** Rec. 601, as image libraries use it for saturation and for luma. */
export const lumaWeights = [0.299, 0.587, 0.114] as const;

/** The Rec. 601 luma of each pixel, 0 to 255, row by row. */
function lumaOf(kernel: Kernel, pixels: Pixels): Uint8Array {
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
function setLuma(kernel: Kernel, pixels: Pixels, before: Uint8Array, after: Uint8Array): void {
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
function histogramOf(values: Uint8Array): Uint32Array {
  const counts = new Uint32Array(256);
  for (const value of values) counts[value] = (counts[value] ?? 0) + 1;
  return counts;
}

function clampedView(bytes: Uint8Array): Uint8ClampedArray {
  return new Uint8ClampedArray(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
