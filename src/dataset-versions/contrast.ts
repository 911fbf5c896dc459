// The three ways to adjust contrast.

import type { VersionSettings } from '../contract/version-settings.ts';
import { equalizeTiles } from './clahe.ts';
import type { Paint } from './labelled-image.ts';
import { histogramOf, lumaOf, setLuma } from './luma.ts';

type ContrastType = NonNullable<VersionSettings['preprocessing']['contrast']>['type'];

export const contrasts: Readonly<Record<ContrastType, Paint>> = {
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
