// How images of equal rank stand on a contact sheet.

import type { SheetCell } from '../../imaging/contact-sheet.ts';

/** The longer side of each image by their number: more images are smaller. */
export function sheetSide(cells: number): number {
  if (cells === 1) return 640;
  return cells === 2 ? 480 : 320;
}

/** A smaller image is enlarged by at most this factor. */
export const enlargementMax = 4;

/** Three in a row. */
export function sheetRows(cells: readonly SheetCell[]): readonly (readonly SheetCell[])[] {
  const count = Math.ceil(cells.length / columns);
  return Array.from({ length: count }, (_, row) => cells.slice(row * columns, (row + 1) * columns));
}

const columns = 3;
