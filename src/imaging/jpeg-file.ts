// Reads a JPEG from its first to its last marker, without decoding: how it stores its pixels (in
// one scan, which is decoded row by row, or in several), and whether it is whole.

import { behindExifMark, readOrientation } from './exif-orientation.ts';
import { Malformed } from './image-format.ts';

export interface JpegFile {
  readonly width: number;
  readonly height: number;
  readonly components: number;
  readonly isProgressive: boolean;
  /** Coefficients for a pixel, all colours together: 3 without subsampling, 1.5 with the usual. */
  readonly samplesPerPixel: number;
  /** The coefficients of all pixels must be in memory before the first pixel is known. */
  readonly hasManyScans: boolean;
  readonly scans: number;
  /** EXIF orientation; 1 where there is none. */
  readonly orientation: number;
  /** What is wrong with its structure; follows "it". Undefined: it is whole. */
  readonly fault: string | undefined;
}

/**
 * Passes over what is wrong, as decoders do. Reads no further than `scansMax` + 1 scans. Throws
 * `Malformed` where no scan begins, or its frame is of a kind that is not read.
 */
export function readJpegFile(bytes: Uint8Array, scansMax: number): JpegFile {
  let fault: string | undefined;
  let frame: Frame | undefined;
  let exif: Uint8Array | undefined;
  let hasManyScans = false;
  let scans = 0;
  let hasEnd = false;
  for (const segment of segments(bytes)) {
    const { marker, start } = segment;
    fault ??= faultOf(bytes, segment, frame);
    if (isFrame(marker)) frame ??= readFrame(bytes, segment);
    if (marker === application1 && scans === 0) {
      exif ??= behindExifMark(bytes.subarray(start, segment.end));
    }
    hasEnd = marker === endOfImage;
    if (marker !== startOfScan) continue;
    if (frame === undefined) break;
    if (scans === 0) hasManyScans = frame.isProgressive || (bytes[start] ?? 0) < frame.components;
    scans += 1;
    if (scans > scansMax) break;
  }
  if (frame === undefined || scans === 0) throw new Malformed(fault ?? 'has no scan');
  if (!hasEnd) fault ??= 'ends within its pixels';
  const { width, height, components, isProgressive, samplesPerPixel } = frame;
  const pixels = { width, height, components, isProgressive, samplesPerPixel };
  const orientation = exif ? readOrientation(exif) : 1;
  return { ...pixels, hasManyScans, scans, orientation, fault };
}

interface Segment {
  readonly marker: number;
  /** Of its content, behind its length. */
  readonly start: number;
  /** Beyond the file where it is cut off. */
  readonly end: number;
  /** Something stands before it that is no part of any segment. */
  readonly isBehindGap: boolean;
}

const startOfImage = 0xd8;
const endOfImage = 0xd9;
const startOfScan = 0xda;
const application1 = 0xe1;

/** To the end of the image or of the file, or to what ends every decoder. */
function* segments(bytes: Uint8Array): Generator<Segment> {
  let isInScan = false;
  for (let at = 2; ; ) {
    const isBehindGap = !isInScan && (bytes[at] !== 0xff || bytes[at + 1] === 0);
    at = findMarker(bytes, at);
    if (at === bytes.length) return;
    const marker = bytes[at + 1] ?? 0;
    at += 2;
    if (marker === endOfImage || !isKnown(marker)) {
      yield { marker, start: at, end: at, isBehindGap };
      return;
    }
    const start = at + 2;
    const end = at + (bytes[at] ?? 0) * 256 + (bytes[at + 1] ?? 0);
    yield { marker, start, end, isBehindGap };
    at = Math.max(start, end);
    isInScan = marker === startOfScan;
  }
}

/** The length of the file where there is none. */
function findMarker(bytes: Uint8Array, from: number): number {
  for (let at = from; at + 1 < bytes.length; at += 1) {
    if (bytes[at] !== 0xff) continue;
    const code = bytes[at + 1] ?? 0;
    // Coded pixels have stuffed bytes, temporary markers and restarts. Before a marker may be 0xff.
    if (code <= 1 || code === 0xff || (code >= 0xd0 && code <= 0xd7)) continue;
    return at;
  }
  return bytes.length;
}

/** SOF0 to SOF15, without the tables (Huffman, arithmetic) that stand among them. */
function isFrame(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xcc, reservedFrame].includes(marker);
}

const reservedFrame = 0xc8;

function faultOf(bytes: Uint8Array, segment: Segment, frame: Frame | undefined) {
  const { marker, start, end, isBehindGap } = segment;
  if (isBehindGap) return 'has bytes between its segments';
  if (!isKnown(marker)) return 'has an unknown segment';
  if (end > bytes.length) return 'ends within a segment';
  if (end < start) return 'has a segment of no length';
  if (isFrame(marker) && frame) return 'has two frames';
  if (marker !== startOfScan || frame === undefined) return undefined;
  const components = bytes[start] ?? 0;
  const isWhole = end - start === 4 + 2 * components;
  return isWhole && components >= 1 && components <= frame.components
    ? undefined
    : 'has a broken scan';
}

/** Frames, tables, scans, definitions, the end, applications, comments. */
function isKnown(marker: number): boolean {
  if (marker === reservedFrame || marker === startOfImage) return false;
  const isApplication = marker >= 0xe0 && marker <= 0xef;
  return (marker >= 0xc0 && marker <= 0xdd) || isApplication || marker === 0xfe;
}

interface Frame {
  readonly width: number;
  readonly height: number;
  readonly components: number;
  readonly isProgressive: boolean;
  readonly samplesPerPixel: number;
}

function readFrame(bytes: Uint8Array, { marker, start, end }: Segment): Frame {
  const uint16 = (at: number) => (bytes[at] ?? 0) * 256 + (bytes[at + 1] ?? 0);
  const components = bytes[start + 5] ?? 0;
  const isOfKnownKind = decodedFrames.has(marker) && components >= 1 && components <= 4;
  if (bytes[start] !== 8 || !isOfKnownKind) {
    throw new Malformed('has pixels of a kind that is not read');
  }
  const [width, height] = [uint16(start + 3), uint16(start + 1)];
  if (width === 0 || height === 0) throw new Malformed('has no pixels');
  const factors = Array.from({ length: components }, (_, index) => {
    const factor = bytes[start + 7 + 3 * index] ?? 0;
    return { across: factor >> 4, down: factor & 15 };
  });
  const isRead = factors.every(({ across, down }) => isFactor(across) && isFactor(down));
  if (!isRead || end - start !== 6 + 3 * components) throw new Malformed('has a broken frame');
  const across = Math.max(...factors.map((factor) => factor.across));
  const down = Math.max(...factors.map((factor) => factor.down));
  const samples = factors.reduce((sum, factor) => sum + factor.across * factor.down, 0);
  // Each second kind of the four in a group is progressive.
  const isProgressive = marker % 4 === 2;
  return { width, height, components, isProgressive, samplesPerPixel: samples / (across * down) };
}

function isFactor(value: number): boolean {
  return value >= 1 && value <= 4;
}

/** Baseline, extended, progressive, lossless; extended and progressive in arithmetic coding. */
const decodedFrames: ReadonlySet<number> = new Set([0xc0, 0xc1, 0xc2, 0xc3, 0xc9, 0xca]);
