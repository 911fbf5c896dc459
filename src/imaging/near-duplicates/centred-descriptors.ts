// Descriptors without what all images of a series have in common: as numbers, mirrored, and as
// coarse pictures.

import {
  basisAt,
  coefficientStep,
  descriptorPlanes,
  descriptorSide,
  frequenciesAcross,
  zigzag,
} from '../cosine-transform-basis.ts';

/** The numbers of a descriptor without its means, less those of the mean image. */
export type CentredDescriptor = Float32Array;

export interface Mirroring {
  /** At an upright axis; at a level one too, it is turned by 180 degrees. */
  readonly isUpright: boolean;
  readonly isLevel: boolean;
}

export const asItIs: Mirroring = { isUpright: false, isLevel: false };

export const mirrorings: readonly Mirroring[] = [
  asItIs,
  { isUpright: true, isLevel: false },
  { isUpright: false, isLevel: true },
  { isUpright: true, isLevel: true },
];

/** Vectors of descriptors, centred, by their places. */
export class CentredDescriptors {
  readonly count: number;
  readonly #vectors: readonly Int8Array[];
  readonly #mean: readonly number[];

  constructor(vectors: readonly Int8Array[]) {
    this.#vectors = vectors;
    this.count = vectors.length;
    const sums = new Float64Array(coefficientCount);
    for (const vector of vectors) {
      for (const [at, coefficient] of vector.entries()) sums[at] = (sums[at] ?? 0) + coefficient;
    }
    // The mean of a few images is mostly themselves: it would take away what they show.
    const known = Math.max(0, 1 - imagesWithoutMean / vectors.length);
    this.#mean = Array.from(sums, (sum) => (sum / Math.max(1, vectors.length)) * known);
  }

  /** Whether it has no colours, as a copy in grey. */
  isGrey(place: number): boolean {
    return (
      this.#vectors[place]
        ?.subarray(firstColour)
        .every((coefficient) => Math.abs(coefficient) <= 1) ?? true
    );
  }

  of(place: number, mirroring: Mirroring = asItIs): CentredDescriptor {
    const vector = this.#vectors[place] ?? new Int8Array(coefficientCount);
    const signs = signsOf.get(mirroring) ?? noSigns;
    const descriptor = new Float32Array(coefficientCount);
    for (let at = 0; at < coefficientCount; at += 1) {
      if (meanPlaces.has(at)) continue;
      descriptor[at] = (vector[at] ?? 0) * (signs[at] ?? 1) - (this.#mean[at] ?? 0);
    }
    return descriptor;
  }
}

const imagesWithoutMean = 32;
const coefficientCount = 64;
const firstColour = descriptorPlanes[1].first;

/** For each number of a descriptor, its place among the 8 x 8 coefficients of its plane. */
const placeInPlane: readonly number[] = descriptorPlanes.flatMap(({ count }) =>
  zigzag.slice(0, count),
);

export const meanPlaces: ReadonlySet<number> = new Set(descriptorPlanes.map(({ first }) => first));

/** Coefficients of odd frequencies change their sign in a mirror. */
function signOf(at: number, { isUpright, isLevel }: Mirroring): number {
  const place = placeInPlane[at] ?? 0;
  const turns =
    (isUpright ? place % frequenciesAcross : 0) +
    (isLevel ? Math.floor(place / frequenciesAcross) : 0);
  return turns % 2 === 0 ? 1 : -1;
}

const noSigns = new Int8Array(coefficientCount).fill(1);

const signsOf: ReadonlyMap<Mirroring, Int8Array> = new Map(
  mirrorings.map((mirroring) => [mirroring, noSigns.map((_, at) => signOf(at, mirroring))]),
);

/** Three planes of 32 x 32 numbers, one after the other: light, blue, red. */
export type Picture = Float32Array;

/** The picture that a descriptor is of, as coarse as it is. */
export function pictureOf(descriptor: CentredDescriptor): Picture {
  const picture = new Float32Array(descriptorPlanes.length * descriptorSide ** 2);
  for (const [plane, { first, count }] of descriptorPlanes.entries()) {
    const coefficients = new Float64Array(frequenciesAcross ** 2);
    for (let at = 0; at < count; at += 1)
      coefficients[zigzag[at] ?? 0] = (descriptor[first + at] ?? 0) * coefficientStep;
    drawPlane(
      coefficients,
      frequenciesIn[plane] ?? 0,
      picture.subarray(plane * descriptorSide ** 2),
    );
  }
  return picture;
}

/** Of each plane in each direction: the sum of both frequencies of a coefficient is below it. */
const frequenciesIn = [8, 5, 5];

const half = descriptorSide / 2;

/**
 * `across`: frequencies that are in it in each direction, and together. A cosine is the same on
 * both sides of the middle, or, where its frequency is odd, the same below zero: so one side tells
 * the other.
 */
function drawPlane(coefficients: Float64Array, across: number, plane: Float32Array): void {
  const rows = new Float64Array((across + 1) * descriptorSide);
  for (let v = 0; v < across; v += 1) {
    for (let x = 0; x < half; x += 1) {
      let even = 0;
      let odd = 0;
      for (let u = 0; u < across - v; u += 2) {
        even += (coefficients[v * frequenciesAcross + u] ?? 0) * basisAt(u, x);
        odd += (coefficients[v * frequenciesAcross + u + 1] ?? 0) * basisAt(u + 1, x);
      }
      rows[v * descriptorSide + x] = even + odd;
      rows[(v + 1) * descriptorSide - 1 - x] = even - odd;
    }
  }
  for (let y = 0; y < half; y += 1) {
    const top = y * descriptorSide;
    const bottom = (descriptorSide - 1 - y) * descriptorSide;
    for (let x = 0; x < descriptorSide; x += 1) {
      let even = 0;
      let odd = 0;
      for (let v = 0; v < across; v += 2) {
        even += (rows[v * descriptorSide + x] ?? 0) * basisAt(v, y);
        odd += (rows[(v + 1) * descriptorSide + x] ?? 0) * basisAt(v + 1, y);
      }
      plane[top + x] = even + odd;
      plane[bottom + x] = even - odd;
    }
  }
}
