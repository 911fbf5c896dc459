// Boxes as files give them, and what is odd about them. Nothing is dropped, moved or clipped here:
// decisions/degenerate-boxes.md.

import type { Box, Point } from '../../pictures/box.ts';
import type { AnnotatedImage, AnnotationWarning, Parsed } from './annotation.ts';
import { refusal } from './reading.ts';

export interface Edges {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** Extras of a box; what is undefined is left out. */
export interface Shape {
  readonly points?: readonly Point[] | undefined;
  readonly keypoints?: Box['keypoints'] | undefined;
}

/** A box from its upper left corner and its size, in pixels. */
export function boxFromCorner(
  label: string,
  left: number,
  top: number,
  width: number,
  height: number,
  shape: Shape = {},
): Box {
  return boxFromCentre(label, left + width / 2, top + height / 2, width, height, shape);
}

/** A box from its centre and its size, in pixels. */
export function boxFromCentre(
  label: string,
  x: number,
  y: number,
  width: number,
  height: number,
  { points, keypoints }: Shape = {},
): Box {
  return {
    label,
    x,
    y,
    width,
    height,
    ...(points !== undefined && { points }),
    ...(keypoints !== undefined && { keypoints }),
  };
}

/** The smallest box around an outline. */
export function boxAround(label: string, points: readonly Point[], shape: Shape = {}): Box {
  const edges = edgesAround(points);
  return boxFromCorner(
    label,
    edges.left,
    edges.top,
    edges.right - edges.left,
    edges.bottom - edges.top,
    { ...shape, points },
  );
}

export function edgesAround(points: readonly Point[]): Edges {
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const [x, y] of points) {
    left = Math.min(left, x);
    top = Math.min(top, y);
    right = Math.max(right, x);
    bottom = Math.max(bottom, y);
  }
  return { left, top, right, bottom };
}

/** Area within an outline, in square pixels. */
export function areaOf(points: readonly Point[]): number {
  let twice = 0;
  for (const [index, [x, y]] of points.entries()) {
    const [nextX, nextY] = points[(index + 1) % points.length] ?? [x, y];
    twice += x * nextY - nextX * y;
  }
  return Math.abs(twice) / 2;
}

export function edgesOf({ x, y, width, height }: Box): Edges {
  return {
    left: x - width / 2,
    top: y - height / 2,
    right: x + width / 2,
    bottom: y + height / 2,
  };
}

/** Without the noise of floating point: a millionth of a pixel is enough. */
export function tidy(pixels: number): number {
  return Math.round(pixels * 1e6) / 1e6 + 0;
}

/** Numbers x, y, x, y, … as points. Throws when one is left over. */
export function pointsFrom(numbers: readonly number[], place: string): readonly Point[] {
  if (numbers.length % 2 !== 0) {
    throw refusal(place, `must be pairs of x and y, but has ${numbers.length} numbers`);
  }
  const points: Point[] = [];
  for (let at = 0; at < numbers.length; at += 2)
    points.push([numbers[at] ?? 0, numbers[at + 1] ?? 0]);
  return points;
}

/** A shape that the platform cannot keep as it is; the box stays. */
export function shapeLeftOut(box: Box, place: number, what: string): AnnotationWarning {
  return warn('shape_left_out', box, place, what);
}

/** The result of a file with boxes, with a warning for everything that is odd about them. */
export function parsedBoxes(
  boxes: readonly Box[],
  image: AnnotatedImage,
  stated: { readonly width: number; readonly height: number } | undefined,
  others: readonly AnnotationWarning[] = [],
): Parsed {
  const found = boxes.flatMap((box, index) => boxWarnings(box, index + 1, image));
  const warnings = [...sizeWarnings(image, stated), ...others, ...found];
  return { annotation: { kind: 'detection', boxes }, warnings };
}

function sizeWarnings(
  { width, height }: AnnotatedImage,
  stated: { readonly width: number; readonly height: number } | undefined,
): readonly AnnotationWarning[] {
  // Tools that do not know the size write 0.
  if (stated === undefined || stated.width === 0 || stated.height === 0) return [];
  if (stated.width === width && stated.height === height) return [];
  const message =
    `the file was made for ${stated.width} x ${stated.height} pixels, ` +
    `the image has ${width} x ${height}; the coordinates were kept as they are`;
  return [{ problem: 'size_differs', message }];
}

function boxWarnings(box: Box, place: number, image: AnnotatedImage): AnnotationWarning[] {
  const warnings: AnnotationWarning[] = [];
  const zero = [box.width === 0 && 'width', box.height === 0 && 'height'].filter(Boolean);
  if (zero.length > 0) {
    const where = `at ${shown(box.x)}, ${shown(box.y)}`;
    const message = `zero ${zero.join(' and ')} ${where}; kept as labelled`;
    warnings.push(warn('zero_size', box, place, message));
  }
  const { left, top, right, bottom } = edgesOf(box);
  const over = [
    { edge: 'left', by: -left },
    { edge: 'upper', by: -top },
    { edge: 'right', by: right - image.width },
    { edge: 'lower', by: bottom - image.height },
  ].filter(({ by }) => by > tolerance);
  if (over.length === 0) return warnings;
  const size = `${image.width} x ${image.height}`;
  if (left > image.width || top > image.height || right < 0 || bottom < 0) {
    const message = `outside of the image of ${size} pixels; kept as labelled`;
    return [...warnings, warn('outside_image', box, place, message)];
  }
  const edges = over.map(({ edge, by }) => `${edge} edge by ${shown(by)}`).join(' and the ');
  const message = `reaches over the ${edges} of ${size} pixels; kept as labelled`;
  return [...warnings, warn('over_edge', box, place, message)];
}

// Normalised coordinates with six digits miss an edge by so much on the largest images.
const tolerance = 0.05;

function warn(
  problem: AnnotationWarning['problem'],
  { label }: Box,
  box: number,
  message: string,
): AnnotationWarning {
  return { problem, box, label, message: `${label} box ${box}: ${message}` };
}

function shown(pixels: number): number {
  return Math.round(pixels * 100) / 100;
}
