// Changes the size of an image along one side: each output pixel is a weighted sum of source pixels.
//
// A table says which ones, with entries of `8 + 4 * pairs` bytes: the first source pixel, how many
// pairs of pixels count (both i32), then two weights a pair (i16, of which 2 ^ bits is one).

/** Changes the width. Where a number of weights is odd, the last one is 0. */
export function resampleRows(
  source: usize,
  sourceWidth: i32,
  target: usize,
  width: i32,
  height: i32,
  table: usize,
  entryBytes: usize,
  bits: i32,
): void {
  const half = i32x4.splat(1 << (bits - 1));
  const tableEnd = table + <usize>width * entryBytes;
  for (let row = 0; row < height; row++) {
    for (let entry = table; entry < tableEnd; entry += entryBytes) {
      let from = source + <usize>load<i32>(entry) * 3;
      const end = entry + 8 + ((<usize>load<i32>(entry, 4)) << 2);
      let sum = half;
      for (let weights = entry + 8; weights < end; weights += 4) {
        const two = v128.swizzle(
          v128.load_zero<u64>(from),
          i8x16(0, -1, 3, -1, 1, -1, 4, -1, 2, -1, 5, -1, -1, -1, -1, -1),
        );
        sum = i32x4.add(sum, i32x4.dot_i16x8_s(two, v128.load_splat<u32>(weights)));
        from += 6;
      }
      const words = i16x8.narrow_i32x4_s(i32x4.shr_s(sum, bits), sum);
      store<i32>(target, i32x4.extract_lane(i8x16.narrow_i16x8_u(words, words), 0));
      target += 3;
    }
    source += <usize>sourceWidth * 3;
  }
}

/** Changes the height. */
export function resampleColumns(
  source: usize,
  width: i32,
  sourceHeight: i32,
  target: usize,
  height: i32,
  table: usize,
  entryBytes: usize,
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
    table += entryBytes;
  }
}
