// The class of each cell of what a model of semantic segmentation gives, where the image lies.

import type { Letterbox, Size } from '../imaging/letterbox-resize.ts';
import { type PixelLayout, wrongNumbers } from './model-layout.ts';
import type { Tensor } from './onnx-session.ts';
import { noNumbers } from './shapes-of-boxes.ts';

export interface PixelCells {
  /** From the cells to the image; its canvas has a pixel for each cell. */
  readonly letterbox: Letterbox;
  /** The number of the class with the best score, row by row from the top. */
  readonly classes: Uint8Array;
  /** How sure the model is of it, 0 to 1; of a class map 1. */
  readonly shares: Float32Array;
  /** By how much it is ahead of the next class; of a class map 1. */
  readonly margins: Float32Array;
  /** The score of any class at a cell; undefined for a class map. */
  readonly scoreAt: ((classIndex: number, cell: number) => number) | undefined;
}

/** Throws `upstream_failed` for numbers that mean no class. */
export function readCells(
  { values, dims }: Tensor,
  { isClassMap }: PixelLayout,
  classCount: number,
  letterbox: Letterbox,
): PixelCells {
  const [height = 0, width = 0] = dims.slice(-2);
  const planes = isClassMap ? 1 : classCount;
  if (values.length === 0 || values.length !== planes * height * width) {
    throw wrongNumbers('pixels of another shape than before', 'Export it with fixed sizes.');
  }
  const cut = cutToImage({ width, height }, letterbox);
  const cells = cut.letterbox.canvas.width * cut.letterbox.canvas.height;
  const places = Uint32Array.from({ length: cells }, (_, cell) => {
    const row = Math.floor(cell / cut.letterbox.canvas.width);
    return (cut.top + row) * width + cut.left + (cell % cut.letterbox.canvas.width);
  });
  if (isClassMap) return { letterbox: cut.letterbox, ...classesOfMap(values, places, classCount) };
  const scoreAt = (classIndex: number, cell: number) =>
    values[classIndex * height * width + (places[cell] ?? 0)] ?? Number.NaN;
  return { letterbox: cut.letterbox, ...bestClasses(scoreAt, cells, classCount), scoreAt };
}

/** Cells whose middles lie beside the image know nothing of it. */
function cutToImage({ width, height }: Size, { canvas, image, scaled, left, top }: Letterbox) {
  const across = cutLine(
    width,
    (left * width) / canvas.width,
    (scaled.width * width) / canvas.width,
  );
  const down = cutLine(
    height,
    (top * height) / canvas.height,
    (scaled.height * height) / canvas.height,
  );
  return {
    left: across.first,
    top: down.first,
    letterbox: {
      canvas: { width: across.count, height: down.count },
      image,
      scaled: { width: across.length, height: down.length },
      left: across.from,
      top: down.from,
    },
  };
}

/** `from`: where the image begins among its own cells, which may be beside the first. */
function cutLine(cells: number, begin: number, length: number) {
  const first = Math.min(cells - 1, Math.max(0, Math.ceil(begin - 0.5)));
  const last = Math.min(cells - 1, Math.max(first, Math.ceil(begin + length - 0.5) - 1));
  return { first, count: last - first + 1, from: begin - first, length };
}

function classesOfMap(values: Float32Array, places: Uint32Array, classCount: number) {
  const classes = Uint8Array.from(places, (place) => {
    const value = values[place] ?? -1;
    if (value >= 0 && value < classCount) return value;
    throw wrongNumbers(
      `the class number ${value} for a pixel, and its ${classCount} names have the numbers 0 to ${classCount - 1}`,
      'Name all of its classes, in their order, the background among them.',
    );
  });
  const ones = new Float32Array(classes.length).fill(1);
  return { classes, shares: ones, margins: ones, scoreAt: undefined };
}

function bestClasses(
  scoreAt: (classIndex: number, cell: number) => number,
  cells: number,
  classCount: number,
) {
  const classes = new Uint8Array(cells);
  const best = new Float32Array(cells).fill(Number.NEGATIVE_INFINITY);
  const second = new Float32Array(cells).fill(Number.NEGATIVE_INFINITY);
  const sums = new Float32Array(cells);
  let least = 0;
  for (let classIndex = 0; classIndex < classCount; classIndex++) {
    for (let cell = 0; cell < cells; cell++) {
      const score = scoreAt(classIndex, cell);
      if (!Number.isFinite(score)) throw noNumbers('scores of pixels');
      least = Math.min(least, score);
      sums[cell] = (sums[cell] ?? 0) + score;
      const before = best[cell] ?? 0;
      if (score > before) [best[cell], classes[cell]] = [score, classIndex];
      second[cell] = Math.max(second[cell] ?? 0, Math.min(score, before));
    }
  }
  // After a softmax they are shares already; nothing else sums up to 1 at every cell.
  const areShares = least >= 0 && sums.every((sum) => Math.abs(sum - 1) < shareTolerance);
  const shares = areShares ? best : softmaxOf(best, scoreAt, classCount);
  return { classes, shares, margins: best.map((most, cell) => most - (second[cell] ?? 0)) };
}

/** What floating point adds to a sum of 1, also in half precision. */
const shareTolerance = 0.01;

/** The share of the best class at each cell. */
function softmaxOf(
  best: Float32Array,
  scoreAt: (classIndex: number, cell: number) => number,
  classCount: number,
): Float32Array {
  return best.map((most, cell) => {
    let sum = 0;
    for (let other = 0; other < classCount; other++) sum += Math.exp(scoreAt(other, cell) - most);
    return 1 / sum;
  });
}
