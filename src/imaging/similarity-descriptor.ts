// A visual descriptor of an image for similarity search: 64 numbers and 64 bits for its colours and
// their layout.

import {
  basisAt,
  coefficientStep,
  descriptorPlanes,
  descriptorSide,
  frequenciesAcross,
  zigzag,
} from './cosine-transform-basis.ts';
import type { RawImage } from './raw-image.ts';
import { measureSharpness } from './sharpness.ts';

export interface Descriptor {
  /** 64 numbers: the coarse layout of the light (36), of blue (14) and of red (14). */
  readonly vector: Int8Array;
  /** 8 bytes: the signs of the coarsest coefficients of the light. */
  readonly hash: Uint8Array;
  /** As `measureSharpness`; undefined where the image was described before there was one. */
  readonly sharpness?: number | undefined;
}

/** Describes an image of `sharpnessSide` pixels in each direction. */
export function describePixels(pixels: RawImage): Descriptor {
  return { ...computeDescriptor(shrink(pixels)), sharpness: measureSharpness(pixels) };
}

/** To `descriptorSide`: the means of square blocks. */
function shrink({ data, width }: RawImage): RawImage {
  const block = width / descriptorSide;
  const small = new Uint8Array(descriptorSide ** 2 * 3);
  for (let at = 0; at < small.length; at += 1) {
    const [place, channel] = [Math.floor(at / 3), at % 3];
    const [left, top] = [
      (place % descriptorSide) * block,
      Math.floor(place / descriptorSide) * block,
    ];
    let sum = 0;
    for (let y = top; y < top + block; y += 1) {
      for (let x = left; x < left + block; x += 1) sum += data[(y * width + x) * 3 + channel] ?? 0;
    }
    small[at] = Math.round(sum / block ** 2);
  }
  return { data: small, width: descriptorSide, height: descriptorSide };
}

/**
 * Describes an image of 32 x 32 pixels by the coarsest coefficients of its discrete cosine
 * transform (type II), as MPEG-7's colour layout descriptor and pHash do: sizes, formats and
 * compression hardly change it.
 */
export function computeDescriptor({ data }: RawImage): Descriptor {
  const planes = toPlanes(data);
  const coefficients = planes.map(coarseCoefficients);
  const vector = Int8Array.from(
    descriptorPlanes.flatMap(({ count }, plane) =>
      zigzag.slice(0, count).map((at) => quantize(coefficients[plane]?.[at] ?? 0, at)),
    ),
  );
  const hash = new Uint8Array(8);
  for (const [at, coefficient] of (coefficients[0] ?? []).entries()) {
    // Without a step between, noise would decide in plain images.
    if (quantize(coefficient, at) > 0) hash[at >>> 3] = (hash[at >>> 3] ?? 0) | (1 << (at & 7));
  }
  return { vector, hash };
}

/** How alike two images look: 1 the same, 0 nothing in common. */
export function similarity(a: Int8Array, b: Int8Array): number {
  let squares = 0;
  for (let at = 0; at < a.length; at += 1) squares += ((a[at] ?? 0) - (b[at] ?? 0)) ** 2;
  return Math.max(0, 1 - Math.sqrt(squares) / unlike);
}

/** The distance from which on two images count as having nothing in common. */
const unlike = 256;

/** JPEG's luma and chroma, around 0. */
function toPlanes(pixels: Uint8Array): readonly Float64Array[] {
  const count = descriptorSide ** 2;
  const [light, blue, red] = [count, count, count].map((length) => new Float64Array(length));
  for (let at = 0; at < count; at += 1) {
    const [r = 0, g = 0, b = 0] = pixels.subarray(at * 3, at * 3 + 3);
    const y = 0.299 * r + 0.587 * g + 0.114 * b;
    light?.fill(y - 128, at, at + 1);
    blue?.fill(0.564 * (b - y), at, at + 1);
    red?.fill(0.713 * (r - y), at, at + 1);
  }
  return [light, blue, red].filter((plane) => plane !== undefined);
}

/** 8 x 8 coefficients, orthonormal; the first is 32 times the mean. */
function coarseCoefficients(plane: Float64Array): readonly number[] {
  const rows = new Float64Array(descriptorSide * frequenciesAcross);
  for (let y = 0; y < descriptorSide; y += 1) {
    for (let u = 0; u < frequenciesAcross; u += 1) {
      let sum = 0;
      for (let x = 0; x < descriptorSide; x += 1) {
        sum += (plane[y * descriptorSide + x] ?? 0) * basisAt(u, x);
      }
      rows[y * frequenciesAcross + u] = sum;
    }
  }
  return Array.from({ length: frequenciesAcross ** 2 }, (_, at) => {
    const [v, u] = [Math.floor(at / frequenciesAcross), at % frequenciesAcross];
    let sum = 0;
    for (let y = 0; y < descriptorSide; y += 1)
      sum += (rows[y * frequenciesAcross + u] ?? 0) * basisAt(v, y);
    return sum;
  });
}

/** The mean counts for less than its size: lighting differs between images of one thing. */
function quantize(coefficient: number, at: number): number {
  return Math.max(-127, Math.min(127, Math.round(coefficient / (at === 0 ? 32 : coefficientStep))));
}
