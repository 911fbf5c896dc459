// What belongs to a box that was found: the outline of its object, or its keypoints.

import { type Corners, type Letterbox, type Size, toImage } from '../imaging/letterbox-resize.ts';
import { limits } from '../limits.ts';
import { type DecodedBox, extrasOf, isScore } from './decode-output.ts';
import { type BoxLayout, wrongNumbers } from './model-layout.ts';
import type { Tensor } from './onnx-session.ts';
import { simplifyOutline } from './simplify-outline.ts';
import { type CellValue, type TracedOutline, traceOutline, twiceArea } from './trace-outline.ts';

/** Numbers in pixels of the image as stored. */
export interface BoxShape {
  /** x and y of three corners or more; undefined: it gives none, or none so fine as the box. */
  readonly outline?: Float64Array;
  /** Its mask has holes or other pieces of some size, which the outline leaves out. */
  readonly isCut?: boolean;
  /** x, y and how sure it is, 0 to 1, of each keypoint; NaN: it does not say. */
  readonly keypoints?: Float64Array;
}

/** A box around its centre, in pixels of the image as stored. */
export interface FoundBox extends BoxShape {
  readonly classIndex: number;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly confidence: number;
}

/** Undefined: the model gave the box a mask without pixels. */
export type ShapeOfBox = (box: DecodedBox) => BoxShape | undefined;

/** `boxes`: how many boxes of the image will ask. */
export function shapeReader(
  outputs: readonly Tensor[],
  layout: BoxLayout,
  letterbox: Letterbox,
  boxes: number,
): ShapeOfBox {
  if (layout.keypoints !== undefined) return keypointReader(outputs, layout, letterbox);
  if (layout.task !== 'segmentation') return () => ({});
  const gridOf = layout.form === 'separate' ? wholeMasks(outputs) : prototypes(outputs, layout);
  return outlineReader(gridOf, letterbox, boxes);
}

/** Of what each box has a grid of its own for; `boxes` as above. */
export function outlineReader<Box extends Corners>(
  gridOf: (box: Box) => Grid,
  letterbox: Letterbox,
  boxes: number,
): (box: Box) => BoxShape | undefined {
  const each = Math.floor(limits.imageCornersMax / Math.max(1, boxes));
  const cornersMax = Math.min(limits.outlineCornersMax, each);
  return (box) => {
    const grid = gridOf(box);
    const { ring: outline, leftOut } = outlineOf(grid, box, letterbox.canvas);
    if (outline.length < 6) return undefined;
    const within = mapPoints(outline, 2, letterbox);
    // A quarter of a cell is less than any model knows.
    const cell = letterbox.image.width / letterbox.scaled.width / cellsInPixel(grid, letterbox);
    const simple = simplifyOutline(within, cell / 4, cornersMax);
    // Cells larger than the object say nothing of its shape.
    if (simple.length < 6 || twiceArea(simple) === 0) return {};
    return { outline: simple, ...(leftOut > leftOutMax && { isCut: true }) };
  };
}

/** Less is noise at the edge of a mask: a twentieth of the outline. */
const leftOutMax = 0.05;

export interface Grid {
  readonly size: Size;
  /** Above 0 where the object is. */
  readonly valueAt: (x: number, y: number) => number;
}

function cellsInPixel({ size }: Grid, { canvas }: Letterbox): number {
  return size.width / canvas.width;
}

/** In pixels of the canvas, within the box. */
function outlineOf({ size, valueAt }: Grid, box: Corners, canvas: Size): TracedOutline {
  const [across, down] = [canvas.width / size.width, canvas.height / size.height];
  const first = (edge: number, step: number) => Math.max(0, Math.floor(edge / step) - 1);
  const [x0, y0] = [first(box.left, across), first(box.top, down)];
  const x1 = Math.min(size.width, Math.ceil(box.right / across) + 1);
  const y1 = Math.min(size.height, Math.ceil(box.bottom / down) + 1);
  if (x1 <= x0 || y1 <= y0) return { ring: new Float64Array(0), leftOut: 0 };
  const cell: CellValue = (x, y) => {
    const value = valueAt(x + x0, y + y0);
    if (!Number.isFinite(value)) throw noNumbers('masks');
    return value;
  };
  const { ring, leftOut } = traceOutline(cell, { width: x1 - x0, height: y1 - y0 });
  const within = (value: number, least: number, most: number) =>
    Math.min(most, Math.max(least, value));
  const inBox = ring.map((value, at) =>
    at % 2 === 0
      ? within((value + x0) * across, box.left, box.right)
      : within((value + y0) * down, box.top, box.bottom),
  );
  return { ring: inBox, leftOut };
}

/** Of YOLO: a mask is a sum of a few pictures, which all boxes have in common. */
function prototypes([first, second]: readonly Tensor[], layout: BoxLayout) {
  const [, count = 0, height = 0, width = 0] = second?.dims ?? [];
  const cells = width * height;
  const values = second?.values ?? new Float32Array(0);
  if (first === undefined || count !== layout.extras || values.length !== count * cells) {
    throw wrongNumbers('masks of another shape than before', 'Export it with fixed sizes.');
  }
  return ({ place }: DecodedBox): Grid => {
    const weights = extrasOf(first, layout, place);
    if (weights.some((weight) => !Number.isFinite(weight))) throw noNumbers('weights of a mask');
    const valueAt = (x: number, y: number) => {
      let sum = 0;
      for (let at = 0, cell = y * width + x; at < count; at++, cell += cells) {
        sum += (weights[at] ?? 0) * (values[cell] ?? 0);
      }
      return sum;
    };
    return { size: { width, height }, valueAt };
  };
}

/** Of torchvision: each box has a picture of the whole canvas, of shares from 0 to 1. */
function wholeMasks([, , , masks]: readonly Tensor[]) {
  const [count = 0, , height = 0, width = 0] = masks?.dims ?? [];
  const cells = width * height;
  const values = masks?.values ?? new Float32Array(0);
  return ({ place }: DecodedBox): Grid => {
    if (place >= count) throw wrongNumbers('more boxes than masks', 'Export it anew.');
    const valueAt = (x: number, y: number) => (values[place * cells + y * width + x] ?? 0) - 0.5;
    return { size: { width, height }, valueAt };
  };
}

function keypointReader(
  outputs: readonly Tensor[],
  layout: BoxLayout,
  letterbox: Letterbox,
): ShapeOfBox {
  const { count = 0, numbers = 2 } = layout.keypoints ?? {};
  const [boxes, , , separate] = outputs;
  return ({ place }) => {
    const own = separate?.values.subarray(place * count * 3, (place + 1) * count * 3);
    const read = own ?? (boxes && extrasOf(boxes, layout, place));
    if (read?.length !== count * numbers) throw noNumbers('keypoints');
    const triples = new Float64Array(count * 3);
    for (let at = 0; at < count; at++) {
      const from = at * numbers;
      // What torchvision calls visible is always 1, and no share.
      const isSure = numbers === 3 && separate === undefined;
      triples.set([read[from] ?? 0, read[from + 1] ?? 0], at * 3);
      triples[at * 3 + 2] = isSure ? checkedShare(read[from + 2]) : Number.NaN;
    }
    const keypoints = mapPoints(triples, 3, letterbox);
    const isPlace = (value: number, at: number) => at % 3 === 2 || Number.isFinite(value);
    if (!keypoints.every(isPlace)) throw noNumbers('keypoints');
    for (let at = 0; at < triples.length; at += 3) {
      if (isFarBeside(triples[at] ?? 0, triples[at + 1] ?? 0, letterbox)) keypoints[at + 2] = 0;
    }
    return { keypoints };
  };
}

/** A point of the canvas that is moved far to lie in the image: no model saw it there. */
function isFarBeside(x: number, y: number, { scaled, left, top }: Letterbox): boolean {
  const beyond = (share: number) => Math.max(-share, share - 1) > limits.keypointBeyondShareMax;
  return beyond((x - left) / scaled.width) || beyond((y - top) / scaled.height);
}

function checkedShare(share = Number.NaN): number {
  if (isScore(share)) return Math.min(1, Math.max(0, share));
  throw wrongNumbers(
    'keypoints whose visibility is not from 0 to 1',
    'They may be raw numbers (logits): export it with its sigmoid.',
  );
}

export function noNumbers(what: string) {
  return wrongNumbers(`${what} that are no numbers`, 'Run it elsewhere on the same image.');
}

/** From the canvas to the image; `step`: numbers of a point, x and y first. */
function mapPoints(points: Float64Array, step: number, letterbox: Letterbox): Float64Array {
  const mapped = Float64Array.from(points);
  for (let at = 0; at + 1 < points.length; at += step) {
    const [x, y] = [points[at] ?? 0, points[at + 1] ?? 0];
    const { left, top } = toImage(letterbox, { left: x, top: y, right: x, bottom: y });
    mapped.set([left, top], at);
  }
  return mapped;
}
