// Reads the header of a WebP file: libvips would take memory for all pixels to do so. Checks
// whether the file is whole.

import { behindExifMark, readOrientation } from './exif-orientation.ts';
import { Malformed } from './image-format.ts';

export interface WebpHeader {
  readonly width: number;
  readonly height: number;
  /** Lossless or animated: its pixels are in memory twice. */
  readonly isHeavy: boolean;
  /** EXIF orientation; 1 where there is none. */
  readonly orientation: number;
}

/** Throws `Malformed` where the file does not begin with a known chunk. */
export function readWebpHeader(bytes: Uint8Array): WebpHeader {
  if (bytes.length < headerBytes) throw new Malformed('ends within its header');
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const chunks = chunksOf(view);
  const [first] = chunks;
  const readSize = first && sizes[first.kind];
  if (readSize === undefined) throw new Malformed('begins with an unknown chunk');
  const [width, height] = readSize(view);
  if (chunks.length === chunksMax && !chunks.some(({ kind }) => imageChunks.has(kind))) {
    throw new Malformed('has too many chunks before its image');
  }
  const isHeavy = chunks.some(({ kind }) => kind === 'VP8L' || kind === 'ANIM' || kind === 'ANMF');
  const chunk = chunks.find(({ kind }) => kind === 'EXIF');
  const exif = bytes.subarray(chunk?.start ?? 0, chunk?.end ?? 0);
  const orientation = readOrientation(behindExifMark(exif) ?? exif);
  return { width, height, isHeavy, orientation };
}

/** Throws `Malformed` where the file ends before its length or that of a chunk says so. */
export function checkWebpChunks(bytes: Uint8Array): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const end = riffStart + view.getUint32(4, true);
  if (end > bytes.length) throw new Malformed('ends before the length that it gives');
  for (let at = firstChunk; at < end; ) {
    if (at + 8 > end) throw new Malformed('ends within a chunk');
    const length = view.getUint32(at + 4, true);
    if (at + 8 + length > end) throw new Malformed('ends within a chunk');
    at += 8 + length + (length % 2);
  }
}

const headerBytes = 30;
/** What the length of the file counts from. */
const riffStart = 8;
const firstChunk = 12;

interface Chunk {
  readonly kind: string;
  readonly start: number;
  readonly end: number;
}

function chunksOf(view: DataView): readonly Chunk[] {
  const chunks: Chunk[] = [];
  let at = firstChunk;
  while (at + 8 <= view.byteLength && chunks.length < chunksMax) {
    const kind = String.fromCharCode(...[0, 1, 2, 3].map((place) => view.getUint8(at + place)));
    const length = view.getUint32(at + 4, true);
    chunks.push({ kind, start: at + 8, end: Math.min(at + 8 + length, view.byteLength) });
    at += 8 + length + (length % 2);
  }
  return chunks;
}

const imageChunks: ReadonlySet<string> = new Set(['VP8 ', 'VP8L', 'ANIM', 'ANMF']);

/** What tells the kind stands among the first; EXIF of an animation behind its frames may not. */
const chunksMax = 1_000;

/** By the first chunk. */
const sizes: Readonly<Record<string, (view: DataView) => readonly [number, number]>> = {
  'VP8 ': (view) => [view.getUint16(26, true) & 0x3fff, view.getUint16(28, true) & 0x3fff],
  VP8L: (view) => {
    const bits = view.getUint32(21, true);
    return [(bits & 0x3fff) + 1, ((bits >>> 14) & 0x3fff) + 1];
  },
  VP8X: (view) => [(view.getUint32(24, true) & 0xffffff) + 1, (view.getUint32(26, true) >>> 8) + 1],
};
