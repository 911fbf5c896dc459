// What the encoder derives from the standard tables: steps of a quality, and codes by symbol.

import {
  chrominanceAc,
  chrominanceDc,
  chrominanceSteps,
  luminanceAc,
  luminanceDc,
  luminanceSteps,
  zigzag,
} from './jpeg-standard';

/** Where the tables of a component are, from its address; `prepareTables` says what is in them. */
export const stepsOffset: usize = 0;
export const factorsOffset: usize = 64;
export const shiftsOffset: usize = 192;
export const dcOffset: usize = 320;
export const symbolsOffset: usize = 384;
export const valuesOffset: usize = 1408;
const tableBytes: i32 = 17792;

/** Addresses of the tables of luminance, and of both components of chrominance. */
export const luminance: usize = memory.data(tableBytes, 16);
export const chrominance: usize = memory.data(tableBytes, 16);

/**
 * Fills the tables of both components:
 * - steps: 64 bytes in zigzag order, as the file has them;
 * - factors and shifts: 64 numbers of 16 bits each, column by column, for `quantise`;
 * - dc: for each size, symbols: for each run and size, the code in the upper 24 bits and how many
 *   bits it has in the lower 8;
 * - values: for each run (16) and value (256, as an unsigned byte), the code with the bits of the
 *   value behind it, in the same way.
 */
export function prepareTables(quality: i32): void {
  if (preparedQuality == 0) {
    fillCodes(luminance, luminanceDc, luminanceAc);
    fillCodes(chrominance, chrominanceDc, chrominanceAc);
  }
  if (preparedQuality == quality) return;
  const percent = quality < 50 ? 5000 / quality : 200 - 2 * quality;
  fillSteps(luminance, luminanceSteps, percent);
  fillSteps(chrominance, chrominanceSteps, percent);
  preparedQuality = quality;
}

/** The quality that the tables are for; 0 before there are any. */
let preparedQuality: i32 = 0;

/** Scale of each frequency as the transform of Arai, Agui and Nakajima leaves it, times 2^30. */
const scales: usize = memory.data<u32>([
  1073741824, 1489322693, 1402911301, 1262586814, 1073741824, 843633538, 581104888, 296244703,
]);

/** Factors between the two passes, times 2^15: 3/16 without that scale. */
export const levels: usize = memory.data<i16>([6144, 4430, 4702, 5225, 6144, 7820, 11353, 22269]);

/**
 * Coefficients come too large: times 128, the scales of their row and column, and the level of
 * their row over 2^15. A step takes that back. It becomes a factor (a half to one, times 2^15) and
 * a shift to the right, said as the factor that shifts with rounding.
 */
function fillSteps(component: usize, standard: usize, percent: i32): void {
  for (let position: usize = 0; position < 64; position++) {
    const place = <usize>load<u8>(zigzag + position);
    const step = max(1, min(255, (<i32>load<u8>(standard + place) * percent + 50) / 100));
    store<u8>(component + stepsOffset + position, step);
    const row = place >> 3;
    const column = place & 7;
    const scale = (<u64>load<u32>(scales + 4 * row) * <u64>load<u32>(scales + 4 * column)) >> 30;
    const divisor = (<u64>step * <u64>load<i16>(levels + 2 * row) * scale) >> 8;
    let shift: u64 = 0;
    while ((<u64>1 << (31 + shift)) < divisor) shift += 1;
    const factor = ((<u64>1 << (45 + shift)) + (divisor >> 1)) / divisor;
    const offset = (column * 8 + row) << 1;
    store<i16>(component + factorsOffset + offset, <i16>min(factor, 32767));
    store<i16>(component + shiftsOffset + offset, <i16>(0x8000 >> <i32>shift));
  }
}

function fillCodes(component: usize, dc: usize, ac: usize): void {
  fillSymbols(dc, component + dcOffset);
  fillSymbols(ac, component + symbolsOffset);
  for (let run: usize = 0; run < 16; run++) {
    for (let value = -128; value < 128; value += 1) {
      if (value == 0) continue;
      const size = 32 - clz(abs(value));
      const symbol = load<u32>(component + symbolsOffset + 4 * (16 * run + <usize>size));
      const bits = <u32>(value < 0 ? value - 1 : value) & ((1 << size) - 1);
      const entry = ((((symbol >> 8) << size) | bits) << 8) | ((symbol & 255) + size);
      store<u32>(component + valuesOffset + 4 * (256 * run + (<usize>value & 255)), entry);
    }
  }
}

/** Canonical codes (T.81, C.2): counted upwards, and doubled with each bit more. */
function fillSymbols(codes: usize, table: usize): void {
  let code: u32 = 0;
  let symbol = codes + 16;
  for (let length: usize = 1; length <= 16; length++) {
    for (let left = load<u8>(codes + length - 1); left > 0; left--) {
      store<u32>(table + 4 * <usize>load<u8>(symbol), (code << 8) | <u32>length);
      code += 1;
      symbol += 1;
    }
    code <<= 1;
  }
}
