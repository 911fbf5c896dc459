// Converts weights and positions to the fixed-point numbers that the compiled functions take.

import { invalidArgument } from '../../errors.ts';
import type { Matrix } from '../transform-boxes.ts';

export interface GaussianWeights {
  /** The weight of the pixel itself. All weights are in 256ths. */
  readonly centre: number;
  /** Pairs of a distance in pixels, on either side, and its weight. Only weights above 0. */
  readonly pairs: Int32Array;
  /** The distance of the last pair; 0 without pairs. */
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
  /** How many weights an entry has. */
  readonly count: number;
  /** How many bits of a weight are behind the point. */
  readonly bits: number;
}

/** Which of `from` pixels in a row make each of `to` pixels, with a triangle filter. */
export function triangleTable(from: number, to: number): TriangleTable {
  const scale = from / to;
  const support = Math.max(scale, 1);
  const countMax = Math.min(Math.ceil(2 * support), from);
  // One more pixel than `from` is read where that is odd: its weight is 0.
  const count = scale <= 1 || from <= 2 ? 2 : Math.ceil(countMax / 4) * 4;
  const weights = new Float64Array(to * count);
  const firsts = new Int32Array(to);
  let largest = 0;
  for (let at = 0; at < to; at++) {
    const centre = (at + 0.5) * scale;
    // All `count` pixels are read: they begin early enough to end within the row.
    const first = Math.max(Math.min(Math.trunc(centre - support + 0.5), from - count), 0);
    const end = Math.min(Math.trunc(centre + support + 0.5), first + count, from);
    firsts[at] = first;
    const span = { start: at * count, count: end - first };
    largest = Math.max(largest, setTriangle(weights, span, centre - first, support));
  }
  // A weight fits in 16 bits with its sign, also after rounding, and 255 times their sum in 32.
  let bits = 22;
  while (largest * 2 ** bits > 32_000) bits--;
  return { entries: packTable(firsts, weights, count, 2 ** bits), count, bits };
}

/** Part of an array. */
interface Span {
  readonly start: number;
  readonly count: number;
}

/** Sets the share of each pixel in a triangle around a centre (sum 1). Gives the largest. */
function setTriangle(
  weights: Float64Array,
  { start, count }: Span,
  centre: number,
  support: number,
): number {
  let sum = 0;
  let largest = 0;
  for (let at = 0; at < count; at++) {
    const height = Math.max(1 - Math.abs(at + 0.5 - centre) / support, 0);
    weights[start + at] = height;
    sum += height;
    largest = Math.max(largest, height);
  }
  for (let at = start; at < start + count; at++) weights[at] = (weights[at] ?? 0) / sum;
  return largest / sum;
}

function packTable(firsts: Int32Array, weights: Float64Array, count: number, one: number) {
  const entryBytes = 8 + 2 * count;
  const entries = new DataView(new ArrayBuffer(firsts.length * entryBytes));
  for (let at = 0; at < firsts.length; at++) {
    const entry = at * entryBytes;
    const used = packWeights(weights, { start: at * count, count }, entries, entry + 8, one);
    entries.setInt32(entry, firsts[at] ?? 0, true);
    entries.setInt32(entry + 4, Math.ceil(used / 2), true);
  }
  return new Uint8Array(entries.buffer);
}

/**
 * Writes weights, rounded, whose sum is `one`: the largest takes the rounding error. Gives how many
 * there are up to the last above 0.
 */
function packWeights(
  weights: Float64Array,
  { start, count }: Span,
  entries: DataView,
  place: number,
  one: number,
): number {
  let over = one;
  let largest = 0;
  let largestAt = 0;
  let used = 0;
  for (let at = 0; at < count; at++) {
    const weight = Math.round((weights[start + at] ?? 0) * one);
    if (weight === 0) continue;
    entries.setInt16(place + 2 * at, weight, true);
    over -= weight;
    used = at + 1;
    if (weight > largest) {
      largest = weight;
      largestAt = at;
    }
  }
  entries.setInt16(place + 2 * largestAt, largest + over, true);
  return used;
}

/**
 * For the warp of assembly/warp.ts: the source position of the first output pixel (x, y), and its
 * steps from column to column (x, y) and from row to row (x, y), in 2 ^ 32ths of a pixel. Undefined
 * where a single step leaves any image, or the matrix folds the image into a line: nothing is seen.
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
/** Larger than any image; with 32,767 steps down and across, positions still fit into 63 bits. */
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
