// Boxes as the cells of the grid say them, and which cell is to say which box.

import type { Candidate } from '../../annotations/non-maximum-suppression.ts';
import type { Corners } from '../../imaging/letterbox-resize.ts';
import { gridSide, stride } from './features.ts';

/** Four numbers for the box, then one for each class. */
export const boxNumbers = 4;

/** A box of this size is said by zeros; in pixels of the canvas. */
export const usualSize = 48;

/** Sizes are said by powers of e; more than this either way is never meant. */
export const powerMax = 3;

export interface LabelledBox extends Corners {
  readonly classIndex: number;
}

/** What a cell is to say: where the box is, in numbers of the network. */
export interface Target {
  readonly classIndex: number;
  readonly numbers: readonly number[];
}

/**
 * For each cell the smallest of the boxes in whose middle it lies. A box has the cell of its centre
 * at least, unless a smaller one has it.
 */
export function targetsOf(boxes: readonly LabelledBox[]): ReadonlyMap<number, Target> {
  const largestFirst = boxes.toSorted((one, other) => areaOf(other) - areaOf(one));
  const targets = new Map<number, Target>();
  for (const box of largestFirst) {
    for (const cell of middleCells(box)) targets.set(cell, targetFor(box, cell));
  }
  return targets;
}

/** Its middle is so large a part of a box, each way from the centre. */
const middleShare = 0.18;

function middleCells(box: Corners): readonly number[] {
  const [x, y] = centreOf(box);
  const across = Math.max(stride / 2, (box.right - box.left) * middleShare);
  const down = Math.max(stride / 2, (box.bottom - box.top) * middleShare);
  const columns = cellsIn(x, across);
  return cellsIn(y, down).flatMap((row) => columns.map((column) => row * gridSide + column));
}

/** Rows or columns whose middle is so close. */
function cellsIn(centre: number, distance: number): readonly number[] {
  const all = Array.from({ length: gridSide }, (_, cell) => cell);
  const near = all.filter((cell) => Math.abs((cell + 0.5) * stride - centre) < distance);
  if (near.length > 0) return near;
  return [Math.min(gridSide - 1, Math.max(0, Math.floor(centre / stride)))];
}

function targetFor(box: LabelledBox, cell: number): Target {
  const [x, y] = centreOf(box);
  const [row, column] = [Math.floor(cell / gridSide), cell % gridSide];
  const power = (size: number) =>
    Math.min(powerMax, Math.max(-powerMax, Math.log(Math.max(1, size) / usualSize)));
  return {
    classIndex: box.classIndex,
    numbers: [
      x / stride - column - 0.5,
      y / stride - row - 0.5,
      power(box.right - box.left),
      power(box.bottom - box.top),
    ],
  };
}

/** What the outputs of a cell say, for the class of the best score. */
export function candidateOf(output: Float32Array, row: number, column: number): Candidate {
  const [across = 0, down = 0, widthPower = 0, heightPower = 0] = output;
  const size = (power: number) =>
    (usualSize / 2) * Math.exp(Math.min(powerMax, Math.max(-powerMax, power)));
  const [x, y] = [(column + 0.5 + across) * stride, (row + 0.5 + down) * stride];
  const [halfWidth, halfHeight] = [size(widthPower), size(heightPower)];
  const scores = output.subarray(boxNumbers);
  const classIndex = scores.reduce(
    (best, score, index) => (score > (scores[best] ?? 0) ? index : best),
    0,
  );
  return {
    left: x - halfWidth,
    right: x + halfWidth,
    top: y - halfHeight,
    bottom: y + halfHeight,
    classIndex,
    score: sigmoid(scores[classIndex] ?? 0),
  };
}

export function sigmoid(value: number): number {
  return 1 / (1 + Math.exp(-value));
}

/** A box in a picture that is mirrored. */
export function mirrored(
  box: LabelledBox,
  { across, down }: { readonly across: boolean; readonly down: boolean },
): LabelledBox {
  const side = gridSide * stride;
  const { left, right, top, bottom } = box;
  return {
    ...box,
    ...(across && { left: side - right, right: side - left }),
    ...(down && { top: side - bottom, bottom: side - top }),
  };
}

function centreOf({ left, top, right, bottom }: Corners): readonly [number, number] {
  return [(left + right) / 2, (top + bottom) / 2];
}

function areaOf({ left, top, right, bottom }: Corners): number {
  return (right - left) * (bottom - top);
}
