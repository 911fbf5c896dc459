// The waves of which descriptors are made: cosines of 32 x 32 pixels, from coarse to fine.

/** The side of the image that is looked at. */
export const descriptorSide = 32;

/** Waves in each direction. */
export const wavesAcross = 8;

/** Places of the 8 x 8 waves from coarse to fine. */
export const zigzag: readonly number[] = Array.from(
  { length: wavesAcross ** 2 },
  (_, at) => at,
).toSorted((a, b) => diagonal(a) - diagonal(b) || a - b);

/** The first number of each plane of a descriptor, and how many it has: light, blue, red. */
export const descriptorPlanes = [
  { first: 0, count: 36 },
  { first: 36, count: 14 },
  { first: 50, count: 14 },
] as const;

/** What one step of a wave stands for; the mean has larger ones. */
export const waveStep = 8;

/** Orthonormal. */
export function waveAt(wave: number, place: number): number {
  return table[wave * descriptorSide + place] ?? 0;
}

const table = Float64Array.from({ length: wavesAcross * descriptorSide }, (_, at) => {
  const [wave, place] = [Math.floor(at / descriptorSide), at % descriptorSide];
  const scale = Math.sqrt((wave === 0 ? 1 : 2) / descriptorSide);
  return scale * Math.cos(((2 * place + 1) * wave * Math.PI) / (2 * descriptorSide));
});

function diagonal(at: number): number {
  return Math.floor(at / wavesAcross) + (at % wavesAcross);
}
