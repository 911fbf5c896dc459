// The class of each pixel of an image, painted from outlines and masks as exports paint them.

import { FoveaError } from '../../errors.ts';
import type { Mask } from '../../evaluation/masks/mask.ts';
import type { ClassMap } from '../../evaluation/pixels/confused-pixels.ts';
import { countCrossings, fillOutline } from '../../export-formats/polygon-fill.ts';
import type { Point } from '../../imaging/box.ts';
import { limits } from '../../limits.ts';

export interface Size {
  readonly width: number;
  readonly height: number;
}

/** An object in pixels of the image: an outline as x and y of each corner, or a mask. */
export interface Painted {
  readonly classIndex: number;
  readonly shape: ArrayLike<number> | Mask;
}

/**
 * Later objects lie above, as in the masks of an export. Throws `too_large` for an outline that
 * would take too long.
 */
export function paintClasses(objects: readonly Painted[], { width, height }: Size): ClassMap {
  const map = { data: new Uint8Array(width * height), width, height };
  for (const { classIndex, shape } of objects) {
    if ('runs' in shape) paintMask(map.data, shape, width, classIndex + 1);
    else {
      const points = pointsOf(shape);
      if (countCrossings(map, points) > limits.outlineCrossingsMax) throw tooTangled();
      fillOutline(map, points, classIndex + 1);
    }
  }
  return map.data;
}

/** Runs go down the columns, pixels along the rows. */
function paintMask(data: ClassMap, { runs, height }: Mask, width: number, value: number): void {
  for (let run = 0; run < runs.length; run += 2) {
    const from = runs[run] ?? 0;
    const until = runs[run + 1] ?? 0;
    let column = Math.floor(from / height);
    let row = from % height;
    for (let pixel = from; pixel < until; pixel++) {
      data[row * width + column] = value;
      row += 1;
      if (row < height) continue;
      [row, column] = [0, column + 1];
    }
  }
}

function pointsOf(numbers: ArrayLike<number>): readonly Point[] {
  return Array.from(
    { length: Math.floor(numbers.length / 2) },
    (_, at): Point => [numbers[2 * at] ?? 0, numbers[2 * at + 1] ?? 0],
  );
}

function tooTangled(): FoveaError {
  const hint = 'Simplify the outlines, or judge fewer images.';
  return new FoveaError('too_large', 'An outline has too many corners to be judged.', { hint });
}
