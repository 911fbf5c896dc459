// Where the tiles of an image lie, from the setting `preprocessing.tile` and the size of the image.

import type { VersionSettings } from './version-settings.ts';

type Tile = NonNullable<VersionSettings['preprocessing']['tile']>;

interface Size {
  readonly width: number;
  readonly height: number;
}

/** In pixels. The tile in row 2, column 3 begins at `3 * step.width`, `2 * step.height`. */
export interface TileGrid {
  readonly rows: number;
  readonly columns: number;
  /** A side of 0: the image is too small for its rows or columns. */
  readonly size: Size;
  readonly step: Size;
}

export function tileGrid(tile: Tile, image: Size): TileGrid {
  const size = tileSize(tile, image);
  if (!('mode' in tile)) return { rows: tile.rows, columns: tile.columns, size, step: size };
  const step = {
    width: stepOf(size.width, tile.overlap),
    height: stepOf(size.height, tile.overlap),
  };
  return {
    rows: countOf(image.height, size.height, step.height),
    columns: countOf(image.width, size.width, step.width),
    size,
    step,
  };
}

function tileSize(tile: Tile, { width, height }: Size): Size {
  if (!('mode' in tile)) {
    return { width: Math.floor(width / tile.columns), height: Math.floor(height / tile.rows) };
  }
  if (tile.mode === 'fixed_size') return { width: tile.tileWidth, height: tile.tileHeight };
  const { aspectRatio, span } = tile;
  const side = (pixels: number) => Math.max(1, Math.round(pixels));
  return span === 'width'
    ? { width, height: side(width / aspectRatio) }
    : { width: side(height * aspectRatio), height };
}

/** Neighbours share `overlap` percent of a tile. */
function stepOf(side: number, overlap: number): number {
  return Math.max(1, Math.round(side * (1 - overlap / 100)));
}

/** So many that the last tile reaches the end. */
function countOf(whole: number, side: number, step: number): number {
  return whole <= side ? 1 : Math.ceil((whole - side) / step) + 1;
}
