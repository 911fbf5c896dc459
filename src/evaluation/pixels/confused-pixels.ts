// Counts which class each pixel of an image has, and which was found there.

/** The class of each pixel, row by row from the top: 0 is the background, then come the classes. */
export type ClassMap = Uint8Array;

/** What a byte can tell apart, without the background. */
export const pixelClassesMax = 255;

export type ConfusedPixels = readonly [truth: number, found: number, pixels: number];

/**
 * Of one image, both maps of its size: which pairs there are, with their numbers of pixels. As in
 * a confusion matrix, classes count from 0 and the background comes behind them.
 */
export function confusedPixels(
  truth: ClassMap,
  found: ClassMap,
  classCount: number,
): readonly ConfusedPixels[] {
  const values = classCount + 1;
  const counts = new Uint32Array(values * values);
  for (let at = 0; at < truth.length; at++) {
    const pair = (truth[at] ?? 0) * values + (found[at] ?? 0);
    counts[pair] = (counts[pair] ?? 0) + 1;
  }
  const placeOf = (value: number) => (value === 0 ? classCount : value - 1);
  const pairs: ConfusedPixels[] = [];
  for (const [pair, pixels] of counts.entries()) {
    if (pixels === 0) continue;
    pairs.push([placeOf(Math.floor(pair / values)), placeOf(pair % values), pixels]);
  }
  return pairs;
}

/** The sums of many images, in the order of rows and columns. */
export function sumOfPixels(
  images: readonly (readonly ConfusedPixels[])[],
  classCount: number,
): readonly ConfusedPixels[] {
  const side = classCount + 1;
  const sums = new Float64Array(side * side);
  for (const image of images) {
    for (const [truth, found, pixels] of image) {
      const cell = truth * side + found;
      sums[cell] = (sums[cell] ?? 0) + pixels;
    }
  }
  const cells: ConfusedPixels[] = [];
  for (const [cell, pixels] of sums.entries()) {
    if (pixels > 0) cells.push([Math.floor(cell / side), cell % side, pixels]);
  }
  return cells;
}
