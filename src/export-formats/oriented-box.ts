// The smallest rectangle around an outline, turned whichever way it is smallest.

import type { Point } from '../imaging/box.ts';

/**
 * Its four corners in the order of a turning clock hand (y goes down), from the one that is nearest
 * to the upper left. One side of it lies on a side of the convex hull, so each of those is tried.
 */
export function smallestRectangle(points: readonly Point[]): readonly Point[] {
  const hull = convexHull(points);
  let best: Rectangle | undefined;
  for (const [index, from] of hull.entries()) {
    const found = rectangleAlong(from, hull[(index + 1) % hull.length] ?? from, hull);
    // What is smaller by rounding alone must not decide.
    if (best === undefined || found.area < best.area * (1 - 1e-9)) best = found;
  }
  return fromUpperLeft(best?.corners ?? []);
}

interface Rectangle {
  readonly area: number;
  readonly corners: readonly Point[];
}

function rectangleAlong(from: Point, to: Point, hull: readonly Point[]): Rectangle {
  const length = Math.hypot(to[0] - from[0], to[1] - from[1]);
  const [alongX, alongY] = length === 0 ? [1, 0] : directionOf(from, to, length);
  let [near, far, first, last] = [Infinity, -Infinity, Infinity, -Infinity];
  for (const [x, y] of hull) {
    const along = x * alongX + y * alongY;
    const across = y * alongX - x * alongY;
    near = Math.min(near, along);
    far = Math.max(far, along);
    first = Math.min(first, across);
    last = Math.max(last, across);
  }
  const corner = (along: number, across: number): Point => [
    along * alongX - across * alongY,
    along * alongY + across * alongX,
  ];
  return {
    area: (far - near) * (last - first),
    corners: [corner(near, first), corner(far, first), corner(far, last), corner(near, last)],
  };
}

function directionOf(from: Point, to: Point, length: number): Point {
  return [(to[0] - from[0]) / length, (to[1] - from[1]) / length];
}

/** Corners of the convex hull, by Andrew's monotone chain. */
function convexHull(points: readonly Point[]): readonly Point[] {
  const sorted = points.toSorted(([ax, ay], [bx, by]) => ax - bx || ay - by);
  const distinct = sorted.filter(
    ([x, y], at) => x !== sorted[at - 1]?.[0] || y !== sorted[at - 1]?.[1],
  );
  if (distinct.length < 3) return distinct;
  return [...chain(distinct), ...chain(distinct.toReversed())];
}

function chain(points: readonly Point[]): readonly Point[] {
  const kept: Point[] = [];
  for (const point of points) {
    while (kept.length >= 2 && !turnsLeft(kept.at(-2), kept.at(-1), point)) kept.pop();
    kept.push(point);
  }
  return kept.slice(0, -1);
}

function turnsLeft(a: Point = [0, 0], b: Point = [0, 0], c: Point): boolean {
  return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]) > 0;
}

function fromUpperLeft(corners: readonly Point[]): readonly Point[] {
  const sums = corners.map(([x, y]) => x + y);
  const least = Math.min(...sums);
  // Of two that are as near but for rounding, the upper one.
  const near = corners.flatMap((_, at) => ((sums[at] ?? 0) <= least + 1e-6 ? [at] : []));
  const start = near.reduce(
    (a, b) => ((corners[b]?.[1] ?? 0) < (corners[a]?.[1] ?? 0) ? b : a),
    near[0] ?? 0,
  );
  return [...corners.slice(start), ...corners.slice(0, start)];
}
