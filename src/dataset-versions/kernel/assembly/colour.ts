// Changes colours in place, without looking at neighbours.

/** Adds an amount from -255 to 255 to every byte, clipped to 0..255. */
export function add(pixels: usize, bytes: usize, amount: i32): void {
  const end = pixels + bytes;
  if (amount > 0) {
    const more = i8x16.splat(<i8>amount);
    for (; pixels < end; pixels += 16) {
      v128.store(pixels, i8x16.add_sat_u(v128.load(pixels), more));
    }
  } else {
    const less = i8x16.splat(<i8>-amount);
    for (; pixels < end; pixels += 16) {
      v128.store(pixels, i8x16.sub_sat_u(v128.load(pixels), less));
    }
  }
}

/** Replaces every byte by its entry in a table of 256 bytes. */
export function lookup(pixels: usize, bytes: usize, table: usize): void {
  const end = pixels + bytes;
  for (; pixels < end; pixels += 4) {
    const first = load<u8>(table + load<u8>(pixels));
    const second = load<u8>(table + load<u8>(pixels, 1));
    const third = load<u8>(table + load<u8>(pixels, 2));
    const fourth = load<u8>(table + load<u8>(pixels, 3));
    store<u8>(pixels, first);
    store<u8>(pixels, second, 1);
    store<u8>(pixels, third, 2);
    store<u8>(pixels, fourth, 3);
  }
}

/**
 * Each output channel is a sum of the three channels with the weights at `weights` (nine i16, row by
 * row, of which 2 ^ bits is one; bits is 1 to 14), rounded and clipped.
 */
export function mix(pixels: usize, bytes: usize, weights: usize, bits: i32): void {
  const half = 1 << (bits - 1);
  const redFromRedGreen = i32x4.splat(load<i32>(weights));
  const redFromBlue = i32x4.splat(<i32>load<u16>(weights, 4) | (half << 16));
  const greenFromRedGreen = i32x4.splat(load<i32>(weights, 6));
  const greenFromBlue = i32x4.splat(<i32>load<u16>(weights, 10) | (half << 16));
  const blueFromRedGreen = i32x4.splat(load<i32>(weights, 12));
  const blueFromBlue = i32x4.splat(<i32>load<u16>(weights, 16) | (half << 16));
  const ones = v128.load(masks);
  const toRedGreen = v128.load(masks, 16);
  const toBlue = v128.load(masks, 32);
  const toPixels = v128.load(masks, 48);
  const end = pixels + bytes;
  let next = v128.load(pixels);
  for (; pixels < end; pixels += 12) {
    const four = next;
    // Before the store below overwrites its first bytes.
    next = v128.load(pixels, 12);
    const redGreen = v128.swizzle(four, toRedGreen);
    const blueOne = v128.or(v128.swizzle(four, toBlue), ones);
    const red = i32x4.shr_s(
      i32x4.add(
        i32x4.dot_i16x8_s(redGreen, redFromRedGreen),
        i32x4.dot_i16x8_s(blueOne, redFromBlue),
      ),
      bits,
    );
    const green = i32x4.shr_s(
      i32x4.add(
        i32x4.dot_i16x8_s(redGreen, greenFromRedGreen),
        i32x4.dot_i16x8_s(blueOne, greenFromBlue),
      ),
      bits,
    );
    const blue = i32x4.shr_s(
      i32x4.add(
        i32x4.dot_i16x8_s(redGreen, blueFromRedGreen),
        i32x4.dot_i16x8_s(blueOne, blueFromBlue),
      ),
      bits,
    );
    const planes = i8x16.narrow_i16x8_u(
      i16x8.narrow_i32x4_s(red, green),
      i16x8.narrow_i32x4_s(blue, blue),
    );
    v128.store(pixels, v128.swizzle(planes, toPixels));
  }
}

/** Which bytes go where (for `swizzle`): -1 makes a zero. */
const masks = memory.data<i8>(
  [
    0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0,
    0, -1, 1, -1, 3, -1, 4, -1, 6, -1, 7, -1, 9, -1, 10, -1,
    2, -1, -1, -1, 5, -1, -1, -1, 8, -1, -1, -1, 11, -1, -1, -1,
    0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11, -1, -1, -1, -1,
    0, -1, 3, -1, 6, -1, 9, -1, 12, -1, 15, -1, -1, -1, -1, -1,
    -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, 10, -1, 13, -1,
    1, -1, 4, -1, 7, -1, 10, -1, 13, -1, -1, -1, -1, -1, -1, -1,
    -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, 8, -1, 11, -1, 14, -1,
    2, -1, 5, -1, 8, -1, 11, -1, 14, -1, -1, -1, -1, -1, -1, -1,
    -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, 9, -1, 12, -1, 15, -1,
    0, 8, -1, 1, 9, -1, 2, 10, -1, 3, 11, -1, 4, 12, -1, 5,
    -1, -1, 0, -1, -1, 1, -1, -1, 2, -1, -1, 3, -1, -1, 4, -1,
    13, -1, 6, 14, -1, 7, 15, -1, -1, -1, -1, -1, -1, -1, -1, -1,
    -1, 5, -1, -1, 6, -1, -1, 7, -1, -1, -1, -1, -1, -1, -1, -1,
  ],
  16,
);

/**
 * Turns the hue on the circle of HSV, by `sextants` (0 to 5) and `part` 32,768ths of a sextant.
 * Lightest and darkest channel keep their values, so lightness and saturation stay.
 */
export function rotateHue(pixels: usize, bytes: usize, sextants: i32, part: i32): void {
  const whole = i16x8.splat(<i16>sextants);
  const fraction = i16x8.splat(<i16>part);
  const none = i16x8.splat(0);
  const end = pixels + bytes;
  for (; pixels < end; pixels += 24) {
    const first = v128.load(pixels);
    const last = v128.load(pixels, 8);
    const red = channel(first, last, 64);
    const green = channel(first, last, 96);
    const blue = channel(first, last, 128);
    const most = i16x8.max_s(red, i16x8.max_s(green, blue));
    const chroma = i16x8.sub(most, i16x8.min_s(red, i16x8.min_s(green, blue)));
    const twice = i16x8.add(chroma, chroma);
    const circle = i16x8.add(twice, i16x8.add(twice, twice));
    // Hue times chroma: a sextant is as long as the chroma, so all is whole.
    let hue = v128.bitselect(
      i16x8.sub(green, blue),
      v128.bitselect(
        i16x8.add(twice, i16x8.sub(blue, red)),
        i16x8.add(i16x8.add(twice, twice), i16x8.sub(red, green)),
        i16x8.eq(most, green),
      ),
      i16x8.eq(most, red),
    );
    hue = i16x8.add(hue, v128.and(circle, i16x8.lt_s(hue, none)));
    hue = i16x8.add(hue, i16x8.mul(chroma, whole));
    hue = within(i16x8.add(hue, i16x8.relaxed_q15mulr_s(chroma, fraction)), circle);
    const newGreen = brightness(i16x8.add(hue, i16x8.add(twice, chroma)), circle, chroma, most);
    const newBlue = brightness(i16x8.add(hue, chroma), circle, chroma, most);
    const newRed = brightness(i16x8.sub(i16x8.add(hue, circle), chroma), circle, chroma, most);
    const redGreen = i8x16.narrow_i16x8_u(newRed, newGreen);
    const blues = i8x16.narrow_i16x8_u(newBlue, newBlue);
    v128.store(pixels, mergedBytes(redGreen, blues, 160));
    v128.store_lane<u64>(pixels, mergedBytes(redGreen, blues, 192), 0, 16);
  }
}

/** One channel of eight pixels as words. */
// @ts-ignore: decorator
@inline
function channel(first: v128, last: v128, mask: usize): v128 {
  return mergedBytes(first, last, mask);
}

// @ts-ignore: decorator
@inline
function mergedBytes(a: v128, b: v128, mask: usize): v128 {
  return v128.or(
    v128.swizzle(a, v128.load(masks + mask)),
    v128.swizzle(b, v128.load(masks + mask, 16)),
  );
}

/** A place below two circles as a place below one. */
// @ts-ignore: decorator
@inline
function within(place: v128, circle: v128): v128 {
  return i16x8.sub(place, v128.andnot(circle, i16x8.gt_s(circle, place)));
}

/** A channel falls from a third of the circle before its own hue, and rises a third behind it. */
// @ts-ignore: decorator
@inline
function brightness(place: v128, circle: v128, chroma: v128, most: v128): v128 {
  const k = within(place, circle);
  const twice = i16x8.add(chroma, chroma);
  const back = i16x8.sub(i16x8.add(twice, twice), k);
  const less = i16x8.min_s(i16x8.min_s(k, back), chroma);
  return i16x8.sub(most, i16x8.max_s(less, i16x8.splat(0)));
}

