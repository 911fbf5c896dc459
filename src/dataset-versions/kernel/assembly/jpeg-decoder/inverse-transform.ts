// The inverse cosine transform of a block, as libjpeg's accurate one in whole numbers (Loeffler,
// Ligtenberg and Moschytz; 13 bits behind the point): decoders that agree with it, which most do,
// give the same pixels.

import { high16, low16, turn } from '../jpeg-transform';
import { coefficients } from './huffman-decoder';

/** Writes the 8 by 8 values of a block of one component; rows are `stride` bytes apart. */
export function writeBlock(steps: usize, last: i32, target: usize, stride: usize): void {
  if (last == 0) return writeFlat(steps, target, stride);
  for (let row: usize = 0; row < 128; row += 16) {
    const values = i16x8.mul(v128.load(coefficients + row), v128.load(steps + row));
    v128.store(coefficients + row, values);
  }
  pass(firstBits);
  pass(lastBits);
  for (let row: usize = 0; row < 128; row += 16) {
    const values = v128.load(coefficients + row);
    const bytes = v128.xor(i8x16.narrow_i16x8_s(values, values), i8x16.splat(-128));
    v128.store64_lane(target, bytes, 0);
    target += stride;
  }
}

/** A block of one value. */
function writeFlat(steps: usize, target: usize, stride: usize): void {
  const value = <i32>(<i16>(<i32>load<i16>(coefficients) * <i32>load<i16>(steps)));
  const level = max(0, min(255, ((value + 4) >> 3) + 128));
  const bytes = <u64>level * 0x0101010101010101;
  for (let row = 0; row < 8; row++) {
    store<u64>(target, bytes);
    target += stride;
  }
}

/** What a pass takes off behind the point: the first keeps two bits, the last the mean of 64. */
const firstBits: i32 = 11;
const lastBits: i32 = 18;

/** One-dimensional, of eight columns at once; turns its result over. */
function pass(bits: i32): void {
  const x0 = v128.load(coefficients);
  const x1 = v128.load(coefficients, 16);
  const x2 = v128.load(coefficients, 32);
  const x3 = v128.load(coefficients, 48);
  const x4 = v128.load(coefficients, 64);
  const x5 = v128.load(coefficients, 80);
  const x6 = v128.load(coefficients, 96);
  const x7 = v128.load(coefficients, 112);
  const z3 = i16x8.add(x7, x3);
  const z4 = i16x8.add(x5, x1);
  fourColumns(low16(x0, x4), low16(x2, x6), low16(x7, x1), low16(x5, x3), low16(z3, z4), bits, 0);
  fourColumns(
    high16(x0, x4),
    high16(x2, x6),
    high16(x7, x1),
    high16(x5, x3),
    high16(z3, z4),
    bits,
    16,
  );
  turn(
    narrowed(0),
    narrowed(32),
    narrowed(64),
    narrowed(96),
    narrowed(128),
    narrowed(160),
    narrowed(192),
    narrowed(224),
    coefficients,
  );
}

/** Eight rows of eight numbers of 32 bits. */
const wide: usize = memory.data(256, 16);

function narrowed(row: usize): v128 {
  return i16x8.narrow_i32x4_s(v128.load(wide + row), v128.load(wide + row, 16));
}

/** Pairs of rows, interleaved; the last are sums: of rows 7 and 3, of rows 5 and 1. */
function fourColumns(
  pair04: v128,
  pair26: v128,
  pair71: v128,
  pair53: v128,
  sums: v128,
  bits: i32,
  offset: usize,
): void {
  const even0 = weigh(pair04, 0);
  const even1 = weigh(pair04, 4);
  const even2 = weigh(pair26, 8);
  const even3 = weigh(pair26, 12);
  const shared3 = weigh(sums, 16);
  const shared4 = weigh(sums, 20);
  const odd0 = i32x4.add(weigh(pair71, 24), shared3);
  const odd3 = i32x4.add(weigh(pair71, 28), shared4);
  const odd1 = i32x4.add(weigh(pair53, 32), shared4);
  const odd2 = i32x4.add(weigh(pair53, 36), shared3);
  const target = wide + offset;
  storeBoth(i32x4.add(even0, even2), odd3, bits, target, target + 224);
  storeBoth(i32x4.add(even1, even3), odd2, bits, target + 32, target + 192);
  storeBoth(i32x4.sub(even1, even3), odd1, bits, target + 64, target + 160);
  storeBoth(i32x4.sub(even0, even2), odd0, bits, target + 96, target + 128);
}

/** Sum and difference, rounded. */
function storeBoth(even: v128, odd: v128, bits: i32, sum: usize, difference: usize): void {
  const rounded = i32x4.add(even, i32x4.splat(1 << (bits - 1)));
  v128.store(sum, i32x4.shr_s(i32x4.add(rounded, odd), bits));
  v128.store(difference, i32x4.shr_s(i32x4.sub(rounded, odd), bits));
}

/** Weights of the pairs times 2^13: of rows 0 and 4, 2 and 6, of the sums, of 7 and 1, 5 and 3. */
const weights: usize = memory.data<i16>([
  8192, 8192, 8192, -8192, 10703, 4433, 4433, -10704, -6436, 9633, 9633, 6437, -4927, -7373, -7373,
  4926, -4176, -20995, -20995, 4177,
]);

/** The sum of each pair, weighted as it stands at that offset of `weights`. */
function weigh(pairs: v128, offset: usize): v128 {
  return i32x4.dot_i16x8_s(pairs, v128.load32_splat(weights + offset));
}
