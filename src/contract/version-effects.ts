// What the strengths of version settings amount to: the area of cutouts, the size of tiles, and
// what tiles leave of boxes. Dry run, preview and result say it in these words.

import type { VersionSettings } from './version-settings.ts';
import { type TileGrid, tileGrid } from './version-tile-grid.ts';

/** An image that was looked at; x and y are the centre of a box, all in pixels. */
export interface SampledImage {
  readonly width: number;
  readonly height: number;
  readonly boxes: readonly SampledBox[];
}

interface SampledBox {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export interface VersionEffects {
  readonly effects: readonly string[];
  readonly warnings: readonly string[];
}

/** Whether the effects depend on the images of the project. */
export function dependsOnImages({ preprocessing }: VersionSettings): boolean {
  return preprocessing.tile !== undefined && !preprocessing.isolate;
}

/** `images`: some of the project, as they are stored; empty: none is known. */
export function versionEffects(
  settings: VersionSettings,
  images: readonly SampledImage[],
): VersionEffects {
  const tiles = tileEffects(settings, images);
  return {
    effects: [...cutoutEffects(settings), ...cropEffects(settings), ...tiles.effects],
    warnings: tiles.warnings,
  };
}

function cutoutEffects({ augmentation: { cutout } }: VersionSettings): readonly string[] {
  if (!cutout || cutout.count === 0 || cutout.percent === 0) return [];
  const { count, percent } = cutout;
  const each = percent ** 2 / 100;
  return [
    `augmentation.cutout: each of the ${count} black pieces has ${percent} percent of the width and of ` +
      `the height, which is ${shown(each)} percent of the area; together at most ` +
      `${shown(Math.min(100, each * count))} percent of a copy`,
  ];
}

function cropEffects({ preprocessing }: VersionSettings): readonly string[] {
  const crop = preprocessing['static-crop'];
  if (!crop) return [];
  const [width, height] = [crop.x_max - crop.x_min, crop.y_max - crop.y_min];
  return [
    `preprocessing.static-crop: keeps ${shown(width)} percent of the width and ${shown(height)} ` +
      `of the height, which is ${shown((width * height) / 100)} percent of the area`,
  ];
}

/** A part of a box that is narrower shows a model nothing of an object. */
const sliverPixels = 4;

function tileEffects(
  { preprocessing }: VersionSettings,
  images: readonly SampledImage[],
): VersionEffects {
  const { tile, isolate } = preprocessing;
  if (!tile || isolate) return { effects: [], warnings: [] };
  const crop = preprocessing['static-crop'];
  const found = images.slice(0, imagesMax).flatMap((stored) => {
    const image = crop ? cropped(stored, crop) : stored;
    const grid = tileGrid(tile, image);
    return grid.rows * grid.columns > tilesMax ? [] : [{ image, grid }];
  });
  if (found.length === 0) return { effects: [], warnings: [] };
  const boxes = found
    .flatMap(({ image, grid }) => image.boxes.map((box) => ({ box, image, grid })))
    .slice(0, boxesMax)
    .map(({ box, image, grid }) => cutBox(box, image, grid));
  const sum = (member: 'parts' | 'slivers') => boxes.reduce((total, box) => total + box[member], 0);
  const [slivers, parts] = [sum('slivers'), sum('parts')];
  const smallest = boxes
    .flatMap((box) => box.smallest ?? [])
    .reduce<Part | undefined>((least, part) => smaller(least, part), undefined);
  const sizes = found.map(({ grid: { size } }) => `${size.width} x ${size.height}`);
  const looked = `of ${found.length} ${found.length === 1 ? 'image' : 'images'} looked at`;
  const least = smallest && `${shown(smallest.width)} x ${shown(smallest.height)} pixels`;
  return {
    effects: [
      `preprocessing.tile: tiles of ${range(sizes)} pixels` +
        (least === undefined ? '' : `; the smallest box in a tile has ${least}`) +
        ` (${looked}, before resize)`,
    ],
    warnings:
      slivers === 0
        ? []
        : [
            `preprocessing.tile leaves slivers: ${slivers} of ${parts} boxes in tiles are cut to ` +
              `less than ${sliverPixels} pixels, the smallest has ${least} (${looked}); larger ` +
              'tiles cut fewer',
          ],
  };
}

/** More tell nothing more. */
const imagesMax = 250;
const boxesMax = 20_000;
/** Generation makes no more of an image. */
const tilesMax = 10_000;

interface Part {
  readonly width: number;
  readonly height: number;
}

interface CutBox {
  /** Tiles that show some of the box. */
  readonly parts: number;
  readonly slivers: number;
  readonly smallest: Part | undefined;
}

function cutBox(
  box: SampledBox,
  image: SampledImage,
  { rows, columns, size, step }: TileGrid,
): CutBox {
  const across = piecesOf(box.x - box.width / 2, box.x + box.width / 2, image.width, {
    count: columns,
    step: step.width,
    side: size.width,
  });
  const down = piecesOf(box.y - box.height / 2, box.y + box.height / 2, image.height, {
    count: rows,
    step: step.height,
    side: size.height,
  });
  const narrow = (x: readonly Piece[], y: readonly Piece[]) =>
    x.length * y.length - x.filter(isBroad).length * y.filter(isBroad).length;
  const isWhole = ({ isCut }: Piece) => !isCut;
  const [width, height] = [shortest(across), shortest(down)];
  return {
    parts: across.length * down.length,
    slivers: narrow(across, down) - narrow(across.filter(isWhole), down.filter(isWhole)),
    smallest: width === undefined || height === undefined ? undefined : { width, height },
  };
}

interface Line {
  readonly count: number;
  readonly step: number;
  readonly side: number;
}

interface Piece {
  readonly length: number;
  readonly isCut: boolean;
}

/** What the tiles of one direction show of a stretch. */
function piecesOf(start: number, end: number, whole: number, { count, step, side }: Line) {
  const [from, to] = [Math.max(0, start), Math.min(whole, end)];
  const first = Math.max(0, Math.floor((from - side) / step));
  const last = Math.min(count - 1, Math.floor(to / step));
  const all = Array.from({ length: Math.max(0, last - first + 1) }, (_, index): Piece => {
    const left = (first + index) * step;
    const length = Math.min(to, left + side) - Math.max(from, left);
    return { length, isCut: length < to - from };
  });
  return all.filter(({ length }) => length > 0);
}

function isBroad({ length }: Piece): boolean {
  return length >= sliverPixels;
}

function shortest(pieces: readonly Piece[]): number | undefined {
  return pieces.length === 0 ? undefined : Math.min(...pieces.map(({ length }) => length));
}

function smaller(one: Part | undefined, other: Part): Part {
  const side = ({ width, height }: Part) => Math.min(width, height);
  return one && side(one) <= side(other) ? one : other;
}

interface Crop {
  readonly x_min: number;
  readonly x_max: number;
  readonly y_min: number;
  readonly y_max: number;
}

function cropped({ width, height, boxes }: SampledImage, crop: Crop): SampledImage {
  const [left, right] = [(width * crop.x_min) / 100, (width * crop.x_max) / 100].map(Math.floor);
  const [top, bottom] = [(height * crop.y_min) / 100, (height * crop.y_max) / 100].map(Math.floor);
  return {
    width: Math.max(1, (right ?? 0) - (left ?? 0)),
    height: Math.max(1, (bottom ?? 0) - (top ?? 0)),
    boxes: boxes.map((box) => ({ ...box, x: box.x - (left ?? 0), y: box.y - (top ?? 0) })),
  };
}

function range(sides: readonly string[]): string {
  const different = [...new Set(sides)];
  return different.length <= 2 ? different.join(' or ') : `${different[0]} and other`;
}

function shown(value: number): string {
  return String(Math.round(value * 100) / 100);
}
