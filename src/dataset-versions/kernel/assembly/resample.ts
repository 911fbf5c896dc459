// Changes the size of an image along one side: each output pixel is a weighted sum of source pixels.
//
// A table says which ones, with an entry of `8 + 2 * count` bytes for each output pixel: the first
// source pixel and how many pairs of pixels count (both i32), then `count` weights (i16, of which
// 2 ^ bits is one), 0 where there are fewer. `count` is 2 or a multiple of 4. What follows after the
// weights that count is not read by `resampleColumns`; `resampleRows` reads all.

/** Changes the width. */
export function resampleRows(
  source: usize,
  sourceWidth: i32,
  target: usize,
  width: i32,
  height: i32,
  table: usize,
  count: i32,
  bits: i32,
): void {
  const tableEnd = table + <usize>width * entryBytes(count);
  for (let row = 0; row < height; row++) {
    if (count === 2) resampleRowOfTwo(source, target, table, tableEnd, bits);
    else resampleRow(source, target, table, tableEnd, count, bits);
    source += <usize>sourceWidth * 3;
    target += <usize>width * 3;
  }
}

// @ts-ignore: decorator
@inline
function entryBytes(count: i32): usize {
  return 8 + ((<usize>count) << 1);
}

function resampleRowOfTwo(
  source: usize,
  target: usize,
  table: usize,
  tableEnd: usize,
  bits: i32,
): void {
  const half = i32x4.splat(1 << (bits - 1));
  const firstTwo = v128.load(masks);
  for (let entry = table; entry < tableEnd; entry += 12) {
    const from = source + <usize>load<i32>(entry) * 3;
    const two = v128.swizzle(v128.load_zero<u64>(from), firstTwo);
    const sum = i32x4.add(half, i32x4.dot_i16x8_s(two, v128.load_splat<u32>(entry, 8)));
    storePixel(target, i32x4.shr_s(sum, bits));
    target += 3;
  }
}

function resampleRow(
  source: usize,
  target: usize,
  table: usize,
  tableEnd: usize,
  count: i32,
  bits: i32,
): void {
  const half = i32x4.splat(1 << (bits - 1));
  const firstTwo = v128.load(masks);
  const nextTwo = v128.load(masks, 16);
  let weights = table;
  while (weights < tableEnd) {
    let from = source + <usize>load<i32>(weights) * 3;
    weights += 8;
    const end = weights + ((<usize>count) << 1);
    let sum = half;
    let sumMore = i32x4.splat(0);
    for (; weights < end; weights += 8) {
      const four = v128.load(from);
      sum = i32x4.add(
        sum,
        i32x4.dot_i16x8_s(v128.swizzle(four, firstTwo), v128.load_splat<u32>(weights)),
      );
      sumMore = i32x4.add(
        sumMore,
        i32x4.dot_i16x8_s(v128.swizzle(four, nextTwo), v128.load_splat<u32>(weights, 4)),
      );
      from += 12;
    }
    storePixel(target, i32x4.shr_s(i32x4.add(sum, sumMore), bits));
    target += 3;
  }
}

/**
 * Pixels 0 and 1 as pairs of words: red and red, green and green, blue and blue; the same of pixels
 * 2 and 3.
 */
const masks = memory.data<i8>(
  [
    0, -1, 3, -1, 1, -1, 4, -1, 2, -1, 5, -1, -1, -1, -1, -1,
    6, -1, 9, -1, 7, -1, 10, -1, 8, -1, 11, -1, -1, -1, -1, -1,
  ],
  16,
);

/** Writes three sums; the byte behind them is overwritten too. */
// @ts-ignore: decorator
@inline
function storePixel(target: usize, sums: v128): void {
  const words = i16x8.narrow_i32x4_s(sums, sums);
  store<i32>(target, i32x4.extract_lane(i8x16.narrow_i16x8_u(words, words), 0));
}

/** Changes the height. */
export function resampleColumns(
  source: usize,
  width: i32,
  sourceHeight: i32,
  target: usize,
  height: i32,
  table: usize,
  count: i32,
  bits: i32,
): void {
  const stride = <usize>width * 3;
  const lastRow = source + <usize>(sourceHeight - 1) * stride;
  const half = i32x4.splat(1 << (bits - 1));
  for (let row = 0; row < height; row++) {
    const first = source + <usize>load<i32>(table) * stride;
    const end = table + 8 + ((<usize>load<i32>(table, 4)) << 2);
    for (let at: usize = 0; at < stride; at += 16) {
      let sum0 = half;
      let sum1 = half;
      let sum2 = half;
      let sum3 = half;
      let rowStart = first;
      for (let weights = table + 8; weights < end; weights += 4) {
        const weight = v128.load_splat<u32>(weights);
        const a = v128.load(rowStart + at);
        // The partner of the last row has no weight.
        const b = v128.load(min(rowStart + stride, lastRow) + at);
        const low = v128.shuffle<u8>(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
        const high = v128.shuffle<u8>(
          a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31,
        );
        sum0 = i32x4.add(sum0, i32x4.dot_i16x8_s(i16x8.extend_low_i8x16_u(low), weight));
        sum1 = i32x4.add(sum1, i32x4.dot_i16x8_s(i16x8.extend_high_i8x16_u(low), weight));
        sum2 = i32x4.add(sum2, i32x4.dot_i16x8_s(i16x8.extend_low_i8x16_u(high), weight));
        sum3 = i32x4.add(sum3, i32x4.dot_i16x8_s(i16x8.extend_high_i8x16_u(high), weight));
        rowStart += stride * 2;
      }
      const low = i16x8.narrow_i32x4_s(i32x4.shr_s(sum0, bits), i32x4.shr_s(sum1, bits));
      const high = i16x8.narrow_i32x4_s(i32x4.shr_s(sum2, bits), i32x4.shr_s(sum3, bits));
      v128.store(target + at, i8x16.narrow_i16x8_u(low, high));
    }
    target += stride;
    table += entryBytes(count);
  }
}
