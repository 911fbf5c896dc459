// BMP files: their header is read here, before anything is allocated; fast-bmp reads the pixels.

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

/** The pixels, three bytes each. Throws as checkBmpRows. */
export async function decodeBmp(bytes: Uint8Array, header: BmpHeader): Promise<Uint8Array> {
  checkBmpRows(bytes, header);
  const { decode } = await import('fast-bmp');
  const { data } = decode(normalised(bytes, header));
  if (!(data instanceof Uint8Array)) throw refusal('cannot be read');
  return toRgb(data, header);
}

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

/** The same picture with the header that fast-bmp reads: version 5, rows from the bottom. */
function normalised(bytes: Uint8Array, header: BmpHeader): Uint8Array {
  const { width, height, bitsPerPixel, offset, length } = header;
  const copy = new Uint8Array(normalisedBytes + length);
  const view = new DataView(copy.buffer);
  copy.set([0x42, 0x4d]);
  view.setUint32(2, copy.length, true);
  view.setUint32(10, normalisedBytes, true);
  view.setUint32(14, 124, true);
  view.setUint32(18, width, true);
  view.setUint32(22, height, true);
  view.setUint16(26, 1, true);
  view.setUint16(28, bitsPerPixel, true);
  view.setUint32(54, 0xff0000, true);
  view.setUint32(58, 0xff00, true);
  view.setUint32(62, 0xff, true);
  copy.set(bytes.subarray(offset, offset + length), normalisedBytes);
  return copy;
}

/** From rows of indices, RGB or RGBA; fast-bmp has put the last row of the file on top. */
function toRgb(data: Uint8Array, header: BmpHeader): Uint8Array {
  const { width, height, bitsPerPixel, topDown, palette } = header;
  const channels = Math.ceil(bitsPerPixel / 8);
  const rgb = new Uint8Array(width * height * 3);
  for (let row = 0, to = 0; row < height; row++) {
    let from = (topDown ? height - 1 - row : row) * width * channels;
    for (let column = 0; column < width; column++, from += channels, to += 3) {
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
  return rgb;
}

function refusal(message: string): Error {
  return invalidArgument('file', `the BMP ${message}`);
}
