// Reads the header of a JPEG of the most common kind: baseline, YCbCr, one scan, chrominance as
// large as luminance or half as large. Others, and damaged ones, are left to a decoder of all.

/** Offsets are places in the file. */
export interface BaselineJpeg {
  readonly width: number;
  readonly height: number;
  /** How many pixels a value of chrominance stands for: 1 by 1, 2 by 1 or 2 by 2. */
  readonly across: 1 | 2;
  readonly down: 1 | 2;
  /** Luminance, Cb, Cr. */
  readonly components: readonly [Component, Component, Component];
  /** Groups of blocks between two restart markers; 0: there are none. */
  readonly restartInterval: number;
  /** Of the first byte behind the header of the scan. */
  readonly scan: number;
}

interface Component {
  /** Of 64 steps of quantisation in zigzag order. */
  readonly steps: number;
  /** Of the content of a DHT segment: 16 counts, then symbols. */
  readonly dcCodes: number;
  readonly acCodes: number;
}

/** Undefined: another kind. */
export function readBaselineJpeg(bytes: Uint8Array): BaselineJpeg | undefined {
  if (bytes[0] !== 0xff || bytes[1] !== 0xd8) return undefined;
  const header = new Header(bytes);
  for (let at = 2; at + 4 <= bytes.length; ) {
    const marker = bytes[at + 1] ?? 0;
    const [start, end] = [at + 4, at + 2 + header.uint16(at + 2)];
    if (bytes[at] !== 0xff || end < start || end > bytes.length) return undefined;
    if (marker === startOfScan) return header.finish(start, end);
    if (!header.take(marker, start, end)) return undefined;
    at = end;
  }
  return undefined;
}

const startOfScan = 0xda;

class Header {
  readonly #bytes: Uint8Array;
  readonly #steps = new Map<number, number>();
  /** By class (0x00: DC, 0x10: AC) and number. */
  readonly #codes = new Map<number, number>();
  #frame: number | undefined;
  #hasJfif = false;
  #hasAdobe = false;
  #restartInterval = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  uint16(at: number): number {
    return this.#byte(at) * 256 + this.#byte(at + 1);
  }

  #byte(at: number): number {
    return this.#bytes[at] ?? 0;
  }

  /** False: it is of a kind that is not read. */
  take(marker: number, start: number, end: number): boolean {
    switch (marker) {
      case 0xc0:
        if (this.#frame !== undefined || end - start !== 15) return false;
        this.#frame = start;
        return true;
      case 0xc4:
        return this.#takeCodes(start, end);
      case 0xdb:
        return this.#takeSteps(start, end);
      case 0xdd:
        this.#restartInterval = this.uint16(start);
        return end - start === 2;
      case 0xe0:
        this.#hasJfif ||= this.#begins(start, end, 'JFIF\0');
        return true;
      case 0xe2:
        return !this.#begins(start, end, 'ICC_PROFILE\0');
      case 0xee:
        // Its transformation 1 means YCbCr.
        this.#hasAdobe = this.#begins(start, end, 'Adobe');
        return !this.#hasAdobe || (end - start >= 12 && this.#byte(start + 11) === 1);
      default:
        return marker === 0xfe || (marker > 0xe0 && marker <= 0xef);
    }
  }

  #begins(start: number, end: number, text: string): boolean {
    const isLong = end - start >= text.length;
    return isLong && [...text].every((each, i) => this.#byte(start + i) === each.charCodeAt(0));
  }

  #takeSteps(start: number, end: number): boolean {
    let at = start;
    for (; at < end; at += 65) {
      // Four high bits: steps of 16 bits.
      if (this.#byte(at) > 3) return false;
      this.#steps.set(this.#byte(at), at + 1);
    }
    return at === end;
  }

  #takeCodes(start: number, end: number): boolean {
    let at = start;
    while (at + 17 <= end) {
      const table = this.#byte(at);
      const counts = this.#bytes.subarray(at + 1, at + 17);
      const symbols = counts.reduce((sum, count) => sum + count, 0);
      if ((table & 0xef) > 3 || symbols > 256 || at + 17 + symbols > end) return false;
      const isDc = table < 4;
      const sizes = this.#bytes.subarray(at + 17, at + 17 + symbols);
      if (isDc && sizes.some((size) => size > 11)) return false;
      this.#codes.set(table, at + 1);
      at += 17 + symbols;
    }
    return at === end;
  }

  finish(start: number, end: number): BaselineJpeg | undefined {
    const frame = this.#readFrame();
    // Three components, all coefficients: one scan is all.
    if (frame === undefined || end - start !== 10 || this.#byte(start) !== 3) return undefined;
    const tail = [start + 7, start + 8, start + 9].map((at) => this.#byte(at));
    if (tail[0] !== 0 || tail[1] !== 63 || tail[2] !== 0) return undefined;
    const [luma, cb, cr] = [0, 1, 2].map((index) => this.#readComponent(start, index));
    if (!luma || !cb || !cr) return undefined;
    const components = [luma, cb, cr] as const;
    return { ...frame, components, restartInterval: this.#restartInterval, scan: end };
  }

  #readFrame() {
    const at = this.#frame;
    if (at === undefined || this.#byte(at) !== 8 || this.#byte(at + 5) !== 3) return undefined;
    const [height, width] = [this.uint16(at + 1), this.uint16(at + 3)];
    const factors = this.#byte(at + 7);
    const areSmall = this.#byte(at + 10) === 0x11 && this.#byte(at + 13) === 0x11;
    if (width === 0 || height === 0 || !areSmall || !this.#isYcbcr(at)) return undefined;
    // Of narrower images libjpeg repeats chrominance.
    if (factors !== 0x11 && width < 5) return undefined;
    if (factors === 0x11) return { width, height, across: 1, down: 1 } as const;
    if (factors === 0x21) return { width, height, across: 2, down: 1 } as const;
    if (factors === 0x22) return { width, height, across: 2, down: 2 } as const;
    return undefined;
  }

  #isYcbcr(frame: number): boolean {
    const ids = [6, 9, 12].map((offset) => this.#byte(frame + offset));
    return this.#hasJfif || this.#hasAdobe || ids.every((id, index) => id === index + 1);
  }

  #readComponent(scan: number, index: number): Component | undefined {
    const frame = this.#frame ?? 0;
    const isSame = this.#byte(scan + 1 + 2 * index) === this.#byte(frame + 6 + 3 * index);
    const tables = this.#byte(scan + 2 + 2 * index);
    const steps = this.#steps.get(this.#byte(frame + 8 + 3 * index));
    const dcCodes = this.#codes.get(tables >> 4);
    const acCodes = this.#codes.get(0x10 + (tables & 15));
    if (!isSame || steps === undefined || !dcCodes || !acCodes) return undefined;
    return { steps, dcCodes, acCodes };
  }
}
