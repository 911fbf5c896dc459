// Reads BMP files, which sharp does not read: uncompressed, with 1, 8, 24 or 32 bits per pixel.

import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { invalidArgument } from '../errors.ts';

export interface BmpHeader {
  readonly width: number;
  readonly height: number;
  readonly bitsPerPixel: 1 | 8 | 24 | 32;
  readonly topDown: boolean;
  /** Offset and length of the rows, in bytes. */
  readonly offset: number;
  readonly length: number;
  /** Blue, green, red, unused; for each value of a pixel of 1 or 8 bits. */
  readonly palette: Uint8Array;
}

/** Throws `invalid_input` for `file` when the kind of BMP is not read. */
export function readBmpHeader(bytes: Uint8Array): BmpHeader {
  if (bytes.length < fileHeaderBytes + infoHeaderBytes) throw refusal('ends within its header');
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const headerBytes = view.getUint32(14, true);
  if (headerBytes < infoHeaderBytes || fileHeaderBytes + headerBytes > bytes.length) {
    throw refusal('has an OS/2 or broken header');
  }
  const [width, signedHeight] = [view.getInt32(18, true), view.getInt32(22, true)];
  const height = Math.abs(signedHeight);
  if (width <= 0 || height === 0) throw refusal('has no pixels');
  const bitsPerPixel = readBits(view);
  const offset = view.getUint32(10, true);
  const length = rowBytes(width, bitsPerPixel) * height;
  const paletteStart = fileHeaderBytes + headerBytes;
  const paletteBytes = bitsPerPixel > 8 ? 0 : 4 * (view.getUint32(46, true) || 2 ** bitsPerPixel);
  const palette = bytes.subarray(paletteStart, paletteStart + paletteBytes);
  return { width, height, bitsPerPixel, topDown: signedHeight < 0, offset, length, palette };
}

/** Throws `invalid_input` when rows are missing: all that can be wrong with plain pixels. */
export function checkBmpRows(bytes: Uint8Array, header: BmpHeader): void {
  const { offset, length, width, height } = header;
  if (offset < fileHeaderBytes + infoHeaderBytes || offset + length > bytes.length) {
    throw refusal(`is cut off: ${width} x ${height} pixels need ${length} bytes`);
  }
}

export interface Size {
  readonly width: number;
  readonly height: number;
}

/**
 * The pixels, three bytes each (RGB). Yields to the event loop every few milliseconds. `size`: no
 * side larger than that of the header; a pixel of a smaller image is the mean of a sample of those
 * in its place, so that a large file costs little more than what is made of it. Throws as
 * checkBmpRows.
 */
export async function decodeBmp(
  bytes: Uint8Array,
  header: BmpHeader,
  size: Size = header,
): Promise<Uint8Array> {
  checkBmpRows(bytes, header);
  const { width, height, topDown } = header;
  const isWhole = size.width === width && size.height === height;
  const rows = isWhole ? wholeRows(header) : meanRows(header, size);
  const rowsAtOnce = Math.max(1, Math.floor(slicePixels / width));
  for (let from = 0; from < height; from += rowsAtOnce * rows.step) {
    const end = Math.min(height, from + rowsAtOnce * rows.step);
    for (let stored = from; stored < end; stored += rows.step) {
      rows.take(topDown ? stored : height - 1 - stored, rowAt(bytes, header, stored));
    }
    await yieldToEventLoop();
  }
  return rows.rgbImage();
}

/** Pixels of one slice. */
const slicePixels = 500_000;

/** So many of a row, and so many of a column, make up a pixel of a smaller image. */
const samples = 4;

const fileHeaderBytes = 14;
const infoHeaderBytes = 40;

function readBits(view: DataView): BmpHeader['bitsPerPixel'] {
  const bits = ([1, 8, 24, 32] as const).find((known) => known === view.getUint16(28, true));
  const compression = view.getUint32(30, true);
  if (bits === undefined || !(compression === 0 || (compression === 3 && hasUsualMasks(view)))) {
    throw refusal(
      `has ${view.getUint16(28, true)} bits per pixel in compression ${compression}; ` +
        'uncompressed BMP of 1, 8, 24 or 32 bits is read',
    );
  }
  return bits;
}

function hasUsualMasks(view: DataView): boolean {
  return (
    view.getUint16(28, true) === 32 &&
    view.byteLength >= 66 &&
    view.getUint32(54, true) === 0xff0000 &&
    view.getUint32(58, true) === 0xff00 &&
    view.getUint32(62, true) === 0xff
  );
}

function rowBytes(width: number, bitsPerPixel: number): number {
  return Math.ceil((width * bitsPerPixel) / 32) * 4;
}

/** A row as it is stored: the first one is the lowest, unless the file is top-down. */
function rowAt(bytes: Uint8Array, { width, bitsPerPixel, offset }: BmpHeader, stored: number) {
  const length = rowBytes(width, bitsPerPixel);
  const start = offset + stored * length;
  return bytes.subarray(start, start + length);
}

/** Makes an image of rows, which come in the order of the file. */
interface Rows {
  /** Every so many rows are enough. */
  readonly step: number;
  /** A row as it is stored; `row` counts from the top. */
  take(row: number, stored: Uint8Array): void;
  rgbImage(): Uint8Array;
}

function wholeRows(header: BmpHeader): Rows {
  const { width, height } = header;
  const rgb = new Uint8Array(width * height * 3);
  return {
    step: 1,
    take: (row, stored) => toRgb(header, stored, 1, rgb, row * width * 3),
    rgbImage: () => rgb,
  };
}

function meanRows(header: BmpHeader, size: Size): Rows {
  const { width, height } = header;
  const columnStep = stepOf(width, size.width);
  const columns = Uint32Array.from({ length: Math.ceil(width / columnStep) }, (_, index) =>
    Math.floor((index * columnStep * size.width) / width),
  );
  const line = new Uint8Array(columns.length * 3);
  const mean = createMean(columns, size.width);
  const rgb = new Uint8Array(size.width * size.height * 3);
  let place = -1;
  const finish = () => {
    if (place >= 0) rgb.set(mean.take(), place * size.width * 3);
  };
  return {
    step: stepOf(height, size.height),
    take: (row, stored) => {
      const next = Math.floor((row * size.height) / height);
      if (next !== place) finish();
      place = next;
      toRgb(header, stored, columnStep, line, 0);
      mean.add(line);
    },
    rgbImage: () => {
      finish();
      return rgb;
    },
  };
}

/** An odd number: stripes one or two pixels wide count with all that they have. */
function stepOf(stored: number, wanted: number): number {
  const step = Math.max(1, Math.floor(stored / wanted / samples));
  return step % 2 === 0 ? step - 1 : step;
}

/** `columns`: in which column of the result each one counts. */
function createMean(columns: Uint32Array, width: number) {
  const sums = new Float64Array(width * 3);
  const counts = new Uint32Array(width);
  return {
    add: (line: Uint8Array) => {
      for (let index = 0, from = 0; index < columns.length; index++, from += 3) {
        const column = columns[index] ?? 0;
        const to = column * 3;
        counts[column] = (counts[column] ?? 0) + 1;
        sums[to] = (sums[to] ?? 0) + (line[from] ?? 0);
        sums[to + 1] = (sums[to + 1] ?? 0) + (line[from + 1] ?? 0);
        sums[to + 2] = (sums[to + 2] ?? 0) + (line[from + 2] ?? 0);
      }
    },
    /** The mean row of all that came since the last one. */
    take: (): Uint8Array => {
      const row = Uint8Array.from(sums, (sum, at) =>
        Math.round(sum / Math.max(1, counts[Math.floor(at / 3)] ?? 0)),
      );
      sums.fill(0);
      counts.fill(0);
      return row;
    },
  };
}

/** Writes every `step`th pixel of a stored row as RGB to `rgb`, from `at` on. */
function toRgb(
  { width, bitsPerPixel, palette }: BmpHeader,
  stored: Uint8Array,
  step: number,
  rgb: Uint8Array,
  at: number,
): void {
  const isIndexed = bitsPerPixel <= 8;
  const colours = isIndexed ? palette : stored;
  const pixelBytes = bitsPerPixel / 8;
  for (let column = 0, to = at; column < width; column += step, to += 3) {
    const from = isIndexed ? 4 * paletteIndex(stored, column, bitsPerPixel) : column * pixelBytes;
    rgb[to] = colours[from + 2] ?? 0;
    rgb[to + 1] = colours[from + 1] ?? 0;
    rgb[to + 2] = colours[from] ?? 0;
  }
}

/** Of 8 pixels in a byte, the leftmost has the highest bit. */
function paletteIndex(stored: Uint8Array, column: number, bitsPerPixel: number): number {
  if (bitsPerPixel === 8) return stored[column] ?? 0;
  return ((stored[column >> 3] ?? 0) >> (7 - (column & 7))) & 1;
}

function refusal(message: string): Error {
  return invalidArgument('file', `the BMP ${message}`);
}
