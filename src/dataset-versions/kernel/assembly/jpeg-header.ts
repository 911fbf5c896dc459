// The markers before the scan: JFIF, the tables, the frame.

import {
  chrominanceAc,
  chrominanceDc,
  countCodes,
  luminanceAc,
  luminanceDc,
} from './jpeg-standard';
import { chrominance, luminance, stepsOffset } from './jpeg-tables';

/** What `writeHeader` writes, in bytes. */
export const headerBytes: usize = 623;

let position: usize = 0;

/** Writes all from the start of the image to the start of the scan; gives the address after it. */
export function writeHeader(output: usize, width: i32, height: i32): usize {
  position = output;
  write16(0xffd8);
  writeJfif();
  writeSteps(luminance, 0);
  writeSteps(chrominance, 1);
  writeFrame(width, height);
  writeCodes(luminanceDc, 0x00);
  writeCodes(luminanceAc, 0x10);
  writeCodes(chrominanceDc, 0x01);
  writeCodes(chrominanceAc, 0x11);
  writeScan();
  return position;
}

/** APP0: "JFIF", version 1.1, square pixels, no thumbnail. */
function writeJfif(): void {
  write16(0xffe0);
  write16(16);
  write16(0x4a46);
  write16(0x4946);
  write8(0);
  write16(0x0101);
  write8(0);
  write16(1);
  write16(1);
  write16(0);
}

function writeSteps(component: usize, table: i32): void {
  write16(0xffdb);
  write16(67);
  write8(table);
  writeBytes(component + stepsOffset, 64);
}

/** SOF0: eight bits, three components of one block each. */
function writeFrame(width: i32, height: i32): void {
  write16(0xffc0);
  write16(17);
  write8(8);
  write16(height);
  write16(width);
  write8(3);
  for (let component = 0; component < 3; component++) {
    write8(component + 1);
    write8(0x11);
    write8(component == 0 ? 0 : 1);
  }
}

function writeCodes(codes: usize, table: i32): void {
  const bytes = 16 + countCodes(codes);
  write16(0xffc4);
  write16(3 + bytes);
  write8(table);
  writeBytes(codes, bytes);
}

/** SOS: all three components, all coefficients. */
function writeScan(): void {
  write16(0xffda);
  write16(12);
  write8(3);
  for (let component = 0; component < 3; component++) {
    write8(component + 1);
    write8(component == 0 ? 0x00 : 0x11);
  }
  write8(0);
  write8(63);
  write8(0);
}

function write8(value: i32): void {
  store<u8>(position, value);
  position += 1;
}

function write16(value: i32): void {
  write8(value >> 8);
  write8(value & 255);
}

function writeBytes(source: usize, bytes: i32): void {
  memory.copy(position, source, bytes);
  position += bytes;
}
