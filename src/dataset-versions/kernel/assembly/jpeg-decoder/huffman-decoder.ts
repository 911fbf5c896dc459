// Reads Huffman codes of a baseline scan, block by block. What does not fit is refused: callers
// then use a decoder that knows more.

import { zigzag } from '../jpeg-standard';

/** Coefficients of the block that was read, row by row: 64 numbers of 16 bits. */
export const coefficients: usize = memory.data(128, 16);

/** So many bits find their code at once; longer codes are rare. */
const quickBits: i32 = 9;

/** Of a table: for each value of the next bits a length and a symbol, as 16 bits; 0: longer. */
const longOffset: usize = 2 << quickBits;

/** For each length the last code, or -1; then what is added to a code to get its symbol's place. */
const addedOffset: usize = longOffset + 17 * 4;

/** The symbols, in the order of their codes. */
const symbolsOffset: usize = addedOffset + 17 * 4;

export const tableBytes: usize = symbolsOffset + 256;

/** The last address of the scan's bytes, and the first that was not read. */
let end: usize = 0;
let position: usize = 0;

/** The lowest `available` bits are still to be read; of them so many are not of the file. */
let buffer: u64 = 0;
let available: i32 = 0;
let invented: i32 = 0;

/**
 * Makes a table from the content of a DHT segment: 16 counts, then the symbols. False where the
 * codes do not fit into their lengths.
 */
export function prepareCodes(table: usize, counts: usize): bool {
  memory.fill(table, 0, tableBytes);
  const symbols = counts + 16;
  let code = 0;
  let place = 0;
  for (let length = 1; length <= 16; length++) {
    const count = <i32>load<u8>(counts + <usize>length - 1);
    const first = code;
    code += count;
    if (code > 1 << length) return false;
    const entry = <usize>length << 2;
    store<i32>(table + longOffset + entry, count == 0 ? -1 : code - 1);
    store<i32>(table + addedOffset + entry, place - first);
    for (let index = 0; index < count; index++) {
      const symbol = load<u8>(symbols + <usize>place);
      store<u8>(table + symbolsOffset + <usize>place, symbol);
      if (length <= quickBits) fillQuick(table, first + index, length, symbol);
      place += 1;
    }
    code <<= 1;
  }
  return true;
}

function fillQuick(table: usize, code: i32, length: i32, symbol: u8): void {
  const spare = quickBits - length;
  for (let rest = 0; rest < 1 << spare; rest++) {
    const place = <usize>((code << spare) | rest);
    store<u16>(table + (place << 1), <u16>((length << 8) | <i32>symbol));
  }
}

/** Begins at the first byte behind the header of a scan. */
export function startReading(first: usize, last: usize): void {
  position = first;
  end = last;
  dropBits();
}

/** Ends an interval: the next bytes must be this marker. Gives the address behind it, or 0. */
export function passMarker(marker: i32): usize {
  const left = available - invented;
  if (left < 0 || left > 7 || position + 2 > end) return 0;
  if (load<u8>(position) != 0xff || <i32>load<u8>(position, 1) != marker) return 0;
  position += 2;
  dropBits();
  return position;
}

function dropBits(): void {
  buffer = 0;
  available = 0;
  invented = 0;
}

/**
 * Reads a block into `coefficients`; the DC value is a sum with the one at `previous`. Gives the
 * last position in zigzag order that may be other than zero, or -1 where a code is none.
 */
export function readBlock(dcTable: usize, acTable: usize, previous: usize): i32 {
  memory.fill(coefficients, 0, 128);
  let input = position;
  let bits = buffer;
  let count = available;
  let last = 0;
  let table = dcTable;
  for (let at = 0; at < 64; ) {
    if (count < 32) {
      const word = load<u32>(input);
      if (input + 4 <= end && (word & 0x80808080 & ~(word + 0x01010101)) == 0) {
        bits = (bits << 32) | <u64>bswap(word);
        count += 32;
        input += 4;
      } else {
        position = input;
        buffer = bits;
        available = count;
        readBytes();
        input = position;
        bits = buffer;
        count = available;
      }
    }
    const quick = <i32>(bits >> (count - quickBits)) & ((1 << quickBits) - 1);
    let entry = <i32>load<u16>(table + (<usize>quick << 1));
    if (entry == 0) {
      entry = longCode(<i32>(bits >> (count - 16)) & 0xffff, table);
      if (entry == 0) return -1;
    }
    count -= entry >> 8;
    const size = entry & 15;
    const run = (entry >> 4) & 15;
    let value = 0;
    if (size != 0) {
      count -= size;
      value = <i32>(bits >> count) & ((1 << size) - 1);
      // The lower half of the values is negative.
      if (value < 1 << (size - 1)) value += 1 - (1 << size);
    }
    if (at == 0) {
      if (run != 0) return -1;
      value += load<i32>(previous);
      store<i32>(previous, value);
      store<i16>(coefficients, <i16>value);
      table = acTable;
      at = 1;
    } else if (size != 0) {
      at += run;
      if (at > 63) return -1;
      store<i16>(coefficients + (<usize>load<u8>(zigzag + <usize>at) << 1), <i16>value);
      last = at;
      at += 1;
    } else {
      if (run != 15) break;
      at += 16;
    }
  }
  position = input;
  buffer = bits;
  available = count;
  return last;
}

/** Length and symbol of a code by the next 16 bits; 0 where there is none. */
function longCode(next: i32, table: usize): i32 {
  for (let length = quickBits + 1; length <= 16; length++) {
    const code = next >> (16 - length);
    const entry = table + (<usize>length << 2);
    if (code > load<i32>(entry + longOffset)) continue;
    const place = <usize>((code + load<i32>(entry + addedOffset)) & 255);
    return (length << 8) | <i32>load<u8>(table + symbolsOffset + place);
  }
  return 0;
}

/** Reads more bits, byte by byte: a zero follows each 255. At a marker, zeros stand for bits. */
function readBytes(): void {
  while (available <= 48) {
    let byte: u64 = 0;
    if (position >= end || (load<u8>(position) == 0xff && load<u8>(position, 1) != 0)) {
      invented += 8;
    } else {
      byte = <u64>load<u8>(position);
      position += byte == 0xff ? 2 : 1;
    }
    buffer = (buffer << 8) | byte;
    available += 8;
  }
}
