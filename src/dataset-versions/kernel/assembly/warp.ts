// Moves pixels along a straight-line (affine) map, with bilinear interpolation.

import { fill } from './copy';

/**
 * Every output pixel gets the colour of the place that it comes from. Places are in source pixels
 * with 32 bits behind the point: the centre of the first output pixel comes from x, y; one column
 * further is columnX, columnY more; one row further is rowX, rowY more. A place outside the source
 * gives the colour; neighbours beyond the edge are those at the edge.
 */
export function warp(
  source: usize,
  sourceWidth: i32,
  sourceHeight: i32,
  target: usize,
  width: i32,
  height: i32,
  x: f64,
  y: f64,
  columnX: f64,
  columnY: f64,
  rowX: f64,
  rowY: f64,
  red: i32,
  green: i32,
  blue: i32,
): void {
  let placeX = <i64>x;
  let placeY = <i64>y;
  const stepX = <i64>columnX;
  const stepY = <i64>columnY;
  const endX = (<i64>sourceWidth) << 32;
  const endY = (<i64>sourceHeight) << 32;
  for (let row = 0; row < height; row++) {
    // The pixels that come from inside, and of those the ones with all four neighbours.
    let first = max(firstFrom(placeX, stepX, 0, endX), firstFrom(placeY, stepY, 0, endY));
    let end = min(endAt(placeX, stepX, 0, endX), endAt(placeY, stepY, 0, endY));
    first = min(max(first, 0), <i64>width);
    end = max(min(end, <i64>width), first);
    let innerFirst = max(
      firstFrom(placeX, stepX, half, endX - half),
      firstFrom(placeY, stepY, half, endY - half),
    );
    let innerEnd = min(
      endAt(placeX, stepX, half, endX - half),
      endAt(placeY, stepY, half, endY - half),
    );
    innerFirst = min(max(innerFirst, first), end);
    innerEnd = max(min(innerEnd, end), innerFirst);
    const from = <i32>first;
    const to = <i32>end;
    fill(target, from, red, green, blue);
    const startX = placeX - half;
    const startY = placeY - half;
    edgeSpan(source, sourceWidth, sourceHeight, target, startX, startY, stepX, stepY, from, <i32>innerFirst);
    innerSpan(source, sourceWidth, target, startX, startY, stepX, stepY, <i32>innerFirst, <i32>innerEnd);
    edgeSpan(source, sourceWidth, sourceHeight, target, startX, startY, stepX, stepY, <i32>innerEnd, to);
    fill(target + <usize>to * 3, width - to, red, green, blue);
    target += <usize>width * 3;
    placeX += <i64>rowX;
    placeY += <i64>rowY;
  }
}

/** Half a pixel: interpolation is between centres. */
const half: i64 = 1 << 31;
/** The first number n >= 0 for which lowest <= place + n * step < end, if there is one. */
function firstFrom(place: i64, step: i64, lowest: i64, end: i64): i64 {
  if (step === 0) return place >= lowest && place < end ? 0 : i64.MAX_VALUE;
  if (step > 0) return place >= lowest ? 0 : (lowest - place + step - 1) / step;
  return place < end ? 0 : (place - end) / -step + 1;
}

/** The number behind the last for which lowest <= place + n * step < end, if there is one. */
function endAt(place: i64, step: i64, lowest: i64, end: i64): i64 {
  if (step === 0) return place >= lowest && place < end ? i64.MAX_VALUE : 0;
  if (step > 0) return place < end ? (end - place + step - 1) / step : 0;
  return place >= lowest ? (place - lowest) / -step + 1 : 0;
}

/** Pixels that have all four neighbours. May write one byte behind the last. */
function innerSpan(
  source: usize,
  sourceWidth: i32,
  target: usize,
  x: i64,
  y: i64,
  stepX: i64,
  stepY: i64,
  from: i32,
  to: i32,
): void {
  const stride = <usize>sourceWidth * 3;
  x += stepX * from;
  y += stepY * from;
  const end = target + <usize>to * 3;
  target += <usize>from * 3;
  while (target < end) {
    const place = source + <usize>(y >> 32) * stride + <usize>(x >> 32) * 3;
    const top = v128.load_ext<u8>(place);
    const bottom = v128.load_ext<u8>(place + stride);
    const down = i16x8.splat(<i16>((<i32>(y >> 17)) & 32767));
    const right = i16x8.splat(<i16>((<i32>(x >> 17)) & 32767));
    const column = mixed(top, bottom, down);
    const next = v128.shuffle<u16>(column, column, 3, 4, 5, 6, 7, 0, 1, 2);
    const pixel = mixed(column, next, right);
    store<i32>(target, i32x4.extract_lane(i8x16.narrow_i16x8_u(pixel, pixel), 0));
    target += 3;
    x += stepX;
    y += stepY;
  }
}

/**
 * A linear interpolation by a share in 32,768ths, rounded. The relaxed product differs between
 * machines only for -32,768 times itself, which does not occur here.
 */
// @ts-ignore: decorator
@inline
function mixed(from: v128, to: v128, share: v128): v128 {
  return i16x8.add(from, i16x8.relaxed_q15mulr_s(i16x8.sub(to, from), share));
}

/** Pixels near the edge: neighbours beyond it are those at the edge. */
function edgeSpan(
  source: usize,
  sourceWidth: i32,
  sourceHeight: i32,
  target: usize,
  startX: i64,
  startY: i64,
  stepX: i64,
  stepY: i64,
  from: i32,
  to: i32,
): void {
  for (let column = from; column < to; column++) {
    const x = startX + stepX * column;
    const y = startY + stepY * column;
    const right = <i32>(x >> 17) & 32767;
    const down = <i32>(y >> 17) & 32767;
    const x0 = max(<i32>(x >> 32), 0);
    const y0 = max(<i32>(y >> 32), 0);
    const x1 = min(<i32>(x >> 32) + 1, sourceWidth - 1);
    const y1 = min(<i32>(y >> 32) + 1, sourceHeight - 1);
    const top = source + <usize>y0 * <usize>sourceWidth * 3;
    const bottom = source + <usize>y1 * <usize>sourceWidth * 3;
    for (let channel: usize = 0; channel < 3; channel++) {
      const a = mixedOne(load<u8>(top + x0 * 3 + channel), load<u8>(bottom + x0 * 3 + channel), down);
      const b = mixedOne(load<u8>(top + x1 * 3 + channel), load<u8>(bottom + x1 * 3 + channel), down);
      store<u8>(target + <usize>column * 3 + channel, <u8>mixedOne(a, b, right));
    }
  }
}

// @ts-ignore: decorator
@inline
function mixedOne(from: i32, to: i32, share: i32): i32 {
  return from + (((to - from) * share + 16384) >> 15);
}
