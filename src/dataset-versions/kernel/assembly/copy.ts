// Moves pixels without changing them.

/** Copies rows of `bytes` bytes between two images whose rows are that far apart. */
export function copyRows(
  source: usize,
  sourceStride: usize,
  target: usize,
  targetStride: usize,
  bytes: usize,
  rows: i32,
): void {
  for (let row = 0; row < rows; row++) {
    memory.copy(target, source, bytes);
    source += sourceStride;
    target += targetStride;
  }
}

/** Writes `count` pixels of one colour; up to 48 bytes behind them are overwritten. */
export function fill(target: usize, count: usize, red: i32, green: i32, blue: i32): void {
  const end = target + count * 3;
  const pixel = red | (green << 8) | (blue << 16);
  const colour = i32x4.splat(pixel);
  const first = v128.swizzle(colour, i8x16(0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0));
  const second = v128.swizzle(colour, i8x16(1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1));
  const third = v128.swizzle(colour, i8x16(2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2));
  while (target < end) {
    v128.store(target, first);
    v128.store(target, second, 16);
    v128.store(target, third, 32);
    target += 48;
  }
}

/** copyRows, mirrored left to right. Reads up to 15 bytes before a row, writes as many behind. */
export function mirrorRows(
  source: usize,
  sourceStride: usize,
  target: usize,
  targetStride: usize,
  bytes: usize,
  rows: i32,
): void {
  for (let row = 0; row < rows; row++) {
    let from = source + bytes;
    const end = target + bytes;
    // The last block may reach beyond the row: the next row writes there anew.
    for (let to = target; to < end; to += 15) {
      from -= 15;
      const pixels = v128.load(from);
      v128.store(
        to,
        v128.swizzle(pixels, i8x16(12, 13, 14, 9, 10, 11, 6, 7, 8, 3, 4, 5, 0, 1, 2, -1)),
      );
    }
    source += sourceStride;
    target += targetStride;
  }
}

/**
 * Turns by a quarter: the pixel at column x, row y of the source comes to `target + x * columnStep +
 * y * rowStep` (bytes, either sign).
 */
export function turnQuarter(
  source: usize,
  width: i32,
  height: i32,
  target: usize,
  columnStep: i32,
  rowStep: i32,
): void {
  const stride = <usize>width * 3;
  // In blocks, so that the lines of the cache are used while they are there.
  for (let top = 0; top < height; top += block) {
    const bottom = min(top + block, height);
    for (let left = 0; left < width; left += block) {
      const right = min(left + block, width);
      for (let column = left; column < right; column++) {
        let from = source + <usize>top * stride + <usize>column * 3;
        let to = <usize>(<i64>target + <i64>column * columnStep + <i64>top * rowStep);
        for (let row = top; row < bottom; row++) {
          store<u16>(to, load<u16>(from));
          store<u8>(to, load<u8>(from, 2), 2);
          from += stride;
          to += <usize>rowStep;
        }
      }
    }
  }
}

const block: i32 = 32;
