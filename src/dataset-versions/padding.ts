// Fits an image into a frame of another size: crops it, or pads it with a colour or reflection.

import { type FoveaError, invalidArgument } from '../errors.ts';
import type { Box } from '../imaging/box.ts';
import { limits } from '../limits.ts';
import type { Colour, Kernel, Pixels } from './kernel/operations.ts';
import type { LabelledImage } from './labelled-image.ts';
import { type Turn, turnKey, turns } from './orientation.ts';
import {
  compose,
  identity,
  type Matrix,
  type Size,
  sameSize,
  transformBoxes,
  translation,
  turning,
} from './transform-boxes.ts';

/** How the frame is filled beyond the image. */
export type Edges = 'black' | 'white' | 'grey' | 'reflect';

export interface Frame {
  /** Where the upper left corner of the image lies in the frame; whole pixels, often negative. */
  readonly left: number;
  readonly top: number;
  /** Of the frame. */
  readonly size: Size;
  readonly edges: Edges;
  /** The least share of a box that has to stay visible; as transformBoxes where it is left out. */
  readonly shareMin?: number;
}

const colours: Readonly<Record<Exclude<Edges, 'reflect'>, Colour>> = {
  black: [0, 0, 0],
  white: [255, 255, 255],
  grey: [114, 114, 114],
};

/** Reflected images take their boxes along. Throws `invalid_input` where there are too many. */
export function cropOrPad(kernel: Kernel, image: LabelledImage, frame: Frame): LabelledImage {
  const { pixels } = image;
  return {
    pixels: framePixels(kernel, pixels, frame),
    boxes: frameBoxes(image.boxes, pixels, frame),
  };
}

function framePixels(kernel: Kernel, pixels: Pixels, frame: Frame): Pixels {
  const { left, top, size, edges } = frame;
  if (isWhole(frame, pixels)) return pixels;
  const isInside =
    left <= 0 &&
    top <= 0 &&
    left + pixels.width >= size.width &&
    top + pixels.height >= size.height;
  if (isInside) return kernel.crop(pixels, { left: -left, top: -top, ...size });
  if (edges !== 'reflect') {
    const framed = kernel.blank(size, colours[edges]);
    kernel.paste(framed, pixels, left, top);
    return framed;
  }
  const framed = kernel.blank(size, colours.black);
  const turned = new Map<string, Pixels>();
  for (const copy of reflections(pixels, frame)) {
    const key = turnKey(copy.turn);
    const mirrored = turned.get(key) ?? kernel.turn(pixels, copy.turn);
    turned.set(key, mirrored);
    kernel.paste(framed, mirrored, copy.left, copy.top);
  }
  return framed;
}

/** Whether an image of that size fills the frame as it is. */
export function isWhole({ left, top, size }: Frame, image: Size): boolean {
  return left === 0 && top === 0 && sameSize(size, image);
}

/** The boxes of an image of that size, in the frame. */
export function frameBoxes(boxes: readonly Box[], size: Size, frame: Frame): readonly Box[] {
  const copies =
    frame.edges === 'reflect'
      ? reflections(size, frame, boxes.length)
      : [{ turn: turns.none, left: frame.left, top: frame.top }];
  return copies.flatMap((copy) =>
    transformBoxes(boxes, matrixOf(copy, size), frame.size, frame.shareMin),
  );
}

interface Copy {
  readonly turn: Turn;
  readonly left: number;
  readonly top: number;
}

function matrixOf({ turn, left, top }: Copy, size: Size): Matrix {
  const turned = turn === turns.none ? identity : turning(turn, size);
  return compose(turned, translation(left, top));
}

/** The image itself, first, and its mirror images side by side until the frame is full. */
function reflections(image: Size, { left, top, size }: Frame, boxes = 0): readonly Copy[] {
  const copies: Copy[] = [];
  const count = placesIn(left, image.width, size.width) * placesIn(top, image.height, size.height);
  if (count * Math.max(1, boxes) > limits.reflectionsMax) throw tooMany(image, boxes, count);
  const rows = places(top, image.height, size.height);
  const columns = places(left, image.width, size.width);
  for (const row of rows) {
    for (const column of columns) {
      const turn = mirror(column.isMirrored, row.isMirrored);
      copies.push({ turn, left: column.start, top: row.start });
    }
  }
  return copies;
}

interface Place {
  readonly start: number;
  readonly isMirrored: boolean;
}

function places(start: number, length: number, whole: number): readonly Place[] {
  const found: Place[] = [{ start, isMirrored: false }];
  for (let step = 1; start - (step - 1) * length > 0; step++) {
    found.push({ start: start - step * length, isMirrored: step % 2 === 1 });
  }
  for (let step = 1; start + step * length < whole; step++) {
    found.push({ start: start + step * length, isMirrored: step % 2 === 1 });
  }
  return found;
}

/** How many `places` gives. */
function placesIn(start: number, length: number, whole: number): number {
  const after = Math.ceil((whole - start) / length) - 1;
  return 1 + Math.max(0, Math.ceil(start / length)) + Math.max(0, after);
}

function tooMany({ width, height }: Size, boxes: number, count: number): FoveaError {
  const what = `an image of ${width} x ${height} with ${boxes} boxes`;
  const message = `reflecting edges (resize.format, tile.padding) would show ${what} ${count} times`;
  return invalidArgument('preprocessing', message, 'Black, white and grey edges have no limit.');
}

function mirror(horizontal: boolean, vertical: boolean): Turn {
  if (horizontal && vertical) return turns['upside-down'];
  if (horizontal) return turns.horizontal;
  return vertical ? turns.vertical : turns.none;
}
