// Dot products of one query with many vectors of bytes (AssemblyScript). The caller lays out memory:
// all addresses are multiples of 16, and vectors are filled with zeros up to a multiple of 16 bytes.

/** The first address that nothing uses. */
export function freeMemory(): usize {
  return __heap_base;
}

/**
 * Writes `count` numbers of 32 bits to `out`: the products of `query` (16 bits a number) with each
 * vector (8 bits a number), `bytes` of which one vector has.
 */
export function dots(query: usize, vectors: usize, bytes: usize, count: usize, out: usize): void {
  for (let n: usize = 0; n < count; n++) {
    let low = i32x4.splat(0);
    let high = i32x4.splat(0);
    for (let at: usize = 0; at < bytes; at += 16) {
      const some = v128.load(vectors + at);
      const place = query + (at << 1);
      low = i32x4.add(low, i32x4.dot_i16x8_s(i16x8.extend_low_i8x16_s(some), v128.load(place)));
      high = i32x4.add(
        high,
        i32x4.dot_i16x8_s(i16x8.extend_high_i8x16_s(some), v128.load(place, 16)),
      );
    }
    const sums = i32x4.add(low, high);
    const sum =
      i32x4.extract_lane(sums, 0) +
      i32x4.extract_lane(sums, 1) +
      i32x4.extract_lane(sums, 2) +
      i32x4.extract_lane(sums, 3);
    store<i32>(out + (n << 2), sum);
    vectors += bytes;
  }
}
