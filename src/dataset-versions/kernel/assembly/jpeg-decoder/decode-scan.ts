// The only scan of a baseline JPEG, into one plane of 8 bits for each of three components.

import { zigzag } from '../jpeg-standard';
import { passMarker, prepareCodes, readBlock, startReading, tableBytes } from './huffman-decoder';
import { writeBlock } from './inverse-transform';

/** What a component needs; numbers of 32 bits, at these offsets. */
const planeOffset: usize = 0;
const strideOffset: usize = 4;
/** Blocks of a group: across, down. */
const acrossOffset: usize = 8;
const downOffset: usize = 12;
/** The 64 steps of a DQT segment; later a table of them, row by row, as numbers of 16 bits. */
const stepsOffset: usize = 16;
/** Contents of DHT segments: 16 counts, then symbols; later the tables made of them. */
const dcOffset: usize = 20;
const acOffset: usize = 24;
/** The last DC value. */
const previousOffset: usize = 28;
const componentBytes: usize = 32;

/** Tables of three components: two of codes and one of steps each. */
export function decodeScratch(): usize {
  return 3 * (2 * tableBytes + stepsBytes);
}

/**
 * Reads the bytes of a scan and its end marker: groups of blocks, a row of `columns` after the
 * other, with a marker after each `interval` of them (0: none). Three `components` as they stand
 * above; planes have room for whole groups. Gives 1, or 0 where the scan is not as it should be:
 * what is in the planes is worth nothing then.
 */
export function decodeScan(
  input: usize,
  bytes: usize,
  components: usize,
  columns: i32,
  rows: i32,
  interval: i32,
  scratch: usize,
): i32 {
  const end = components + 3 * componentBytes;
  for (let each = components; each < end; each += componentBytes) {
    if (!prepareCodes(scratch, load<u32>(each, dcOffset))) return 0;
    if (!prepareCodes(scratch + tableBytes, load<u32>(each, acOffset))) return 0;
    store<u32>(each, <u32>scratch, dcOffset);
    store<u32>(each, <u32>(scratch + tableBytes), acOffset);
    store<i32>(each, 0, previousOffset);
    scratch += 2 * tableBytes;
    prepareSteps(scratch, load<u32>(each, stepsOffset));
    store<u32>(each, <u32>scratch, stepsOffset);
    scratch += stepsBytes;
  }
  startReading(input, input + bytes);
  let left = interval;
  let marker = firstRestart;
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      if (interval != 0 && left == 0) {
        if (passMarker(marker) == 0) return 0;
        forget(components);
        marker = firstRestart + ((marker + 1) & 7);
        left = interval;
      }
      left -= 1;
      for (let each = components; each < end; each += componentBytes) {
        if (!readGroup(each, column, row)) return 0;
      }
    }
  }
  return passMarker(endOfImage) == 0 ? 0 : 1;
}

const stepsBytes: usize = 128;

/** From zigzag order. */
function prepareSteps(table: usize, steps: usize): void {
  for (let position: usize = 0; position < 64; position++) {
    const place = <usize>load<u8>(zigzag + position);
    store<u16>(table + (place << 1), <u16>load<u8>(steps + position));
  }
}

const firstRestart: i32 = 0xd0;
const endOfImage: i32 = 0xd9;

/** After a marker, DC values begin at zero again. */
function forget(components: usize): void {
  for (let index: usize = 0; index < 3; index++) {
    store<i32>(components + index * componentBytes, 0, previousOffset);
  }
}

/** The blocks of one component in a group; false where they cannot be read. */
function readGroup(component: usize, column: i32, row: i32): bool {
  const across = load<i32>(component, acrossOffset);
  const down = load<i32>(component, downOffset);
  const stride = <usize>load<u32>(component, strideOffset);
  const steps = <usize>load<u32>(component, stepsOffset);
  const dcTable = <usize>load<u32>(component, dcOffset);
  const acTable = <usize>load<u32>(component, acOffset);
  const top = <usize>(row * down) << 3;
  let target = <usize>load<u32>(component, planeOffset) + top * stride;
  target += <usize>(column * across) << 3;
  for (let y = 0; y < down; y++) {
    for (let x = 0; x < across; x++) {
      const last = readBlock(dcTable, acTable, component + previousOffset);
      if (last < 0) return false;
      writeBlock(steps, last, target + (<usize>x << 3), stride);
    }
    target += stride << 3;
  }
  return true;
}
