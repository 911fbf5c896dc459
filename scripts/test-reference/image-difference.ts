// How far two pictures are from each other.

import type { RawImage } from '../../src/imaging/raw-image.ts';

export interface Difference {
  /** Levels of 0 to 255. */
  readonly most: number;
  readonly mean: number;
  /** The share of pixels with a value that is further off than the tolerance. */
  readonly shareBeyond: number;
}

/** Throws where they do not have the same size. */
export function compareImages(ours: RawImage, theirs: RawImage, tolerance: number): Difference {
  if (ours.width !== theirs.width || ours.height !== theirs.height) {
    throw new Error(`${sizeOf(ours)} instead of ${sizeOf(theirs)} pixels`);
  }
  let [most, sum, beyond] = [0, 0, 0];
  for (let at = 0; at < ours.data.length; at += 3) {
    let worst = 0;
    for (let channel = at; channel < at + 3; channel++) {
      const difference = Math.abs((ours.data[channel] ?? 0) - (theirs.data[channel] ?? 0));
      sum += difference;
      worst = Math.max(worst, difference);
    }
    most = Math.max(most, worst);
    if (worst > tolerance) beyond += 1;
  }
  const count = ours.data.length;
  return { most, mean: sum / count, shareBeyond: (beyond * 3) / count };
}

function sizeOf({ width, height }: RawImage): string {
  return `${width} x ${height}`;
}
