// The pieces of classes of pixels as boxes with outlines: what labels can keep of them.

import { toImage } from '../imaging/letterbox-resize.ts';
import { limits } from '../limits.ts';
import { connectedPieces, type Piece } from './connected-pieces.ts';
import type { PixelCells } from './pixel-cells.ts';
import { type FoundBox, outlineReader } from './shapes-of-boxes.ts';

export interface FoundPieces {
  /** The largest first; how sure is the mean over its cells. */
  readonly boxes: readonly FoundBox[];
  readonly hasMore: boolean;
}

/** `leastScores`: of each class. */
export function classPieces(
  cells: PixelCells,
  background: number | undefined,
  leastScores: readonly number[],
): FoundPieces {
  const { letterbox, classes, shares } = cells;
  const { width } = letterbox.canvas;
  const numbers = new Uint32Array(classes.length);
  const values = classes.map((one) => (one === background ? 0 : one + 1));
  const sure = connectedPieces(values, { width }, numbers)
    .map((piece) => ({ ...framed(piece, width), confidence: meanOf(piece, shares) }))
    .filter(({ classIndex, confidence }) => confidence >= (leastScores[classIndex] ?? 1))
    .toSorted((one, other) => other.cells - one.cells);
  const kept = sure.slice(0, limits.modelBoxesMax);
  const gridOf = ({ classIndex, number }: Framed) => ({
    size: letterbox.canvas,
    valueAt: marginOf(cells, numbers, classIndex, number),
  });
  const shapeOf = outlineReader(gridOf, letterbox, kept.length);
  const boxes = kept.flatMap((piece) => {
    const shape = shapeOf(piece);
    const { left, top, right, bottom } = toImage(letterbox, piece);
    if (shape === undefined || right <= left || bottom <= top) return [];
    const middle = { x: (left + right) / 2, y: (top + bottom) / 2 };
    const { classIndex, confidence } = piece;
    const sides = { width: right - left, height: bottom - top };
    return [{ classIndex, ...middle, ...sides, confidence, ...shape }];
  });
  return { boxes, hasMore: sure.length > kept.length };
}

interface Framed {
  readonly classIndex: number;
  readonly number: number;
  /** How many it has. */
  readonly cells: number;
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

function framed({ value, number, cells }: Piece, width: number): Framed {
  let [left, top, right, bottom] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, 0, 0];
  for (const cell of cells) {
    const [x, y] = [cell % width, Math.floor(cell / width)];
    left = Math.min(left, x);
    top = Math.min(top, y);
    right = Math.max(right, x + 1);
    bottom = Math.max(bottom, y + 1);
  }
  return { classIndex: value - 1, number, cells: cells.length, left, top, right, bottom };
}

function meanOf({ cells }: Piece, shares: Float32Array): number {
  return cells.reduce((sum, cell) => sum + (shares[cell] ?? 0), 0) / cells.length;
}

/** By how much the class of a piece is ahead of others: it ends where they are level. */
function marginOf(
  { letterbox, classes, margins, scoreAt }: PixelCells,
  numbers: Uint32Array,
  classIndex: number,
  number: number,
) {
  const { width } = letterbox.canvas;
  return (x: number, y: number): number => {
    const cell = y * width + x;
    const margin = Math.max(Number.MIN_VALUE, margins[cell] ?? 0);
    if (numbers[cell] === number) return margin;
    const other = classes[cell] ?? 0;
    // Of another piece of the class, too.
    if (scoreAt === undefined || other === classIndex) return -margin;
    return scoreAt(classIndex, cell) - scoreAt(other, cell);
  };
}
