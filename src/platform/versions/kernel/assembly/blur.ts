// Weighs pixels with their neighbours on both sides: a symmetric filter in two passes.

/**
 * A filter whose weights are 256ths and sum up to 256, none at the sides above 127, first down the columns of one row, then along
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
  const down = scratch;
  const along = down + <usize>(count + 1) * pairBytes;
  const line = along + <usize>(count + 1) * pairBytes + <usize>reach * 3;
  // The centre is a pair with itself: half its weight each, since 127 is the most.
  const halves = i16x8.splat(<i16>((centre >> 1) | ((centre - (centre >> 1)) << 8)));
  setPair(down, 0, 0, 0, halves);
  setPair(along, 0, line, line, halves);
  for (let pair = 0; pair < count; pair++) {
    const away = <usize>load<i32>(weights + (pair << 3)) * 3;
    const weight = i8x16.splat(load<i8>(weights + (pair << 3), 4));
    setPair(down, pair + 1, 0, 0, weight);
    setPair(along, pair + 1, line - away, line + away, weight);
  }
  for (let row = 0; row < height; row++) {
    const middle = source + <usize>row * stride;
    setAddresses(down, middle, middle);
    for (let pair = 0; pair < count; pair++) {
      const away = load<i32>(weights + (pair << 3));
      setAddresses(
        down + <usize>(pair + 1) * pairBytes,
        source + <usize>mirrored(row - away, height) * stride,
        source + <usize>mirrored(row + away, height) * stride,
      );
    }
    weighDown(line, stride, down, along);
    mirrorEnds(line, width, reach);
    weighAlong(target + <usize>row * stride, stride, along, line - <usize>reach * 3);
  }
}

/** How many bytes of scratch memory `blur` needs. */
export function blurScratch(width: i32, reach: i32, count: i32): usize {
  return <usize>(count + 1) * pairBytes * 2 + (<usize>width + <usize>reach * 2) * 3 + 64;
}

/** Two addresses, 8 bytes of nothing, and the two weights in turns, as bytes. */
const pairBytes: usize = 32;

function setPair(table: usize, pair: i32, before: usize, behind: usize, weights: v128): void {
  const entry = table + <usize>pair * pairBytes;
  setAddresses(entry, before, behind);
  v128.store(entry, weights, 16);
}

// @ts-ignore: decorator
@inline
function setAddresses(entry: usize, before: usize, behind: usize): void {
  store<usize>(entry, before);
  store<usize>(entry, behind, 4);
}

/** Takes pixels, gives them less 128. */
function weighDown(target: usize, bytes: usize, pairs: usize, pairsEnd: usize): void {
  const sign = v128.load(signs);
  for (let at: usize = 0; at < bytes; at += 32) weigh(target, at, pairs, pairsEnd, sign, true);
}

/** Takes pixels less 128, gives pixels. */
function weighAlong(target: usize, bytes: usize, pairs: usize, pairsEnd: usize): void {
  const sign = v128.load(signs);
  for (let at: usize = 0; at < bytes; at += 32) weigh(target, at, pairs, pairsEnd, sign, false);
}

/** In memory, because V8 would make a constant anew in each round of a loop. */
const signs = memory.data<u8>(
  [128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128],
  16,
);

/**
 * 32 sums. Bytes with a sign times weights up to 127 are summed in twos, within 16 bits: all weights
 * together are 256, so the sums of bytes from -128 to 127 stay there too.
 */
// @ts-ignore: decorator
@inline
function weigh(
  target: usize,
  at: usize,
  pairs: usize,
  pairsEnd: usize,
  sign: v128,
  fromPixels: bool,
): void {
  let sum0 = i16x8.splat(0);
  let sum1 = sum0;
  let sum2 = sum0;
  let sum3 = sum0;
  for (let pair = pairs; pair < pairsEnd; pair += pairBytes) {
    const before = load<usize>(pair) + at;
    const behind = load<usize>(pair, 4) + at;
    const weights = v128.load(pair, 16);
    let a = v128.load(before);
    let b = v128.load(behind);
    if (fromPixels) a = v128.xor(a, sign);
    if (fromPixels) b = v128.xor(b, sign);
    sum0 = i16x8.add(sum0, i16x8.relaxed_dot_i8x16_i7x16_s(firstHalves(a, b), weights));
    sum1 = i16x8.add(sum1, i16x8.relaxed_dot_i8x16_i7x16_s(lastHalves(a, b), weights));
    a = v128.load(before, 16);
    b = v128.load(behind, 16);
    if (fromPixels) a = v128.xor(a, sign);
    if (fromPixels) b = v128.xor(b, sign);
    sum2 = i16x8.add(sum2, i16x8.relaxed_dot_i8x16_i7x16_s(firstHalves(a, b), weights));
    sum3 = i16x8.add(sum3, i16x8.relaxed_dot_i8x16_i7x16_s(lastHalves(a, b), weights));
  }
  let low = i8x16.narrow_i16x8_s(rounded(sum0), rounded(sum1));
  let high = i8x16.narrow_i16x8_s(rounded(sum2), rounded(sum3));
  if (!fromPixels) low = v128.xor(low, sign);
  if (!fromPixels) high = v128.xor(high, sign);
  v128.store(target + at, low);
  v128.store(target + at, high, 16);
}

// @ts-ignore: decorator
@inline
function firstHalves(a: v128, b: v128): v128 {
  return v128.shuffle<u8>(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
}

// @ts-ignore: decorator
@inline
function lastHalves(a: v128, b: v128): v128 {
  return v128.shuffle<u8>(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
}

// @ts-ignore: decorator
@inline
function rounded(sum: v128): v128 {
  return i16x8.shr_s(i16x8.add(sum, i16x8.splat(128)), 8);
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

/** Where a place beyond the ends is seen: 2 1 0 1 2 ... n-2 n-1 n-2. */
function mirrored(place: i32, size: i32): i32 {
  if (place >= 0 && place < size) return place;
  if (size === 1) return 0;
  const period = 2 * (size - 1);
  let within = place % period;
  if (within < 0) within += period;
  return within < size ? within : period - within;
}
