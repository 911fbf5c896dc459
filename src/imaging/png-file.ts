// Reads a PNG chunk by chunk, without decoding: how it stores its pixels, and whether it is whole.

import { crc32 } from 'node:zlib';
import { readOrientation } from './exif-orientation.ts';
import { Malformed } from './image-format.ts';

export interface PngHeader {
  readonly width: number;
  readonly height: number;
  /** As decoded: a palette gives colours. */
  readonly channels: number;
  readonly bytesPerSample: number;
  readonly isInterlaced: boolean;
  /** Each is unpacked with the header, to 8 MB at most. */
  readonly compressedTexts: number;
  /** EXIF orientation; 1 where there is none. */
  readonly orientation: number;
}

/** Throws `Malformed` where the file does not begin with a header that can be read. */
export function readPngHeader(bytes: Uint8Array): PngHeader {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length < headerEnd) throw new Malformed('ends within its header');
  if (view.getUint32(8) !== headerBytes || view.getUint32(12) !== chunkTypes.header) {
    throw new Malformed('does not begin with its header');
  }
  const [width, height] = [view.getUint32(16), view.getUint32(20)];
  if (width === 0 || height === 0) throw new Malformed('has no pixels');
  const [bits, colour, interlacing] = [view.getUint8(24), view.getUint8(25), view.getUint8(28)];
  const kind = colours[colour];
  if (!kind?.bits.includes(bits) || view.getUint16(26) !== 0 || interlacing > 1) {
    throw new Malformed('has pixels of a kind that is not read');
  }
  const { compressedTexts, exif, hasTransparency } = readChunksBeforePixels(view);
  const orientation = exif ? readOrientation(bytes.subarray(exif.start, exif.end)) : 1;
  const channels = kind.channels + (hasTransparency && !kind.hasAlpha ? 1 : 0);
  const bytesPerSample = bits === 16 ? 2 : 1;
  const isInterlaced = interlacing === 1;
  return { width, height, channels, bytesPerSample, isInterlaced, compressedTexts, orientation };
}

/** Decoders look at no others for the header. */
function readChunksBeforePixels(view: DataView) {
  let compressedTexts = 0;
  let exif: Chunk | undefined;
  let hasTransparency = false;
  for (const chunk of chunks(view)) {
    const { type } = chunk;
    if (type === chunkTypes.pixels) return { compressedTexts, exif, hasTransparency };
    if (compressedTextTypes.has(type)) compressedTexts += 1;
    if (type === chunkTypes.exif) exif ??= chunk;
    if (type === chunkTypes.transparency) hasTransparency = true;
  }
  throw new Malformed('has no pixels');
}

/**
 * Throws `Malformed` where a chunk is not in the file, or one that a decoder must understand is not
 * what its checksum says.
 */
export function checkPngChunks(bytes: Uint8Array): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (const { type, start, end } of chunks(view)) {
    if (end + checksumBytes > bytes.length) throw new Malformed('ends within a chunk');
    const isCritical = (type & ancillaryBit) === 0;
    if (isCritical && crc32(bytes.subarray(start - 4, end)) !== view.getUint32(end)) {
      throw new Malformed('has a chunk that does not match its checksum');
    }
    if (type === chunkTypes.end) return;
  }
  throw new Malformed('ends before its last chunk');
}

interface Chunk {
  readonly type: number;
  /** Of its content; may be beyond the file. */
  readonly start: number;
  readonly end: number;
}

const signatureBytes = 8;
const checksumBytes = 4;

/** Of a type: its first letter is small. */
const ancillaryBit = 0x20_00_00_00;

const headerBytes = 13;

/** The signature, and the first chunk. */
const headerEnd = 33;

function* chunks(view: DataView): Generator<Chunk> {
  let at = signatureBytes;
  while (at + 8 <= view.byteLength) {
    const type = view.getUint32(at + 4);
    const start = at + 8;
    const end = start + view.getUint32(at);
    yield { type, start, end };
    if (type === chunkTypes.end) return;
    at = end + checksumBytes;
  }
}

const typeOf = (name: string) => Buffer.from(name, 'latin1').readUInt32BE();

const chunkTypes = {
  header: typeOf('IHDR'),
  transparency: typeOf('tRNS'),
  exif: typeOf('eXIf'),
  pixels: typeOf('IDAT'),
  end: typeOf('IEND'),
} as const;

const compressedTextTypes: ReadonlySet<number> = new Set(['zTXt', 'iTXt', 'iCCP'].map(typeOf));

interface ColourKind {
  readonly channels: number;
  readonly hasAlpha: boolean;
  readonly bits: readonly number[];
}

/** By their numbers: grey, colours, a palette, grey and colours with transparency. */
const colours: Readonly<Record<number, ColourKind>> = {
  0: { channels: 1, hasAlpha: false, bits: [1, 2, 4, 8, 16] },
  2: { channels: 3, hasAlpha: false, bits: [8, 16] },
  3: { channels: 3, hasAlpha: false, bits: [1, 2, 4, 8] },
  4: { channels: 2, hasAlpha: true, bits: [8, 16] },
  6: { channels: 4, hasAlpha: true, bits: [8, 16] },
};
