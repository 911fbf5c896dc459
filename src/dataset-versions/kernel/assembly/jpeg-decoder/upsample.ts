// From the three components of a JPEG to RGB. Chrominance of half the size is interpolated between
// its nearest values (libjpeg's "fancy upsampling"), colours are converted as JFIF says it, both
// rounded as libjpeg does it.

import { high16, low16 } from '../jpeg-transform';

/**
 * Makes the pixels from planes of 8 bits whose rows are `lumaStride` and `chromaStride` bytes
 * apart; chrominance has `chromaWidth` by `chromaHeight` values, which stand for one or two pixels
 * a side. `scratch`: `upsampleScratch` bytes.
 */
export function upsample(
  luma: usize,
  lumaStride: i32,
  cb: usize,
  cr: usize,
  chromaStride: i32,
  chromaWidth: i32,
  chromaHeight: i32,
  across: i32,
  down: i32,
  pixels: usize,
  width: i32,
  height: i32,
  scratch: usize,
): void {
  const rowBytes = rowBytesOf(chromaWidth);
  const sums = scratch + 16;
  const blueRow = sums + rowBytes;
  const redRow = blueRow + 2 * rowBytes;
  for (let y = 0; y < height; y++) {
    const row = down == 2 ? y >> 1 : y;
    const other = down == 2 ? max(0, min(chromaHeight - 1, row - 1 + ((y & 1) << 1))) : row;
    const near = <usize>row * <usize>chromaStride;
    const far = <usize>other * <usize>chromaStride;
    addRows(cb + near, cb + far, down, chromaWidth, sums);
    spread(sums, across, down, chromaWidth, blueRow);
    addRows(cr + near, cr + far, down, chromaWidth, sums);
    spread(sums, across, down, chromaWidth, redRow);
    convert(luma, blueRow, redRow, pixels, width);
    luma += <usize>lumaStride;
    pixels += <usize>width * 3;
  }
}

/** What `upsample` takes beside its result: sums of a row, and two rows of chrominance. */
export function upsampleScratch(chromaWidth: i32): usize {
  return 16 + 5 * rowBytesOf(chromaWidth);
}

/** Numbers of 16 bits, with room for blocks of eight and for the value before the first. */
function rowBytesOf(chromaWidth: i32): usize {
  return ((<usize>chromaWidth << 1) + 63) & ~15;
}

/** A row, or three quarters of it and one of its neighbour (times 4); its ends are repeated. */
function addRows(near: usize, far: usize, down: i32, width: i32, sums: usize): void {
  const end = sums + (<usize>width << 1);
  for (let target = sums; target < end; target += 16) {
    const values = v128.load8x8_u(near);
    if (down == 2) {
      const tripled = i16x8.add(values, i16x8.shl(values, 1));
      v128.store(target, i16x8.add(tripled, v128.load8x8_u(far)));
    } else {
      v128.store(target, values);
    }
    near += 8;
    far += 8;
  }
  store<i16>(sums - 2, load<i16>(sums));
  store<i16>(end, load<i16>(end - 2));
}

/** One or two values for each, less 128; the farther neighbour counts a quarter. */
function spread(sums: usize, across: i32, down: i32, width: i32, target: usize): void {
  const end = sums + (<usize>width << 1);
  const middle = i16x8.splat(128);
  if (across == 1) {
    for (; sums < end; sums += 16) {
      v128.store(target, i16x8.sub(v128.load(sums), middle));
      target += 16;
    }
    return;
  }
  const bits = down == 2 ? 4 : 2;
  const before = i16x8.splat(down == 2 ? 8 : 1);
  const after = i16x8.splat(down == 2 ? 7 : 2);
  for (; sums < end; sums += 16) {
    const values = v128.load(sums);
    const tripled = i16x8.add(values, i16x8.shl(values, 1));
    const left = i16x8.add(i16x8.add(tripled, v128.load(sums - 2)), before);
    const right = i16x8.add(i16x8.add(tripled, v128.load(sums, 2)), after);
    const even = i16x8.sub(i16x8.shr_u(left, bits), middle);
    const odd = i16x8.sub(i16x8.shr_u(right, bits), middle);
    v128.store(target, low16(even, odd));
    v128.store(target, high16(even, odd), 16);
    target += 32;
  }
}

/**
 * Weights of Cr and Cb times 2^16: in red (less 1 of Cr), in blue (less 2 of Cb), and in green (more
 * by 1 of Cr), so that they fit into 16 bits.
 */
const weights: usize = memory.data<i16>([26345, 0, 0, -14942, 18734, -22554]);

/** A row of pixels; up to 21 bytes behind it are written too. */
function convert(luma: usize, blueRow: usize, redRow: usize, pixels: usize, width: i32): void {
  const end = pixels + <usize>width * 3;
  const half = i32x4.splat(32_768);
  for (; pixels < end; pixels += 24) {
    const y = v128.load8x8_u(luma);
    const cb = v128.load(blueRow);
    const cr = v128.load(redRow);
    const low = low16(cr, cb);
    const high = high16(cr, cb);
    const red = i16x8.add(cr, weigh(low, high, 0, half));
    const blue = i16x8.add(i16x8.shl(cb, 1), weigh(low, high, 4, half));
    const green = i16x8.sub(weigh(low, high, 8, half), cr);
    const redGreen = i8x16.narrow_i16x8_u(i16x8.add(y, red), i16x8.add(y, green));
    const blueOnly = i8x16.narrow_i16x8_u(i16x8.add(y, blue), y);
    store24(pixels, redGreen, blueOnly);
    luma += 8;
    blueRow += 16;
    redRow += 16;
  }
}

function weigh(low: v128, high: v128, offset: usize, half: v128): v128 {
  const pair = v128.load32_splat(weights + offset);
  return i16x8.narrow_i32x4_s(
    i32x4.shr_s(i32x4.add(i32x4.dot_i16x8_s(low, pair), half), 16),
    i32x4.shr_s(i32x4.add(i32x4.dot_i16x8_s(high, pair), half), 16),
  );
}

function store24(pixels: usize, redGreen: v128, blue: v128): void {
  v128.store(
    pixels,
    v128.shuffle<u8>(redGreen, blue, 0, 8, 16, 1, 9, 17, 2, 10, 18, 3, 11, 19, 4, 12, 20, 5),
  );
  const rest = v128.shuffle<u8>(
    redGreen, blue, 13, 21, 6, 14, 22, 7, 15, 23, 0, 0, 0, 0, 0, 0, 0, 0,
  );
  v128.store64_lane(pixels, rest, 0, 16);
}
