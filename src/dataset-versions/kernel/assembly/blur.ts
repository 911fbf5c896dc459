// Weighs pixels with their neighbours on both sides: a symmetric filter in two passes.

/**
 * A filter whose weights are 256ths and sum up to 256, first down the columns of one row, then along
 * it. Beyond an edge the image is mirrored at the centre of its last pixel. `weights` holds `count`
 * pairs of i32: how many pixels away on either side (1 to `reach`, rising), and the weight.
 * `scratch` has room for blurScratch(width, reach, count) bytes.
 */
export function blur(
  source: usize,
  target: usize,
  width: i32,
  height: i32,
  centre: i32,
  weights: usize,
  count: i32,
  reach: i32,
  scratch: usize,
): void {
  const stride = <usize>width * 3;
  const middle = i16x8.splat(<i16>centre);
  const down = scratch;
  const along = down + <usize>count * pairBytes;
  const line = along + <usize>count * pairBytes + <usize>reach * 3;
  for (let pair = 0; pair < count; pair++) {
    const away = load<i32>(weights + (pair << 3));
    const weight = i16x8.splat(load<i16>(weights + (pair << 3), 4));
    setPair(along, pair, line - <usize>away * 3, line + <usize>away * 3, weight);
    setPair(down, pair, 0, 0, weight);
  }
  for (let row = 0; row < height; row++) {
    for (let pair = 0; pair < count; pair++) {
      const away = load<i32>(weights + (pair << 3));
      const entry = down + <usize>pair * pairBytes;
      store<usize>(entry, source + <usize>mirrored(row - away, height) * stride);
      store<usize>(entry, source + <usize>mirrored(row + away, height) * stride, 4);
    }
    weigh(source + <usize>row * stride, line, stride, middle, down, count);
    mirrorEnds(line, width, reach);
    weigh(line, target + <usize>row * stride, stride, middle, along, count);
  }
}

/** How many bytes of scratch memory `blur` needs. */
export function blurScratch(width: i32, reach: i32, count: i32): usize {
  return <usize>count * pairBytes * 2 + (<usize>width + <usize>reach * 2) * 3 + 64;
}

/** Two addresses, 8 bytes of nothing, and the weight in all eight lanes. */
const pairBytes: usize = 32;

function setPair(table: usize, pair: i32, before: usize, behind: usize, weight: v128): void {
  const entry = table + <usize>pair * pairBytes;
  store<usize>(entry, before);
  store<usize>(entry, behind, 4);
  v128.store(entry, weight, 16);
}

/** 128 in memory: half of 256, to round the sums. */
const half = memory.data<u16>([128]);

/** Sums of bytes, 32 at a time; up to 31 behind the last are written too. */
function weigh(
  source: usize,
  target: usize,
  bytes: usize,
  centre: v128,
  pairs: usize,
  count: i32,
): void {
  const round = v128.load_splat<u16>(half);
  const pairsEnd = pairs + <usize>count * pairBytes;
  for (let at: usize = 0; at < bytes; at += 32) {
    const middle = source + at;
    let sum0 = i16x8.add(i16x8.mul(v128.load_ext<u8>(middle), centre), round);
    let sum1 = i16x8.add(i16x8.mul(v128.load_ext<u8>(middle, 8), centre), round);
    let sum2 = i16x8.add(i16x8.mul(v128.load_ext<u8>(middle, 16), centre), round);
    let sum3 = i16x8.add(i16x8.mul(v128.load_ext<u8>(middle, 24), centre), round);
    for (let pair = pairs; pair < pairsEnd; pair += pairBytes) {
      const a = load<usize>(pair) + at;
      const b = load<usize>(pair, 4) + at;
      const weight = v128.load(pair, 16);
      sum0 = i16x8.add(sum0, i16x8.mul(both(a, b, 0), weight));
      sum1 = i16x8.add(sum1, i16x8.mul(both(a, b, 8), weight));
      sum2 = i16x8.add(sum2, i16x8.mul(both(a, b, 16), weight));
      sum3 = i16x8.add(sum3, i16x8.mul(both(a, b, 24), weight));
    }
    v128.store(
      target + at,
      i8x16.narrow_i16x8_u(i16x8.shr_u(sum0, 8), i16x8.shr_u(sum1, 8)),
    );
    v128.store(
      target + at,
      i8x16.narrow_i16x8_u(i16x8.shr_u(sum2, 8), i16x8.shr_u(sum3, 8)),
      16,
    );
  }
}

// @ts-ignore: decorator
@inline
function both(a: usize, b: usize, offset: usize): v128 {
  return i16x8.add(v128.load_ext<u8>(a + offset), v128.load_ext<u8>(b + offset));
}

/** Continues a line of pixels on both sides. */
function mirrorEnds(line: usize, width: i32, reach: i32): void {
  for (let away = 1; away <= reach; away++) {
    copyPixel(line + <usize>mirrored(-away, width) * 3, line - <usize>away * 3);
    const behind = width - 1 + away;
    copyPixel(line + <usize>mirrored(behind, width) * 3, line + <usize>behind * 3);
  }
}

// @ts-ignore: decorator
@inline
function copyPixel(from: usize, to: usize): void {
  store<u16>(to, load<u16>(from));
  store<u8>(to, load<u8>(from, 2), 2);
}

/** The position that stands for one beyond the ends: 2 1 0 1 2 ... n-2 n-1 n-2. */
function mirrored(place: i32, size: i32): i32 {
  if (place >= 0 && place < size) return place;
  if (size === 1) return 0;
  const period = 2 * (size - 1);
  let within = place % period;
  if (within < 0) within += period;
  return within < size ? within : period - within;
}
