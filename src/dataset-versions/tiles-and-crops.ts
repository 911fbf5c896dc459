// Tiles, static crops and isolated boxes: the parts of an image that become images of their own.

import { edgesAround, edgesOf } from '../annotations/box-geometry.ts';
import type { VersionSettings } from '../contract/version-settings.ts';
import { tileGrid } from '../contract/version-tile-grid.ts';
import { invalidInput } from '../errors.ts';
import type { Box } from '../imaging/box.ts';
import { limits } from '../limits.ts';
import { type Edges, type Frame, frameBoxes } from './padding.ts';
import { pixelsOnTheWay } from './resize.ts';
import { identity, type Size, transformBoxes } from './transform-boxes.ts';

type Preprocessing = VersionSettings['preprocessing'];
type EdgePlaces = ReturnType<typeof edgesOf>;
type StaticCrop = NonNullable<Preprocessing['static-crop']>;
type Tile = NonNullable<Preprocessing['tile']>;

/** A part of an image, which may reach over its edges. */
export interface Piece {
  /** Other for each piece of an image, for example `tile-1-2`; empty: the whole. */
  readonly name: string;
  /** Cut out one after the other; empty: the whole image. */
  readonly frames: readonly Frame[];
  readonly size: Size;
  /** In pixels of the piece. */
  readonly boxes: readonly Box[];
}

/**
 * The pieces of an upright image of that size, in the order isolate, static-crop, tile: each works
 * on what the one before gives. Throws `invalid_input` when a tile has no pixel or too many, or
 * there are too many pieces or pixels.
 */
export function piecesOf(
  preprocessing: Preprocessing,
  size: Size,
  boxes: readonly Box[],
): readonly Piece[] {
  const { isolate, tile } = preprocessing;
  const staticCrop = preprocessing['static-crop'];
  const whole: Piece = { name: '', frames: [], size, boxes };
  const isolated = isolate ? isolatePieces(size, boxes) : [whole];
  const cropped = staticCrop ? isolated.map((piece) => cropPiece(piece, staticCrop)) : isolated;
  if (!tile && cropped.length > limits.piecesPerImageMax) throw tooMany(cropped.length, 'isolate');
  const pieces = tile ? tileAll(cropped, tile) : cropped;
  checkPixels(pieces, preprocessing);
  return pieces;
}

/** As they are cut out and as they are resized. */
function checkPixels(pieces: readonly Piece[], { tile, resize }: Preprocessing): void {
  const pixels = pieces.reduce((sum, { size }) => sum + pixelsOnTheWay(size, resize), 0);
  const most = limits.piecePixelsMax;
  if (pixels <= most) return;
  const message = `makes ${pieces.length} images of one, with ${pixels} pixels together; at most ${most} are made`;
  throw pieceError(tile ? 'tile' : 'isolate', message);
}

/** One for each box that has a pixel within the image. */
function isolatePieces(size: Size, boxes: readonly Box[]): readonly Piece[] {
  return boxes.flatMap((box, index) => {
    const edges = edgesOf(box);
    const left = Math.max(0, Math.floor(edges.left));
    const top = Math.max(0, Math.floor(edges.top));
    const width = Math.min(size.width, Math.ceil(edges.right)) - left;
    const height = Math.min(size.height, Math.ceil(edges.bottom)) - top;
    if (width < 1 || height < 1) return [];
    // Little of a box may lie within the image: it is what the piece shows all the same.
    const frame: Frame = {
      left: -left,
      top: -top,
      size: { width, height },
      edges: 'black',
      shareMin: 0,
    };
    return [cut({ name: '', frames: [], size, boxes: [box] }, `box-${index + 1}`, frame)];
  });
}

/** Whole pixels: percent of the side, rounded down, as the hosted platform cuts at inference. */
function cropPiece(piece: Piece, { x_min, x_max, y_min, y_max }: StaticCrop): Piece {
  const [left, width] = part(piece.size.width, x_min, x_max);
  const [top, height] = part(piece.size.height, y_min, y_max);
  return cut(piece, piece.name, {
    left: -left,
    top: -top,
    size: { width, height },
    edges: 'black',
  });
}

function part(side: number, least: number, most: number): readonly [start: number, count: number] {
  const start = Math.min(wholePixels(side, least), side - 1);
  return [start, Math.max(1, wholePixels(side, most) - start)];
}

/** Without the noise of floating point, by which 29 percent of 100 would be 28. */
function wholePixels(side: number, percent: number): number {
  return Math.floor(Number(((side * percent) / 100).toFixed(6)));
}

/** Counted as they come: all tiles of many boxes might not fit into memory. */
function tileAll(pieces: readonly Piece[], tile: Tile): readonly Piece[] {
  const tiled: Piece[] = [];
  for (const piece of pieces) {
    tiled.push(...tilePieces(piece, tile));
    if (tiled.length > limits.piecesPerImageMax) throw tooMany(tiled.length);
  }
  return tiled;
}

/** Any part of a box that lies in a tile stays: whole objects are cut on purpose. */
function tilePieces(piece: Piece, tile: Tile): readonly Piece[] {
  const grid = gridOf(tile, piece.size);
  const count = grid.lefts.length * grid.tops.length;
  if (count > limits.piecesPerImageMax) throw tooMany(count);
  const reaches = piece.boxes.map((box) => ({ box, reach: reachOf(box) }));
  return grid.tops.flatMap((top, row) =>
    grid.lefts.map((left, column) => {
      const name = joined(piece.name, `tile-${row + 1}-${column + 1}`);
      const { edges, size: tileSize } = grid;
      const frame: Frame = { left: -left, top: -top, size: tileSize, edges, shareMin: 0 };
      const isMirror = edges === 'reflect' && !isWithin(frame, piece.size);
      const near = reaches.filter(({ reach }) => isMirror || isNear(reach, frame));
      return cut({ ...piece, boxes: near.map(({ box }) => box) }, name, frame);
    }),
  );
}

/** All that is labelled; the outline may reach out of its box. */
function reachOf(box: Box): EdgePlaces {
  const { left, top, right, bottom } = edgesOf(box);
  return edgesAround([[left, top], [right, bottom], ...(box.points ?? [])]);
}

/** Many boxes times many tiles: most are sorted out before anything is computed of them. */
function isNear(reach: EdgePlaces, { left, top, size }: Frame): boolean {
  return (
    reach.right >= -left &&
    reach.left <= size.width - left &&
    reach.bottom >= -top &&
    reach.top <= size.height - top
  );
}

interface Grid {
  readonly lefts: readonly number[];
  readonly tops: readonly number[];
  readonly size: Size;
  readonly edges: Edges;
}

function gridOf(tile: Tile, image: Size): Grid {
  const { rows, columns, size, step } = tileGrid(tile, image);
  if (size.width < 1 || size.height < 1) {
    throw tileError(`makes tiles without a pixel of an image of ${image.width} x ${image.height}`);
  }
  const isPossible =
    Math.max(size.width, size.height) <= limits.imageSideMax &&
    size.width * size.height <= limits.imagePixelsMax;
  if (!isPossible) {
    throw tileError(
      `makes tiles of ${size.width} x ${size.height} pixels; smaller ones are possible`,
    );
  }
  for (const count of [columns, rows]) if (count > limits.piecesPerImageMax) throw tooMany(count);
  const places = (count: number, side: number) =>
    Array.from({ length: count }, (_, index) => index * side);
  return {
    lefts: places(columns, step.width),
    tops: places(rows, step.height),
    size,
    edges: 'mode' in tile ? tile.padding : 'black',
  };
}

function cut(piece: Piece, name: string, frame: Frame): Piece {
  const boxes = frameBoxes(piece.boxes, piece.size, frame);
  const last = piece.frames.at(-1);
  // A frame within the one before is one with it: nothing is cut out twice.
  if (last === undefined || !isWithin(frame, piece.size)) {
    return { name, frames: [...piece.frames, frame], size: frame.size, boxes };
  }
  const merged = { ...frame, left: last.left + frame.left, top: last.top + frame.top };
  return { name, frames: [...piece.frames.slice(0, -1), merged], size: frame.size, boxes };
}

function isWithin({ left, top, size }: Frame, image: Size): boolean {
  const fits = (start: number, side: number, whole: number) => start <= 0 && start + whole >= side;
  return fits(left, size.width, image.width) && fits(top, size.height, image.height);
}

/** Boxes clipped at the edge of their image, as every step that changes pixels leaves them. */
export function clipBoxes(boxes: readonly Box[], size: Size): readonly Box[] {
  return transformBoxes(boxes, identity, size);
}

function joined(...names: readonly string[]): string {
  return names.filter((name) => name !== '').join('-');
}

function tooMany(count: number, key: 'isolate' | 'tile' = 'tile') {
  const most = limits.piecesPerImageMax;
  return pieceError(key, `makes ${count} images of one; at most ${most} are made`);
}

function tileError(message: string) {
  return pieceError('tile', message);
}

function pieceError(key: 'isolate' | 'tile', message: string) {
  return invalidInput([{ path: `preprocessing.${key}`, message }]);
}
