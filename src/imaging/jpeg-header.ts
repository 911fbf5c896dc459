// Reads how a JPEG stores its pixels: in one scan, which is decoded row by row, or in several,
// whose coefficients must all be in memory before the first pixel is known.

import { Malformed } from './image-format.ts';

export interface JpegFrame {
  readonly hasManyScans: boolean;
  /** Coefficients for a pixel, all colours together: 3 without subsampling, 1.5 with the usual. */
  readonly samplesPerPixel: number;
  /** Scans, as far as they can be told without decoding: never fewer than there are. */
  readonly scans: number;
}

/** Throws `Malformed` where no scan begins. */
export function readJpegFrame(bytes: Uint8Array): JpegFrame {
  let frame: Frame | undefined;
  for (const { marker, at } of segments(bytes)) {
    if (isFrame(marker)) frame ??= readFrame(bytes, marker, at);
    if (marker !== startOfScan) continue;
    if (frame === undefined) break;
    const isPart = (bytes[at + 2] ?? 0) < frame.components;
    const hasManyScans = frame.isProgressive || isPart;
    return { hasManyScans, samplesPerPixel: frame.samplesPerPixel, scans: countScans(bytes, at) };
  }
  throw new Malformed('has no scan');
}

interface Frame {
  readonly isProgressive: boolean;
  readonly components: number;
  readonly samplesPerPixel: number;
}

const startOfScan = 0xda;

/** Each segment before the pixels; `at`: where its length stands. */
function* segments(bytes: Uint8Array): Generator<{ readonly marker: number; readonly at: number }> {
  let at = 2;
  while (at < bytes.length) {
    at = bytes.indexOf(0xff, at);
    if (at < 0) return;
    while (bytes[at] === 0xff) at += 1;
    const marker = bytes[at] ?? 0;
    at += 1;
    // Without a length: stuffing, restarts, start and temporary markers.
    if (marker <= 1 || (marker >= 0xd0 && marker <= 0xd8)) continue;
    yield { marker, at };
    at += Math.max(2, (bytes[at] ?? 0) * 256 + (bytes[at + 1] ?? 0));
  }
}

/** SOF0 to SOF15, without the tables that stand among them. */
function isFrame(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
}

function readFrame(bytes: Uint8Array, marker: number, at: number): Frame {
  const components = bytes[at + 7] ?? 0;
  const factors = Array.from({ length: components }, (_, index) => {
    const factor = bytes[at + 9 + 3 * index] ?? 0;
    return { across: factor >> 4, down: factor & 15 };
  });
  const across = Math.max(1, ...factors.map((factor) => factor.across));
  const down = Math.max(1, ...factors.map((factor) => factor.down));
  const samples = factors.reduce((sum, factor) => sum + factor.across * factor.down, 0);
  // Each second kind of the four in a group is progressive.
  const isProgressive = marker % 4 === 2;
  return { isProgressive, components, samplesPerPixel: samples / (across * down) };
}

/** Coded pixels hold no such bytes. */
function countScans(bytes: Uint8Array, from: number): number {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const marker = Buffer.from([0xff, startOfScan]);
  let scans = 1;
  for (let at = file.indexOf(marker, from); at >= 0; at = file.indexOf(marker, at + 2)) scans += 1;
  return scans;
}
