// Blocks of 8 by 8 pixels, from RGB to luminance and chrominance (JFIF: BT.601, full range).

/** A block of each component, row by row: 64 numbers of 16 bits, 16 a level, zero in the middle. */
export const planes: usize = memory.data(384, 16);
export const planeBytes: usize = 128;

/**
 * Converts the block at `pixels` into `planes`; reads 24 bytes of each of 8 rows. The weights are
 * for differences from green, so that grey is exactly grey. The result is rounded to whole levels,
 * as libjpeg does it: decoders round there too, and find them again at high quality.
 */
export function loadBlock(pixels: usize, rowBytes: usize): void {
  const red0 = v128.load(places);
  const red1 = v128.load(places, 16);
  const green0 = v128.load(places, 32);
  const green1 = v128.load(places, 48);
  const blue0 = v128.load(places, 64);
  const blue1 = v128.load(places, 80);
  const middle = v128.load16_splat(constants, 8);
  const half = v128.load16_splat(constants, 10);
  const whole = v128.load16_splat(constants, 12);
  for (let row = planes; row < planes + planeBytes; row += 16) {
    const first = v128.load(pixels);
    const second = v128.load(pixels, 8);
    const green = channel(first, second, green0, green1);
    const red = i16x8.shl(i16x8.sub(channel(first, second, red0, red1), green), 3);
    const blue = i16x8.shl(i16x8.sub(channel(first, second, blue0, blue1), green), 3);
    const rest = i16x8.add(weigh(red, 0), weigh(blue, 2));
    const luma = i16x8.add(i16x8.sub(i16x8.shl(green, 4), middle), rest);
    const cb = i16x8.sub(i16x8.add(blue, half), weigh(red, 4));
    const cr = i16x8.sub(i16x8.add(red, half), weigh(blue, 6));
    v128.store(row, v128.and(luma, whole));
    v128.store(row, v128.and(cb, whole), planeBytes);
    v128.store(row, v128.and(cr, whole), 2 * planeBytes);
    pixels += rowBytes;
  }
}

/** Copies a block at the right or lower edge, the last pixels repeated; its rows have 24 bytes. */
export function stageBlock(pixels: usize, width: i32, height: i32, left: i32, top: i32): usize {
  for (let y = 0; y < 8; y++) {
    const row = <usize>min(top + y, height - 1) * <usize>width;
    for (let x = 0; x < 8; x++) {
      const source = pixels + (row + <usize>min(left + x, width - 1)) * 3;
      const target = staged + <usize>(y * 8 + x) * 3;
      store<u16>(target, load<u16>(source));
      store<u8>(target, load<u8>(source, 2), 2);
    }
  }
  return staged;
}

const staged: usize = memory.data(192, 16);

/**
 * Where the eight values of a channel are in bytes 0 to 15 of a row, and in bytes 8 to 23; 0x80
 * makes a zero. Red, green, blue.
 */
const places: usize = memory.data<u8>([
  0, 128, 3, 128, 6, 128, 9, 128, 12, 128, 15, 128, 128, 128, 128, 128,
  128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 10, 128, 13, 128,
  1, 128, 4, 128, 7, 128, 10, 128, 13, 128, 128, 128, 128, 128, 128, 128,
  128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 8, 128, 11, 128, 14, 128,
  2, 128, 5, 128, 8, 128, 11, 128, 14, 128, 128, 128, 128, 128, 128, 128,
  128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 9, 128, 12, 128, 15, 128,
]);

/**
 * Weights times 2^16 (red 0.299, blue 0.114 in luminance; red 0.168736 in Cb; blue 0.081312 in Cr);
 * in sixteenths the middle less a half, and a little less than a half; the mask of whole levels.
 */
const constants: usize = memory.data<i16>([19595, 7471, 11058, 5329, 2040, 7, -16]);

function channel(first: v128, second: v128, places0: v128, places1: v128): v128 {
  return v128.or(
    i8x16.relaxed_swizzle(first, places0),
    i8x16.relaxed_swizzle(second, places1),
  );
}

/** Times the weight at that offset of `constants`. */
function weigh(values: v128, offset: usize): v128 {
  return i16x8.relaxed_q15mulr_s(values, v128.load16_splat(constants + offset));
}
