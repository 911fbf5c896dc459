// Outlines in pixels of their picture: what a pointer meets, and what becomes of their points. Every
// point that is set here is a whole pixel inside of its picture.

/** @import { Box, Outline, Point, Size } from '../boxes.ts' */

export const outlinePointsMin = 3;

/** @param {{ readonly points?: Outline }} box */
export function hasOutline({ points = [] }) {
  return points.length >= outlinePointsMin;
}

/** The box with this outline, which it holds. @param {Box} box @param {Outline} points @returns {Box} */
export function outlined(box, points) {
  const [left, right] = extent(points.map(([x]) => x));
  const [top, bottom] = extent(points.map(([, y]) => y));
  const width = Math.max(1, right - left);
  return { ...box, left, top, width, height: Math.max(1, bottom - top), points };
}

/** The corners of a box, as an outline. @param {Box} box @returns {Outline} */
export function cornersOf({ left, top, width, height }) {
  const [right, bottom] = [left + width, top + height];
  return [
    [left, top],
    [right, top],
    [right, bottom],
    [left, bottom],
  ];
}

/** @param {Box} box @param {number} index of the point @param {Point} to @param {Size} size */
export function withPointAt(box, index, to, size) {
  return outlined(box, (box.points ?? []).with(index, pixelAt(to, size)));
}

/** A new point behind the one with that index. @param {Box} box @param {number} after @param {Point} at @param {Size} size */
export function withNewPoint(box, after, at, size) {
  return outlined(box, (box.points ?? []).toSpliced(after + 1, 0, pixelAt(at, size)));
}

/** Undefined: the outline would have too few points. @param {Box} box @param {number} index */
export function withoutPoint(box, index) {
  const { points = [] } = box;
  if (points.length <= outlinePointsMin) return undefined;
  return outlined(box, points.toSpliced(index, 1));
}

/** The middle between a point and the next one. @param {Outline} points @param {number} index @returns {Point} */
export function middleAfter(points, index) {
  const [from, to] = [points[index] ?? [0, 0], points[(index + 1) % points.length] ?? [0, 0]];
  return { x: (from[0] + to[0]) / 2, y: (from[1] + to[1]) / 2 };
}

/** @param {Point} point @param {Size} size @returns {readonly [number, number]} */
export function pixelAt({ x, y }, { width, height }) {
  return [
    Math.max(0, Math.min(Math.round(x), width)),
    Math.max(0, Math.min(Math.round(y), height)),
  ];
}

/**
 * The point that is nearest to another one, if it is near enough.
 * @param {Outline} points
 * @param {Point} at
 * @param {number} reach in pixels of the picture
 */
export function outlinePointAt(points, at, reach) {
  return nearest(
    points.map(([x, y]) => Math.hypot(x - at.x, y - at.y)),
    reach,
  );
}

/** The edge that is nearest, by the point at which it begins. @param {Outline} points @param {Point} at @param {number} reach */
export function edgeAt(points, at, reach) {
  return nearest(
    points.map((from, index) => distanceTo(from, points[(index + 1) % points.length] ?? from, at)),
    reach,
  );
}

/** By the even-odd rule, as it is filled. @param {Outline} points @param {Point} at */
export function isInOutline(points, { x, y }) {
  let isInside = false;
  let [fromX, fromY] = points.at(-1) ?? [0, 0];
  for (const [toX, toY] of points) {
    const crosses = fromY > y !== toY > y;
    if (crosses && x < fromX + ((toX - fromX) * (y - fromY)) / (toY - fromY)) isInside = !isInside;
    [fromX, fromY] = [toX, toY];
  }
  return isInside;
}

/** @param {readonly number[]} distances @param {number} reach */
function nearest(distances, reach) {
  const least = Math.min(...distances);
  return least <= reach ? distances.indexOf(least) : undefined;
}

/** From a point to a line between two others. @param {readonly [number, number]} from @param {readonly [number, number]} to @param {Point} at */
function distanceTo([fromX, fromY], [toX, toY], { x, y }) {
  const [right, down] = [toX - fromX, toY - fromY];
  const length = right ** 2 + down ** 2 || 1;
  const share = Math.max(0, Math.min(1, ((x - fromX) * right + (y - fromY) * down) / length));
  return Math.hypot(fromX + share * right - x, fromY + share * down - y);
}

/** The least and the largest. @param {readonly number[]} values @returns {[number, number]} */
function extent(values) {
  let [least, most] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const value of values) [least, most] = [Math.min(least, value), Math.max(most, value)];
  return [least, most];
}
