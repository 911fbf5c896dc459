// The cosine transform of a block and its quantisation, eight numbers of 16 bits at a time. Relaxed
// instructions differ between machines only for what does not occur here: a product of -32,768 with
// itself, and places from 16 to 127.

import { zigzag } from './jpeg-standard';
import { factorsOffset, levels, shiftsOffset } from './jpeg-tables';

/** Quantised coefficients in zigzag order, as signed bytes; the first (DC) is zero. */
export const coefficients: usize = memory.data(64, 16);

/**
 * Quantised coefficients of 16 bits, column by column: the first (DC) always, the others only where
 * one of them does not fit into `coefficients`.
 */
export const wideCoefficients: usize = memory.data(128, 16);

/**
 * Transforms and quantises a block, whose memory it uses. Gives the positions in zigzag order with
 * an AC coefficient that is not zero, as bits; and bit 0 where all are in `wideCoefficients`.
 */
export function transform(block: usize, tables: usize): u64 {
  pass(block, 0);
  return pass(block, tables);
}

/**
 * Factors of the pass times 2^15, where c(k) = cos(k pi / 16): c(4), c(6), c(2) - c(6), and
 * c(2) + c(6) - 1.
 */
const factors: usize = memory.data<i16>([23170, 12540, 17734, 10045]);
const factor4: usize = factors;
const factor6: usize = factors + 2;
const factorDifference: usize = factors + 4;
const factorSum: usize = factors + 6;

/** Which of the 16 bytes of a pair of columns go to which of 16 positions: 4 times 4 pairs. */
const order: usize = memory.data(256, 16);

/** Fills the table for `reorder`: 0x80 where the position has its value from another pair. */
export function prepareOrder(): void {
  memory.fill(order, 0x80, 256);
  for (let position: usize = 0; position < 64; position++) {
    const place = <usize>load<u8>(zigzag + position);
    const byte = ((place & 7) << 3) | (place >> 3);
    store<u8>(order + ((position >> 4) << 6) + (byte & 0x30) + (position & 15), byte & 15);
  }
}

/**
 * One-dimensional transform (Arai, Agui and Nakajima) of eight columns at once. The first pass,
 * without tables, turns its result over in place; the second goes on to quantisation.
 */
function pass(block: usize, tables: usize): u64 {
  const x0 = v128.load(block);
  const x1 = v128.load(block, 16);
  const x2 = v128.load(block, 32);
  const x3 = v128.load(block, 48);
  const x4 = v128.load(block, 64);
  const x5 = v128.load(block, 80);
  const x6 = v128.load(block, 96);
  const x7 = v128.load(block, 112);
  const sum0 = i16x8.add(x0, x7);
  const sum1 = i16x8.add(x1, x6);
  const sum2 = i16x8.add(x2, x5);
  const sum3 = i16x8.add(x3, x4);
  const even0 = i16x8.add(sum0, sum3);
  const even1 = i16x8.add(sum1, sum2);
  const even2 = i16x8.sub(sum1, sum2);
  const even3 = i16x8.sub(sum0, sum3);
  const evenTurned = times(i16x8.add(even2, even3), factor4);
  const difference = i16x8.sub(x0, x7);
  const odd0 = i16x8.add(i16x8.sub(x3, x4), i16x8.sub(x2, x5));
  const odd1 = i16x8.add(i16x8.sub(x2, x5), i16x8.sub(x1, x6));
  const odd2 = i16x8.add(i16x8.sub(x1, x6), difference);
  const oddTurned = times(odd1, factor4);
  const outer = i16x8.add(difference, oddTurned);
  const inner = i16x8.sub(difference, oddTurned);
  const shared = times(i16x8.sub(odd0, odd2), factor6);
  const innerTurned = i16x8.add(times(odd0, factorDifference), shared);
  const outerTurned = i16x8.add(i16x8.add(odd2, times(odd2, factorSum)), shared);
  const y0 = i16x8.add(even0, even1);
  const y1 = i16x8.add(outer, outerTurned);
  const y2 = i16x8.add(even3, evenTurned);
  const y3 = i16x8.sub(inner, innerTurned);
  const y4 = i16x8.sub(even0, even1);
  const y5 = i16x8.add(inner, innerTurned);
  const y6 = i16x8.sub(even3, evenTurned);
  const y7 = i16x8.sub(outer, outerTurned);
  if (tables != 0) return quantise(y0, y1, y2, y3, y4, y5, y6, y7, tables);
  levelAndTurn(y0, y1, y2, y3, y4, y5, y6, y7, block);
  return 0;
}

/** Brings the rows to one scale and stores them as columns. */
function levelAndTurn(
  y0: v128,
  y1: v128,
  y2: v128,
  y3: v128,
  y4: v128,
  y5: v128,
  y6: v128,
  y7: v128,
  block: usize,
): void {
  turn(
    times(y0, levels),
    times(y1, levels + 2),
    times(y2, levels + 4),
    times(y3, levels + 6),
    times(y4, levels + 8),
    times(y5, levels + 10),
    times(y6, levels + 12),
    times(y7, levels + 14),
    block,
  );
}

/** Stores eight rows as columns. */
export function turn(
  x0: v128,
  x1: v128,
  x2: v128,
  x3: v128,
  x4: v128,
  x5: v128,
  x6: v128,
  x7: v128,
  block: usize,
): void {
  const a0 = low16(x0, x1);
  const a1 = high16(x0, x1);
  const a2 = low16(x2, x3);
  const a3 = high16(x2, x3);
  const a4 = low16(x4, x5);
  const a5 = high16(x4, x5);
  const a6 = low16(x6, x7);
  const a7 = high16(x6, x7);
  storePair(block, low32(a0, a2), low32(a4, a6));
  storePair(block + 32, high32(a0, a2), high32(a4, a6));
  storePair(block + 64, low32(a1, a3), low32(a5, a7));
  storePair(block + 96, high32(a1, a3), high32(a5, a7));
}

function storePair(target: usize, upper: v128, lower: v128): void {
  v128.store(target, v128.shuffle<i64>(upper, lower, 0, 2));
  v128.store(target, v128.shuffle<i64>(upper, lower, 1, 3), 16);
}

/** Divides by the steps, column by column, and puts the result into zigzag order. */
function quantise(
  y0: v128,
  y1: v128,
  y2: v128,
  y3: v128,
  y4: v128,
  y5: v128,
  y6: v128,
  y7: v128,
  tables: usize,
): u64 {
  const x0 = divide(y0, tables);
  const x1 = divide(y1, tables + 16);
  const x2 = divide(y2, tables + 32);
  const x3 = divide(y3, tables + 48);
  const x4 = divide(y4, tables + 64);
  const x5 = divide(y5, tables + 80);
  const x6 = divide(y6, tables + 96);
  const x7 = divide(y7, tables + 112);
  store<i16>(wideCoefficients, i16x8.extract_lane_s(x0, 0));
  const pair0 = i8x16.narrow_i16x8_s(i16x8.replace_lane(x0, 0, 0), x1);
  const pair1 = i8x16.narrow_i16x8_s(x2, x3);
  const pair2 = i8x16.narrow_i16x8_s(x4, x5);
  const pair3 = i8x16.narrow_i16x8_s(x6, x7);
  const mask = reorder(pair0, pair1, pair2, pair3);
  if (fit(pair0, pair1, pair2, pair3)) return mask;
  v128.store(wideCoefficients, x0);
  v128.store(wideCoefficients, x1, 16);
  v128.store(wideCoefficients, x2, 32);
  v128.store(wideCoefficients, x3, 48);
  v128.store(wideCoefficients, x4, 64);
  v128.store(wideCoefficients, x5, 80);
  v128.store(wideCoefficients, x6, 96);
  v128.store(wideCoefficients, x7, 112);
  return mask | 1;
}

/** Whether all bytes are less than 127 on either side of zero: others may have been larger. */
function fit(pair0: v128, pair1: v128, pair2: v128, pair3: v128): bool {
  const largest = i8x16.max_u(
    i8x16.max_u(i8x16.abs(pair0), i8x16.abs(pair1)),
    i8x16.max_u(i8x16.abs(pair2), i8x16.abs(pair3)),
  );
  return i8x16.bitmask(i8x16.add(largest, i8x16.splat(1))) == 0;
}

/** From pairs of columns into zigzag order. Gives the positions that are not zero. */
function reorder(pair0: v128, pair1: v128, pair2: v128, pair3: v128): u64 {
  const upper = v128.or(pick(pair0, 0), pick(pair1, 16));
  const line0 = v128.or(upper, pick(pair2, 32));
  const line1 = v128.or(
    v128.or(pick(pair0, 64), pick(pair1, 80)),
    v128.or(pick(pair2, 96), pick(pair3, 112)),
  );
  const line2 = v128.or(
    v128.or(pick(pair0, 128), pick(pair1, 144)),
    v128.or(pick(pair2, 160), pick(pair3, 176)),
  );
  const lower = v128.or(pick(pair1, 208), pick(pair2, 224));
  const line3 = v128.or(lower, pick(pair3, 240));
  v128.store(coefficients, line0);
  v128.store(coefficients, line1, 16);
  v128.store(coefficients, line2, 32);
  v128.store(coefficients, line3, 48);
  return ~(zeros(line0) | (zeros(line1) << 16) | (zeros(line2) << 32) | (zeros(line3) << 48));
}

/** Times a factor in memory, a number of 16 bits that stands for 2^15 times itself. */
function times(values: v128, factor: usize): v128 {
  return i16x8.relaxed_q15mulr_s(values, v128.load16_splat(factor));
}

/** Divides by the steps; halves are rounded away from zero, as libjpeg does it. */
function divide(values: v128, tables: usize): v128 {
  const product = i16x8.relaxed_q15mulr_s(values, v128.load(tables, factorsOffset));
  const symmetric = i16x8.add(product, i16x8.shr_s(product, 15));
  return i16x8.relaxed_q15mulr_s(symmetric, v128.load(tables, shiftsOffset));
}

function pick(pair: v128, offset: usize): v128 {
  return i8x16.relaxed_swizzle(pair, v128.load(order + offset));
}

function zeros(bytes: v128): u64 {
  return <u64>(<u32>i8x16.bitmask(i8x16.eq(bytes, i8x16.splat(0))));
}

export function low16(a: v128, b: v128): v128 {
  return v128.shuffle<i16>(a, b, 0, 8, 1, 9, 2, 10, 3, 11);
}

export function high16(a: v128, b: v128): v128 {
  return v128.shuffle<i16>(a, b, 4, 12, 5, 13, 6, 14, 7, 15);
}

function low32(a: v128, b: v128): v128 {
  return v128.shuffle<i32>(a, b, 0, 4, 1, 5);
}

function high32(a: v128, b: v128): v128 {
  return v128.shuffle<i32>(a, b, 2, 6, 3, 7);
}
