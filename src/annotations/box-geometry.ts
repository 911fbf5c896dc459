// Geometry of boxes and outlines, in pixels of the image.

import type { Box, Point } from '../imaging/box.ts';

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

/** Intersection over union: 0 (apart) to 1 (the same). */
export function overlapOf(one: Edges, other: Edges): number {
  const width = Math.min(one.right, other.right) - Math.max(one.left, other.left);
  const height = Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top);
  if (width <= 0 || height <= 0) return 0;
  const both = width * height;
  return both / (areaWithin(one) + areaWithin(other) - both);
}

function areaWithin({ left, top, right, bottom }: Edges): number {
  return (right - left) * (bottom - top);
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

interface Scalable {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly points?: readonly Point[] | undefined;
  readonly keypoints?: readonly { readonly x: number; readonly y: number }[] | undefined;
}

/** A box, with its outline and keypoints, in an image that is scaled. */
export function scaledBy<One extends Scalable>(one: One, scale: number): One {
  const { x, y, width, height, points, keypoints } = one;
  return {
    ...one,
    x: x * scale,
    y: y * scale,
    width: width * scale,
    height: height * scale,
    ...(points && { points: points.map(([left, top]) => [left * scale, top * scale] as const) }),
    ...(keypoints && {
      keypoints: keypoints.map((point) => ({ ...point, x: point.x * scale, y: point.y * scale })),
    }),
  };
}

type Placed = Pick<Box, 'x' | 'y' | 'width' | 'height'>;

export function edgesOf({ x, y, width, height }: Placed): Edges {
  return {
    left: x - width / 2,
    top: y - height / 2,
    right: x + width / 2,
    bottom: y + height / 2,
  };
}

/** From the upper left one on. */
export function cornersOf(box: Placed): readonly Point[] {
  const { left, top, right, bottom } = edgesOf(box);
  return [
    [left, top],
    [right, top],
    [right, bottom],
    [left, bottom],
  ];
}

/** Without the noise of floating point: a millionth of a pixel is enough. */
export function tidy(pixels: number): number {
  return Math.round(pixels * 1e6) / 1e6 + 0;
}
