// Affine transforms of points, boxes, outlines and keypoints, clipped at the image's edge.
// Coordinates are edges between pixels: 0 is the left edge of the first pixel, the width is the
// right edge of the last.

import {
  areaOf,
  boxAround,
  boxFromCorner,
  type Edges,
  edgesAround,
  tidy,
} from '../annotations/box-geometry.ts';
import type { Box, Keypoint, Point } from '../imaging/box.ts';
import type { Turn } from './orientation.ts';

/** Pixels. */
export interface Size {
  readonly width: number;
  readonly height: number;
}

/** x' = a x + c y + e and y' = b x + d y + f. */
export type Matrix = readonly [a: number, b: number, c: number, d: number, e: number, f: number];

export const identity: Matrix = [1, 0, 0, 1, 0, 0];

export function translation(x: number, y: number): Matrix {
  return [1, 0, 0, 1, x, y];
}

export function scaling(x: number, y: number): Matrix {
  return [x, 0, 0, y, 0, 0];
}

/** The same change, but with that point where it was. */
export function around([x, y]: Point, matrix: Matrix): Matrix {
  return compose(compose(translation(-x, -y), matrix), translation(x, y));
}

export function sameSize(a: Size, b: Size): boolean {
  return a.width === b.width && a.height === b.height;
}

/** Mirrors and turns an image of that size; its upper left corner is at 0, 0 again. */
export function turning({ mirrored, quarters }: Turn, { width, height }: Size): Matrix {
  const mirror: Matrix = mirrored ? [-1, 0, 0, 1, width, 0] : identity;
  const turns: readonly Matrix[] = [
    identity,
    [0, 1, -1, 0, height, 0],
    [-1, 0, 0, -1, width, height],
    [0, -1, 1, 0, 0, width],
  ];
  return compose(mirror, turns[quarters] ?? identity);
}

/** One after the other. */
export function compose(first: Matrix, second: Matrix): Matrix {
  const [a, b, c, d, e, f] = first;
  const [A, B, C, D, E, F] = second;
  return [
    A * a + C * b,
    B * a + D * b,
    A * c + C * d,
    B * c + D * d,
    A * e + C * f + E,
    B * e + D * f + F,
  ];
}

/** Of its area, as it was before the step, so much of a box has to stay visible. */
const visibleShareMin = 0.2;

/**
 * The boxes that are left in an image of that size, clipped at its edge. A box stays when at least
 * `shareMin` of its area is visible, and any of it at all; one without an area stays while its
 * centre is inside (decisions/box-survival.md).
 */
export function transformBoxes(
  boxes: readonly Box[],
  matrix: Matrix,
  size: Size,
  shareMin = visibleShareMin,
): readonly Box[] {
  return boxes.flatMap((box) => transformBox(box, matrix, size, shareMin) ?? []);
}

/** One that leaves the image stays at its edge, as not labelled. */
export function transformKeypoint(keypoint: Keypoint, matrix: Matrix, size: Size): Keypoint {
  const [x, y] = transformPoint(matrix, [keypoint.x, keypoint.y]);
  if (isOn(x, y, size)) return { ...keypoint, x, y };
  return { ...keypoint, ...clampPoint(x, y, size), visibility: 0 };
}

/** The edge of an image belongs to it. */
export function isOn(x: number, y: number, { width, height }: Size): boolean {
  return x >= 0 && x <= width && y >= 0 && y <= height;
}

function transformBox(box: Box, matrix: Matrix, size: Size, shareMin: number): Box | undefined {
  const edges = edgesAround(cornersOf(box).map((corner) => transformPoint(matrix, corner)));
  const keypoints = box.keypoints?.map((keypoint) => transformKeypoint(keypoint, matrix, size));
  const points = box.points?.map((point) => transformPoint(matrix, point));
  if (isInside(edges, size) && (!points || isInside(edgesAround(points), size))) {
    return boxOf(box.label, edges, { points, keypoints });
  }
  if (box.width === 0 || box.height === 0) {
    const [x, y] = transformPoint(matrix, [box.x, box.y]);
    return isOn(x, y, size) ? boxOf(box.label, clipEdges(edges, size), { keypoints }) : undefined;
  }
  if (points !== undefined && areaOf(points) > 0) {
    const visible = clipOutline(points, size);
    if (!isEnough(areaOf(visible), areaOf(points), shareMin)) return undefined;
    return boxAround(box.label, visible, { keypoints });
  }
  const visible = clipEdges(edges, size);
  if (!isEnough(extent(visible), extent(edges), shareMin)) return undefined;
  return boxOf(box.label, visible, { keypoints });
}

function isEnough(visible: number, whole: number, shareMin: number): boolean {
  return visible > 0 && visible >= shareMin * whole;
}

function transformPoint([a, b, c, d, e, f]: Matrix, [x, y]: Point): Point {
  return [tidy(a * x + c * y + e), tidy(b * x + d * y + f)];
}

function cornersOf({ x, y, width, height }: Box): readonly Point[] {
  const [left, right] = [x - width / 2, x + width / 2];
  const [top, bottom] = [y - height / 2, y + height / 2];
  return [
    [left, top],
    [right, top],
    [right, bottom],
    [left, bottom],
  ];
}

function boxOf(
  label: string,
  { left, top, right, bottom }: Edges,
  shape: Parameters<typeof boxFromCorner>[5],
): Box {
  return boxFromCorner(label, left, top, tidy(right - left), tidy(bottom - top), shape);
}

function isInside({ left, top, right, bottom }: Edges, { width, height }: Size): boolean {
  return left >= 0 && top >= 0 && right <= width && bottom <= height;
}

function clipEdges({ left, top, right, bottom }: Edges, { width, height }: Size): Edges {
  return {
    left: clamp(left, width),
    top: clamp(top, height),
    right: clamp(right, width),
    bottom: clamp(bottom, height),
  };
}

function extent({ left, top, right, bottom }: Edges): number {
  return (right - left) * (bottom - top);
}

/** The part of an outline within the image (Sutherland and Hodgman, one edge after the other). */
function clipOutline(points: readonly Point[], { width, height }: Size): readonly Point[] {
  const sides: readonly ((point: Point) => number)[] = [
    ([x]) => x,
    ([x]) => width - x,
    ([, y]) => y,
    ([, y]) => height - y,
  ];
  return sides.reduce(clipAtSide, points);
}

/** `inside` is the distance from the side, negative beyond it. */
function clipAtSide(points: readonly Point[], inside: (point: Point) => number): readonly Point[] {
  return points.flatMap((point, index) => {
    const before = points.at(index - 1) ?? point;
    const [from, to] = [inside(before), inside(point)];
    const kept = to >= 0 ? [point] : [];
    return from < 0 === to < 0 ? kept : [between(before, point, from / (from - to)), ...kept];
  });
}

function between([x1, y1]: Point, [x2, y2]: Point, share: number): Point {
  return [tidy(x1 + (x2 - x1) * share), tidy(y1 + (y2 - y1) * share)];
}

function clampPoint(x: number, y: number, { width, height }: Size): { x: number; y: number } {
  return { x: clamp(x, width), y: clamp(y, height) };
}

function clamp(value: number, most: number): number {
  return Math.min(Math.max(value, 0), most);
}
