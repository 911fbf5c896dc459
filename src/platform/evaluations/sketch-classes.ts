// The pieces of a class map as outlines, coarse enough to be kept and drawn for each image.

import { boxAround, edgesAround, tidy } from '../../annotations/box-geometry.ts';
import type { ClassMap } from '../../evaluation/pixels/confused-pixels.ts';
import { limits } from '../../limits.ts';
import { connectedPieces, type Piece } from '../../model-inference/connected-pieces.ts';
import { simplifyOutline } from '../../model-inference/simplify-outline.ts';
import { traceOutline } from '../../model-inference/trace-outline.ts';
import type { Size } from './class-map.ts';

/** As `inference_draw` takes it. */
interface DrawnPiece {
  readonly label: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly points: readonly (readonly [x: number, y: number])[];
}

/** The largest pieces first; those without a cell of the coarse grid are left out. */
export function sketchClasses(
  map: ClassMap,
  size: Size,
  classes: readonly string[],
): readonly DrawnPiece[] {
  const grid = coarse(map, size);
  const numbers = new Uint32Array(grid.values.length);
  return connectedPieces(grid.values, grid, numbers)
    .toSorted((one, other) => other.cells.length - one.cells.length)
    .slice(0, limits.drawnPiecesMax)
    .flatMap((piece) => {
      const points = outlineOf(piece, grid, numbers);
      if (points.length < 3) return [];
      const label = classes[piece.value - 1] ?? '';
      const { x, y, width, height } = boxAround(label, points);
      const box = { x: tidy(x), y: tidy(y), width: tidy(width), height: tidy(height) };
      return [{ label, ...box, points }];
    });
}

interface Grid extends Size {
  readonly values: Uint8Array;
  /** Pixels of a cell, each way. */
  readonly across: number;
  readonly down: number;
}

function coarse(map: ClassMap, size: Size): Grid {
  const side = limits.drawnPiecesGridSide;
  const [width, height] = [Math.min(side, size.width), Math.min(side, size.height)];
  const [across, down] = [size.width / width, size.height / height];
  const values = new Uint8Array(width * height);
  for (let y = 0; y < height; y++) {
    const row = Math.floor((y + 0.5) * down) * size.width;
    for (let x = 0; x < width; x++) {
      values[y * width + x] = map[row + Math.floor((x + 0.5) * across)] ?? 0;
    }
  }
  return { values, width, height, across, down };
}

function outlineOf({ cells, number }: Piece, grid: Grid, numbers: Uint32Array) {
  const { width, across, down } = grid;
  const places = cells.map((cell) => [cell % width, Math.floor(cell / width)] as const);
  const { left, top, right, bottom } = edgesAround(places);
  const valueAt = (x: number, y: number) =>
    numbers[(y + top) * width + x + left] === number ? 1 : -1;
  const size = { width: right - left + 1, height: bottom - top + 1 };
  const { ring } = traceOutline(valueAt, size);
  const simple = simplifyOutline(ring, 0.5, limits.drawnPieceCornersMax);
  return Array.from({ length: simple.length / 2 }, (_, at) => {
    const [x, y] = [(simple[2 * at] ?? 0) + left, (simple[2 * at + 1] ?? 0) + top];
    return [tidy(x * across), tidy(y * down)] as const;
  });
}
