// Huffman coding of quantised blocks. Bits gather in a buffer of 64, which is written when full.

import { zigzag } from './jpeg-standard';
import { dcOffset, symbolsOffset, valuesOffset } from './jpeg-tables';
import { coefficients, wideCoefficients } from './jpeg-transform';

/** Where the next byte of the scan goes. */
let position: usize = 0;

/** The lowest bits are those that came last; above what is in use, anything. */
let buffer: u64 = 0;

/** How many bits still fit into the buffer. */
let room: i32 = 64;

/** What ends the block before, where anything does: it goes out with the next code. */
let ending: u32 = 0;

/** The last DC coefficient of each of three components. */
const previous: usize = memory.data(12, 4);

/** Begins a scan at an address. */
export function startScan(output: usize): void {
  position = output;
  buffer = 0;
  room = 64;
  ending = 0;
  memory.fill(previous, 0, 12);
}

/** Where the next byte goes; fewer than nine bytes are still in the buffer. */
export function scanPosition(): usize {
  return position;
}

/** Encodes the block that `transform` left: `mask` is what it gave, `component` 0 to 2. */
export function encodeBlock(mask: u64, component: usize, tables: usize): void {
  const dc = <i32>load<i16>(wideCoefficients);
  const difference = dc - load<i32>(previous + (component << 2));
  store<i32>(previous + (component << 2), dc);
  const size = sizeOf(difference);
  const entry = load<u32>(tables + dcOffset + (<usize>size << 2));
  const length = lengthOf(entry) + size;
  const code = (codeOf(ending) << length) | (codeOf(entry) << size) | bitsOf(difference, size);
  const last =
    (mask & 1) == 0
      ? encodeNarrow(mask, code, lengthOf(ending) + length, tables)
      : encodeWide(mask, code, lengthOf(ending) + length, tables);
  ending = last < 63 ? load<u32>(tables + symbolsOffset) : 0;
}

/** Fills the last byte with ones and writes the end marker; gives the address after it. */
export function finishScan(): usize {
  put(codeOf(ending), lengthOf(ending));
  put(0x7f, 7);
  const used = 64 - room;
  position = writeBytes(position, buffer >> (used & 7), used >> 3);
  store<u16>(position, 0xd9ff);
  return position + 2;
}

/**
 * Puts the first code, then those of the AC coefficients, which are bytes. Gives the position of
 * the last. State is in local variables, and one place puts all codes: this is where the time goes.
 */
function encodeNarrow(mask: u64, first: u64, firstLength: i32, tables: usize): i32 {
  let code = first;
  let length = firstLength;
  let output = position;
  let bits = buffer;
  let left = room;
  let last = 0;
  while (true) {
    left -= length;
    if (left < 0) {
      output = flush(output, (bits << (length + left)) | (code >> -left));
      bits = code;
      left += 64;
    } else {
      bits = (bits << length) | code;
    }
    if (mask == 0) break;
    const next = <i32>ctz(mask);
    const run = next - last - 1;
    let entry: u32;
    if (run > 15) {
      entry = load<u32>(tables + symbolsOffset, sixteenZeros);
      last += 16;
    } else {
      const value = <usize>load<u8>(coefficients + <usize>next);
      entry = load<u32>(tables + valuesOffset + ((<usize>run << 10) | (value << 2)));
      last = next;
      mask &= mask - 1;
    }
    length = lengthOf(entry);
    code = codeOf(entry);
  }
  position = output;
  buffer = bits;
  room = left;
  return last;
}

/** The same for a block with coefficients that do not fit into a byte: rare, and slower. */
function encodeWide(mask: u64, first: u64, firstLength: i32, tables: usize): i32 {
  put(first, firstLength);
  const symbols = tables + symbolsOffset;
  let last = 0;
  for (let rest = mask & ~1; rest != 0; rest &= rest - 1) {
    const next = <i32>ctz(rest);
    let run = next - last - 1;
    for (; run > 15; run -= 16) {
      const zeros = load<u32>(symbols, sixteenZeros);
      put(codeOf(zeros), lengthOf(zeros));
    }
    const place = <usize>load<u8>(zigzag + <usize>next);
    const value = <i32>load<i16>(wideCoefficients + ((((place & 7) << 3) | (place >> 3)) << 1));
    const size = sizeOf(value);
    const entry = load<u32>(symbols + (<usize>((run << 4) | size) << 2));
    put((codeOf(entry) << size) | bitsOf(value, size), lengthOf(entry) + size);
    last = next;
  }
  return last;
}

/** Offset of the symbol that stands for sixteen zeros. */
const sixteenZeros: usize = 4 * 0xf0;

function put(code: u64, length: i32): void {
  room -= length;
  if (room < 0) {
    position = flush(position, (buffer << (length + room)) | (code >> -room));
    buffer = code;
    room += 64;
  } else {
    buffer = (buffer << length) | code;
  }
}

const reversed: usize = memory.data<u8>([7, 6, 5, 4, 3, 2, 1, 0, 7, 6, 5, 4, 3, 2, 1, 0]);

/** Writes eight bytes at once where none can be 255; gives the address after them. */
function flush(output: usize, bits: u64): usize {
  if ((bits & 0x8080808080808080 & ~(bits + 0x0101010101010101)) == 0) {
    const bytes = i8x16.relaxed_swizzle(i64x2.splat(bits), v128.load(reversed));
    v128.store64_lane(output, bytes, 0);
    return output + 8;
  }
  return writeBytes(output, bits, 8);
}

/** Writes the lowest bytes of `bits`, the highest of them first, and a zero after each 255. */
function writeBytes(output: usize, bits: u64, count: i32): usize {
  for (let shift = (count - 1) << 3; shift >= 0; shift -= 8) {
    const byte = <u8>(bits >> shift);
    store<u8>(output, byte);
    output += 1;
    if (byte == 255) {
      store<u8>(output, 0);
      output += 1;
    }
  }
  return output;
}

/** How many bits the magnitude of a value takes: its category (T.81, table F.1). */
function sizeOf(value: i32): i32 {
  return 32 - clz(abs(value));
}

/** The bits that tell a value from the others of its size; negative ones are one less. */
function bitsOf(value: i32, size: i32): u64 {
  return <u64>((value + (value >> 31)) & ((1 << size) - 1));
}

function codeOf(entry: u32): u64 {
  return <u64>(entry >> 8);
}

function lengthOf(entry: u32): i32 {
  return <i32>(entry & 255);
}
