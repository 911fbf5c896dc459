// How images look, without what all images of a series have in common: as numbers, mirrored, and
// as coarse pictures.

import {
  descriptorPlanes,
  descriptorSide,
  waveAt,
  waveStep,
  wavesAcross,
  zigzag,
} from '../descriptor-waves.ts';

/** The numbers of a descriptor without its means, less those of the mean image. */
export type Look = Float32Array;

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

/** The looks of vectors of descriptors, by their places. */
export class Looks {
  readonly count: number;
  readonly #vectors: readonly Int8Array[];
  readonly #mean: readonly number[];

  constructor(vectors: readonly Int8Array[]) {
    this.#vectors = vectors;
    this.count = vectors.length;
    const sums = new Float64Array(waveCount);
    for (const vector of vectors) {
      for (const [at, wave] of vector.entries()) sums[at] = (sums[at] ?? 0) + wave;
    }
    // The mean of a few images is mostly themselves: it would take away what they show.
    const known = Math.max(0, 1 - imagesWithoutMean / vectors.length);
    this.#mean = Array.from(sums, (sum) => (sum / Math.max(1, vectors.length)) * known);
  }

  /** Whether it has no colours, as a copy in grey. */
  isGrey(place: number): boolean {
    return this.#vectors[place]?.subarray(firstColour).every((wave) => Math.abs(wave) <= 1) ?? true;
  }

  of(place: number, mirroring: Mirroring = asItIs): Look {
    const vector = this.#vectors[place] ?? new Int8Array(waveCount);
    const signs = signsOf.get(mirroring) ?? noSigns;
    const look = new Float32Array(waveCount);
    for (let at = 0; at < waveCount; at += 1) {
      if (meanPlaces.has(at)) continue;
      look[at] = (vector[at] ?? 0) * (signs[at] ?? 1) - (this.#mean[at] ?? 0);
    }
    return look;
  }
}

const imagesWithoutMean = 32;
const waveCount = 64;
const firstColour = descriptorPlanes[1].first;

/** For each number of a descriptor, its place among the 8 x 8 waves of its plane. */
const waveOf: readonly number[] = descriptorPlanes.flatMap(({ count }) => zigzag.slice(0, count));

export const meanPlaces: ReadonlySet<number> = new Set(descriptorPlanes.map(({ first }) => first));

/** Waves of odd numbers change their sign in a mirror. */
function signOf(at: number, { isUpright, isLevel }: Mirroring): number {
  const wave = waveOf[at] ?? 0;
  const turns =
    (isUpright ? wave % wavesAcross : 0) + (isLevel ? Math.floor(wave / wavesAcross) : 0);
  return turns % 2 === 0 ? 1 : -1;
}

const noSigns = new Int8Array(waveCount).fill(1);

const signsOf: ReadonlyMap<Mirroring, Int8Array> = new Map(
  mirrorings.map((mirroring) => [mirroring, noSigns.map((_, at) => signOf(at, mirroring))]),
);

/** Three planes of 32 x 32 numbers, one after the other: light, blue, red. */
export type Picture = Float32Array;

/** The picture that a look is of, as coarse as it is. */
export function pictureOf(look: Look): Picture {
  const picture = new Float32Array(descriptorPlanes.length * descriptorSide ** 2);
  for (const [plane, { first, count }] of descriptorPlanes.entries()) {
    const waves = new Float64Array(wavesAcross ** 2);
    for (let at = 0; at < count; at += 1)
      waves[zigzag[at] ?? 0] = (look[first + at] ?? 0) * waveStep;
    drawPlane(waves, wavesIn[plane] ?? 0, picture.subarray(plane * descriptorSide ** 2));
  }
  return picture;
}

/** Of each plane in each direction: the sum of both numbers of a wave is below it. */
const wavesIn = [8, 5, 5];

const half = descriptorSide / 2;

/**
 * `across`: waves that are in it in each direction, and together. A wave is the same on both sides
 * of the middle, or, where its number is odd, the same below zero: so one side tells the other.
 */
function drawPlane(waves: Float64Array, across: number, plane: Float32Array): void {
  const rows = new Float64Array((across + 1) * descriptorSide);
  for (let v = 0; v < across; v += 1) {
    for (let x = 0; x < half; x += 1) {
      let even = 0;
      let odd = 0;
      for (let u = 0; u < across - v; u += 2) {
        even += (waves[v * wavesAcross + u] ?? 0) * waveAt(u, x);
        odd += (waves[v * wavesAcross + u + 1] ?? 0) * waveAt(u + 1, x);
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
        even += (rows[v * descriptorSide + x] ?? 0) * waveAt(v, y);
        odd += (rows[(v + 1) * descriptorSide + x] ?? 0) * waveAt(v + 1, y);
      }
      plane[top + x] = even + odd;
      plane[bottom + x] = even - odd;
    }
  }
}
