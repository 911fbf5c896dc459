// Where the compiled functions get their whole numbers from: weights and places in fixed point.

import { invalidArgument } from '../../../errors.ts';
import type { Matrix } from '../geometry.ts';

export interface GaussianWeights {
  /** In 256ths, as all weights. */
  readonly centre: number;
  /** Pairs: so many pixels away on either side, the weight. Only weights above 0. */
  readonly pairs: Int32Array;
  /** How far the last pair is away; 0 without any. */
  readonly reach: number;
}

/**
 * The weights of OpenCV for 8-bit images: a window of 6 sigma + 1, in 256ths; what rounding leaves
 * over goes to the next weight towards the centre, so that the sum is 256.
 */
export function gaussianWeights(sigma: number): GaussianWeights {
  const reach = Math.floor(Math.round(sigma * 6 + 1) / 2);
  const densities = Array.from({ length: reach }, (_, at) => {
    const away = reach - at;
    return Math.exp((-0.5 * away * away) / (sigma * sigma));
  });
  const sum = 1 + 2 * densities.reduce((sum, density) => sum + density, 0);
  const pairs: number[] = [];
  let over = 0;
  let centre = 256;
  for (const [at, density] of densities.entries()) {
    const exact = (density / sum) * 256 + over;
    const weight = Math.round(exact);
    over = exact - weight;
    centre -= 2 * weight;
    if (weight > 0) pairs.unshift(reach - at, weight);
  }
  return { centre, pairs: Int32Array.from(pairs), reach: pairs.at(-2) ?? 0 };
}

export interface TriangleTable {
  /** As assembly/resample.ts describes it. */
  readonly entries: Uint8Array;
  readonly entryBytes: number;
  /** How many bits of a weight are behind the point. */
  readonly bits: number;
}

/** Which of `from` pixels in a row make each of `to` pixels, with a triangle filter. */
export function triangleTable(from: number, to: number): TriangleTable {
  const scale = from / to;
  const support = Math.max(scale, 1);
  const spans = Array.from({ length: to }, (_, at) => triangleSpan(from, scale, support, at));
  const countMax = spans.reduce((most, { weights }) => Math.max(most, weights.length), 0);
  const weightMax = spans.reduce((most, { weights }) => Math.max(most, ...weights), 0);
  // A weight fits in 16 bits with its sign, and 255 times their sum in 32.
  const bits = Math.min(14 + Math.floor(-Math.log2(weightMax)), 22);
  const pairsMax = Math.ceil(countMax / 2);
  const entryBytes = 8 + 4 * pairsMax;
  const entries = new DataView(new ArrayBuffer(to * entryBytes));
  for (const [at, { first, weights }] of spans.entries()) {
    const entry = at * entryBytes;
    entries.setInt32(entry, first, true);
    entries.setInt32(entry + 4, Math.ceil(weights.length / 2), true);
    for (const [index, weight] of wholeWeights(weights, 2 ** bits).entries()) {
      entries.setInt16(entry + 8 + 2 * index, weight, true);
    }
  }
  return { entries: new Uint8Array(entries.buffer), entryBytes, bits };
}

function triangleSpan(from: number, scale: number, support: number, at: number) {
  const centre = (at + 0.5) * scale;
  const first = Math.max(Math.trunc(centre - support + 0.5), 0);
  const end = Math.min(Math.trunc(centre + support + 0.5), from);
  const heights = Array.from({ length: end - first }, (_, index) =>
    Math.max(1 - Math.abs((first + index + 0.5 - centre) / support), 0),
  );
  const sum = heights.reduce((sum, height) => sum + height, 0);
  return { first, weights: heights.map((height) => height / sum) };
}

/** Rounded, with the sum `one`: the largest weight takes what rounding leaves over. */
function wholeWeights(weights: readonly number[], one: number): readonly number[] {
  const whole = weights.map((weight) => Math.round(weight * one));
  const over = one - whole.reduce((sum, weight) => sum + weight, 0);
  const largest = whole.indexOf(Math.max(...whole));
  return whole.with(largest, (whole[largest] ?? 0) + over);
}

/**
 * For the warp of assembly/warp.ts: where the first output pixel comes from (x, y), and the steps
 * to it from column to column (x, y) and from row to row (x, y), in 2 ^ 32ths of a pixel. Undefined
 * where a step leaves every image at once, or all is folded into a line: then nothing is seen.
 */
export function warpPlaces([a, b, c, d, e, f]: Matrix): readonly number[] | undefined {
  const area = a * d - b * c;
  const [columnX, columnY, rowX, rowY] = [d / area, -b / area, -c / area, a / area];
  const steps = [columnX, columnY, rowX, rowY];
  if (!steps.every((step) => Math.abs(step) < stepMax)) return undefined;
  const x = columnX * (0.5 - e) + rowX * (0.5 - f);
  const y = columnY * (0.5 - e) + rowY * (0.5 - f);
  if (!(Math.abs(x) < placeMax && Math.abs(y) < placeMax)) return undefined;
  return [x, y, ...steps].map((place) => Math.round(place * 2 ** 32));
}

/** An image of 32,767 pixels shrinks to two pixels by this. */
const stepMax = 2 ** 14;
/** With 32,767 such steps down and across, 63 bits are enough, and no image reaches so far. */
const placeMax = 2 ** 30;

/**
 * Nine weights as whole numbers of 16 bits, of which 2 ^ bits is one: as fine as the largest
 * allows.
 */
export function mixWeights(matrix: readonly number[]): { weights: Int16Array; bits: number } {
  if (matrix.length !== 9 || !matrix.every(Number.isFinite)) {
    throw invalidArgument('matrix', 'must have nine finite numbers');
  }
  const largest = matrix.reduce((most, weight) => Math.max(most, Math.abs(weight)), 0);
  let bits = 14;
  while (bits > 1 && Math.round(largest * 2 ** bits) > 32_767) bits--;
  const clip = (weight: number) => Math.min(Math.max(weight, -32_767), 32_767);
  const whole = matrix.map((weight) => clip(Math.round(weight * 2 ** bits)));
  return { weights: Int16Array.from(whole), bits };
}
