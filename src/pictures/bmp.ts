// BMP files: their header is read here, before anything is allocated; fast-bmp reads the pixels.

import { setImmediate as othersTurn } from 'node:timers/promises';
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
 * The pixels, three bytes each, in slices of a few milliseconds, between which others get their
 * turn. `size`: no side larger than that of the header; a pixel of a smaller picture is the mean of
 * some in its place, so that a large file costs not much more than what is made of it. Throws as
 * checkBmpRows.
 */
export async function decodeBmp(
  bytes: Uint8Array,
  header: BmpHeader,
  size: Size = header,
): Promise<Uint8Array> {
  checkBmpRows(bytes, header);
  const { decode } = await import('fast-bmp');
  const { width, height, topDown } = header;
  const isWhole = size.width === width && size.height === height;
  const rows = isWhole ? wholeRows(header) : meanRows(header, size);
  const rowsAtOnce = Math.max(1, Math.floor(slicePixels / width));
  for (let from = 0; from < height; from += rowsAtOnce * rows.step) {
    const places = placesFrom(from, rows.step, rowsAtOnce, height);
    const { data } = decode(normalised(bytes, header, places));
    if (!(data instanceof Uint8Array)) throw refusal('cannot be read');
    for (const [index, place] of places.entries()) {
      // fast-bmp has put the last row of a file on top.
      const start = (places.length - 1 - index) * width * channelsOf(header);
      rows.take(topDown ? place : height - 1 - place, data, start);
    }
    await othersTurn();
  }
  return rows.picture();
}

/** Pixels of one slice. */
const slicePixels = 500_000;

/** So many of a row, and so many of a column, make up a pixel of a smaller picture. */
const samples = 4;

const fileHeaderBytes = 14;
const infoHeaderBytes = 40;
const normalisedBytes = 14 + 124;

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

/** Rows of a file, as one with the header that fast-bmp reads: version 5, rows from the bottom. */
function normalised(
  bytes: Uint8Array,
  { width, bitsPerPixel, offset }: BmpHeader,
  places: readonly number[],
): Uint8Array {
  const length = rowBytes(width, bitsPerPixel);
  const copy = new Uint8Array(normalisedBytes + length * places.length);
  const view = new DataView(copy.buffer);
  copy.set([0x42, 0x4d]);
  view.setUint32(2, copy.length, true);
  view.setUint32(10, normalisedBytes, true);
  view.setUint32(14, 124, true);
  view.setUint32(18, width, true);
  view.setUint32(22, places.length, true);
  view.setUint16(26, 1, true);
  view.setUint16(28, bitsPerPixel, true);
  view.setUint32(54, 0xff0000, true);
  view.setUint32(58, 0xff00, true);
  view.setUint32(62, 0xff, true);
  for (const [index, place] of places.entries()) {
    const start = offset + place * length;
    copy.set(bytes.subarray(start, start + length), normalisedBytes + index * length);
  }
  return copy;
}

/** Every so many rows of a file, from one on. */
function placesFrom(from: number, step: number, countMax: number, height: number) {
  const count = Math.min(countMax, Math.ceil((height - from) / step));
  return Array.from({ length: count }, (_, index) => from + index * step);
}

function channelsOf({ bitsPerPixel }: BmpHeader): number {
  return Math.ceil(bitsPerPixel / 8);
}

/** Rows that come in the order of the file become a picture. */
interface Rows {
  /** Every so many rows are enough. */
  readonly step: number;
  /** A row of indices, RGB or RGBA, which begins at `start`. */
  take(row: number, data: Uint8Array, start: number): void;
  picture(): Uint8Array;
}

function wholeRows(header: BmpHeader): Rows {
  const { width, height } = header;
  const rgb = new Uint8Array(width * height * 3);
  return {
    step: 1,
    take: (row, data, start) => toRgb(header, data, start, 1, rgb, row * width * 3),
    picture: () => rgb,
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
    take: (row, data, start) => {
      const next = Math.floor((row * size.height) / height);
      if (next !== place) finish();
      place = next;
      toRgb(header, data, start, columnStep, line, 0);
      mean.add(line);
    },
    picture: () => {
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

/** Every so many pixels of a row of indices, RGB or RGBA. */
function toRgb(
  header: BmpHeader,
  data: Uint8Array,
  start: number,
  step: number,
  rgb: Uint8Array,
  place: number,
): void {
  const { width, palette } = header;
  const channels = channelsOf(header);
  let [from, to] = [start, place];
  for (let column = 0; column < width; column += step, from += channels * step, to += 3) {
    if (channels > 1) {
      rgb[to] = data[from] ?? 0;
      rgb[to + 1] = data[from + 1] ?? 0;
      rgb[to + 2] = data[from + 2] ?? 0;
    } else {
      const colour = (data[from] ?? 0) * 4;
      rgb[to] = palette[colour + 2] ?? 0;
      rgb[to + 1] = palette[colour + 1] ?? 0;
      rgb[to + 2] = palette[colour] ?? 0;
    }
  }
}

function refusal(message: string): Error {
  return invalidArgument('file', `the BMP ${message}`);
}
