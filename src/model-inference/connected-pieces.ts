// Which cells of a grid hang together.

import type { Size } from '../imaging/letterbox-resize.ts';

export interface Piece {
  readonly value: number;
  /** Their numbers, row by row from the top. */
  readonly cells: readonly number[];
  /** The number of the piece, at its cells. */
  readonly number: number;
}

/**
 * Cells of one value but 0 that share an edge; `numbers`, all 0 before, gets the number of its
 * piece for each cell.
 */
export function connectedPieces(
  values: Uint8Array,
  { width }: Pick<Size, 'width'>,
  numbers: Uint32Array,
): readonly Piece[] {
  const pieces: Piece[] = [];
  for (const [start, value] of values.entries()) {
    if (value === 0 || numbers[start] !== 0) continue;
    const number = pieces.length + 1;
    const cells: number[] = [];
    const take = (cell: number) => {
      if (values[cell] !== value || numbers[cell] !== 0) return;
      numbers[cell] = number;
      cells.push(cell);
    };
    take(start);
    for (let next = 0; next < cells.length; next++) {
      const cell = cells[next] ?? 0;
      const column = cell % width;
      if (column > 0) take(cell - 1);
      if (column < width - 1) take(cell + 1);
      take(cell - width);
      take(cell + width);
    }
    pieces.push({ value, cells, number });
  }
  return pieces;
}
