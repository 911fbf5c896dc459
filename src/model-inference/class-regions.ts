// The class of each pixel of an image, from the coarser cells of a model.

import { FoveaError } from '../errors.ts';
import { limits } from '../limits.ts';
import type { PixelCells } from './pixel-cells.ts';

/** All pixels of a class. */
export interface ClassRegion {
  readonly classIndex: number;
  /** As those of a mask: first pixel and the one behind the last, down the columns. */
  readonly runs: Uint32Array;
  readonly pixels: number;
}

/**
 * Scores are interpolated between the middles of cells, and the best one is the class: as the
 * field does it. Classes without a pixel, and the background, are left out.
 */
export function classRegions(
  cells: PixelCells,
  background: number | undefined,
  classCount: number,
): readonly ClassRegion[] {
  const { width, height } = cells.letterbox.image;
  const classAt = classFinder(cells, classCount);
  const runs = new Map<number, number[]>();
  let corners = 0;
  let [classIndex, from] = [-1, 0];
  const add = (until: number) => {
    if (classIndex < 0 || classIndex === background || until === from) return;
    corners += 2;
    if (corners > limits.evaluationCornersMax) throw tooMuchNoise();
    const own = runs.get(classIndex);
    if (own === undefined) runs.set(classIndex, [from, until]);
    else own.push(from, until);
  };
  for (let x = 0; x < width; x++) {
    for (let y = 0; y < height; y++) {
      const found = classAt(x, y);
      if (found === classIndex) continue;
      add(x * height + y);
      [classIndex, from] = [found, x * height + y];
    }
  }
  add(width * height);
  return [...runs]
    .toSorted(([one], [other]) => one - other)
    .map(([own, numbers]) => ({
      classIndex: own,
      runs: Uint32Array.from(numbers),
      pixels: numbers.reduce((sum, place, at) => sum + (at % 2 === 0 ? -place : place), 0),
    }));
}

function classFinder({ letterbox, classes, scoreAt }: PixelCells, classCount: number) {
  const { canvas, image, scaled, left, top } = letterbox;
  const columns = middlesAround(image.width, scaled.width, left, canvas.width);
  const rows = middlesAround(image.height, scaled.height, top, canvas.height);
  return (x: number, y: number): number => {
    const [column, row] = [columns.cells[x] ?? 0, rows.cells[y] ?? 0];
    const [across, down] = [columns.shares[x] ?? 0, rows.shares[y] ?? 0];
    const at = row * canvas.width + column;
    const right = across > 0 ? at + 1 : at;
    const below = down > 0 ? canvas.width : 0;
    const first = classes[at] ?? 0;
    // Where all four agree, so does whatever lies between them.
    if (
      classes[right] === first &&
      classes[at + below] === first &&
      classes[right + below] === first
    ) {
      return first;
    }
    if (scoreAt === undefined) {
      return classes[(across < 0.5 ? at : right) + (down < 0.5 ? 0 : below)] ?? 0;
    }
    let [best, most] = [first, Number.NEGATIVE_INFINITY];
    for (let one = 0; one < classCount; one++) {
      const upper = (1 - across) * scoreAt(one, at) + across * scoreAt(one, right);
      const lower = (1 - across) * scoreAt(one, at + below) + across * scoreAt(one, right + below);
      const score = (1 - down) * upper + down * lower;
      if (score > most) [best, most] = [one, score];
    }
    return best;
  };
}

/** Of each pixel the cell whose middle lies before its own, and its way to the next one, 0 to 1. */
function middlesAround(pixels: number, length: number, from: number, count: number) {
  const cells = new Uint32Array(pixels);
  const shares = new Float64Array(pixels);
  for (let pixel = 0; pixel < pixels; pixel++) {
    const place = from + ((pixel + 0.5) * length) / pixels - 0.5;
    const within = Math.min(count - 1, Math.max(0, place));
    cells[pixel] = Math.floor(within);
    shares[pixel] = within - Math.floor(within);
  }
  return { cells, shares };
}

function tooMuchNoise(): FoveaError {
  return new FoveaError('upstream_failed', 'The model gives pixels in too many small pieces.', {
    hint: 'It gives noise rather than classes: run it elsewhere on the same image.',
    retry: 'never',
  });
}
