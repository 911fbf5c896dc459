// The basis of the discrete cosine transform by which descriptors are made: cosines of 32 x 32
// pixels, from coarse to fine.

/** The side of the image that is looked at. */
export const descriptorSide = 32;

/** Frequencies in each direction. */
export const frequenciesAcross = 8;

/** Places of the 8 x 8 coefficients from coarse to fine. */
export const zigzag: readonly number[] = Array.from(
  { length: frequenciesAcross ** 2 },
  (_, at) => at,
).toSorted((a, b) => diagonal(a) - diagonal(b) || a - b);

/** The first number of each plane of a descriptor, and how many it has: light, blue, red. */
export const descriptorPlanes = [
  { first: 0, count: 36 },
  { first: 36, count: 14 },
  { first: 50, count: 14 },
] as const;

/** What one step of a coefficient stands for; the mean has larger ones. */
export const coefficientStep = 8;

/** Orthonormal. */
export function basisAt(frequency: number, place: number): number {
  return table[frequency * descriptorSide + place] ?? 0;
}

const table = Float64Array.from({ length: frequenciesAcross * descriptorSide }, (_, at) => {
  const [frequency, place] = [Math.floor(at / descriptorSide), at % descriptorSide];
  const scale = Math.sqrt((frequency === 0 ? 1 : 2) / descriptorSide);
  return scale * Math.cos(((2 * place + 1) * frequency * Math.PI) / (2 * descriptorSide));
});

function diagonal(at: number): number {
  return Math.floor(at / frequenciesAcross) + (at % frequenciesAcross);
}
