// Contrast limited adaptive histogram equalisation (Zuiderveld), laid out as OpenCV does it.

import type { Size } from './transform-boxes.ts';

const tilesAcross = 8;
/** 0.03 of the pixels of a tile may share a value, in multiples of an even spread. */
const clipLimit = 0.03 * 256;

/** The new luma of each pixel. */
export function equalizeTiles(luma: Uint8Array, size: Size): Uint8Array {
  const { width, height } = tileOf(size);
  const tables: Uint8Array[] = [];
  for (let row = 0; row < tilesAcross; row++) {
    for (let column = 0; column < tilesAcross; column++) {
      const region = { left: column * width, top: row * height, width, height };
      tables.push(tileTable(luma, size, region));
    }
  }
  return blendTables(luma, size, { width, height }, tables);
}

/** A side that does not divide makes both longer, by a whole row of tiles where one divides. */
function tileOf({ width, height }: Size): Size {
  const isEven = width % tilesAcross === 0 && height % tilesAcross === 0;
  const side = (pixels: number) => Math.floor(pixels / tilesAcross) + (isEven ? 0 : 1);
  return { width: side(width), height: side(height) };
}

interface Region extends Size {
  readonly left: number;
  readonly top: number;
}

function tileTable(luma: Uint8Array, size: Size, region: Region): Uint8Array {
  const { left, top, width, height } = region;
  const counts = new Uint32Array(256);
  for (let y = top; y < top + height; y++) {
    const row = mirrored(y, size.height) * size.width;
    for (let x = left; x < left + width; x++) {
      const value = luma[row + mirrored(x, size.width)] ?? 0;
      counts[value] = (counts[value] ?? 0) + 1;
    }
  }
  const area = width * height;
  clip(counts, Math.max(1, Math.floor((clipLimit * area) / 256)));
  let sum = 0;
  return Uint8Array.from(counts, (count) => {
    sum += count;
    return Math.min(255, Math.round((sum * 255) / area));
  });
}

/** What is above the limit is spread over all values. */
function clip(counts: Uint32Array, limit: number): void {
  let excess = 0;
  for (const [value, count] of counts.entries()) {
    if (count <= limit) continue;
    excess += count - limit;
    counts[value] = limit;
  }
  const each = Math.floor(excess / 256);
  const rest = excess - each * 256;
  for (const [value, count] of counts.entries()) counts[value] = count + each;
  const step = Math.max(1, Math.floor(256 / Math.max(rest, 1)));
  for (let value = 0, left = rest; value < 256 && left > 0; value += step, left--) {
    counts[value] = (counts[value] ?? 0) + 1;
  }
}

/** Between the centres of four tiles, their tables count by distance. */
function blendTables(
  luma: Uint8Array,
  { width, height }: Size,
  tile: Size,
  tables: readonly Uint8Array[],
): Uint8Array {
  const result = new Uint8ClampedArray(luma.length);
  const columns = Array.from({ length: width }, (_, x) => neighbours(x, tile.width));
  for (let y = 0; y < height; y++) {
    const rows = neighbours(y, tile.height);
    for (let x = 0; x < width; x++) {
      const [left, right, share] = columns[x] ?? [0, 0, 0];
      const value = luma[y * width + x] ?? 0;
      const at = (row: number, column: number) => tables[row * tilesAcross + column]?.[value] ?? 0;
      const upper = at(rows[0], left) * (1 - share) + at(rows[0], right) * share;
      const lower = at(rows[1], left) * (1 - share) + at(rows[1], right) * share;
      result[y * width + x] = upper * (1 - rows[2]) + lower * rows[2];
    }
  }
  return new Uint8Array(result.buffer);
}

/** The tiles before and after a pixel, and how much the second one counts. */
function neighbours(
  place: number,
  side: number,
): readonly [before: number, after: number, share: number] {
  const exact = place / side - 0.5;
  const before = Math.floor(exact);
  const within = (tile: number) => Math.min(Math.max(tile, 0), tilesAcross - 1);
  return [within(before), within(before + 1), exact - before];
}

/** A place beyond the last pixel, mirrored at it. */
function mirrored(place: number, count: number): number {
  if (place < count) return place;
  return Math.max(0, 2 * count - 2 - place);
}
