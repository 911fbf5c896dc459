// Where objects are between two frames, of which each is in both: on a straight line.

import { fitted } from './box-geometry.js';
import { hasOutline, outlined } from './outline-geometry.js';

/** @import { Box, Keypoint, Outline } from '../boxes.ts' */

/**
 * @param {readonly Box[]} before
 * @param {readonly Box[]} after
 * @param {number} share 0 to 1: how far the frame is on the way from the one to the other
 * @returns {readonly Box[]} in whole pixels, in the order of `before`
 */
export function boxesBetween(before, after, share) {
  return waysBetween(before, after)(share);
}

/**
 * The same for any number of frames. Objects of a class are the same where their middles are nearest
 * to each other; those that have no counterpart are left out.
 * @param {readonly Box[]} before
 * @param {readonly Box[]} after
 * @returns {(share: number) => readonly Box[]}
 */
export function waysBetween(before, after) {
  const pairs = before.flatMap((one) =>
    after
      .filter((other) => other.class === one.class)
      .map((other) => ({ one, other, distance: distanceOf(one, other) })),
  );
  pairs.sort((some, others) => some.distance - others.distance);
  /** @type {Map<Box, Box>} */
  const found = new Map();
  const taken = new Set();
  for (const { one, other } of pairs) {
    if (found.has(one) || taken.has(other)) continue;
    found.set(one, other);
    taken.add(other);
  }
  const ways = before.flatMap((one) => {
    const other = found.get(one);
    if (other === undefined) return [];
    const outline = alignedOutline(one.points ?? [], other.points ?? []);
    return [(/** @type {number} */ share) => between(one, other, outline, share)];
  });
  return (share) => ways.map((way) => way(share));
}

/** @param {Box} one @param {Box} other @param {Outline | undefined} outline of the other, aligned @param {number} share @returns {Box} */
function between(one, other, outline, share) {
  const on = (/** @type {number} */ from, /** @type {number} */ to) =>
    Math.round(from + (to - from) * share);
  const nearer = share < 0.5 ? one : other;
  if (outline !== undefined) return outlined(nearer, outlineBetween(one.points ?? [], outline, on));
  const [left, top] = [on(one.left, other.left), on(one.top, other.top)];
  const box = fitted(nearer, {
    left,
    top,
    width: Math.max(1, on(one.left + one.width, other.left + other.width) - left),
    height: Math.max(1, on(one.top + one.height, other.top + other.height) - top),
  });
  const keypoints = keypointsBetween(one.keypoints ?? [], other.keypoints ?? [], nearer, on);
  return keypoints === undefined ? box : { ...box, keypoints };
}

/** @typedef {(from: number, to: number) => number} On */

/**
 * Undefined: they have not as many points, or very many; then that of the nearer frame goes along
 * with its box.
 * @param {Outline} one @param {Outline} other
 */
function alignedOutline(one, other) {
  if (!hasOutline({ points: one }) || one.length !== other.length) return undefined;
  return one.length > alignedPointsMax ? undefined : aligned(one, other);
}

/** @param {Outline} one @param {Outline} to @param {On} on @returns {Outline} */
function outlineBetween(one, to, on) {
  return one.map(([x, y], index) => {
    const [toX, toY] = to[index] ?? [x, y];
    return [on(x, toX), on(y, toY)];
  });
}

/** Each place of each direction is tried: less than a millisecond. */
const alignedPointsMax = 200;

/**
 * The points of `other` in the order of those of `one`: people begin at any corner, and go either
 * way round. Compared as if both had one middle; where several orders are as near, as they are.
 * @param {Outline} one @param {Outline} other @returns {Outline}
 */
function aligned(one, other) {
  const [[middleX, middleY], [otherX, otherY]] = [middleOf(one), middleOf(other)];
  const [moveX, moveY] = [middleX - otherX, middleY - otherY];
  const distance = (/** @type {Outline} */ points, /** @type {number} */ start) =>
    one.reduce((sum, [x, y], index) => {
      const [toX, toY] = points[(index + start) % points.length] ?? [x, y];
      return sum + (toX + moveX - x) ** 2 + (toY + moveY - y) ** 2;
    }, 0);
  let best = { points: other, start: 0, distance: distance(other, 0) };
  for (const points of [other, other.toReversed()]) {
    for (const start of points.keys()) {
      const found = distance(points, start);
      // Beyond the noise of fractions.
      if (found < best.distance * 0.999 - 1e-6) best = { points, start, distance: found };
    }
  }
  return [...best.points.slice(best.start), ...best.points.slice(0, best.start)];
}

/** Of the corners. @param {Outline} points @returns {readonly [number, number]} */
function middleOf(points) {
  const [x, y] = points.reduce(([sumX, sumY], [x, y]) => [sumX + x, sumY + y], [0, 0]);
  return [x / points.length, y / points.length];
}

/**
 * Undefined: they have not the same keypoints.
 * @param {readonly Keypoint[]} one @param {readonly Keypoint[]} other @param {Box} nearer @param {On} on
 */
function keypointsBetween(one, other, nearer, on) {
  const isSame = one.every(({ label, visibility }, index) => {
    const to = other[index];
    return label === to?.label && (visibility === 0) === (to.visibility === 0);
  });
  if (one.length === 0 || one.length !== other.length || !isSame) return undefined;
  return (nearer.keypoints ?? []).map((point, index) => {
    const [from, to] = [one[index] ?? point, other[index] ?? point];
    return point.visibility === 0 ? point : { ...point, x: on(from.x, to.x), y: on(from.y, to.y) };
  });
}

/** Between their middles. @param {Box} one @param {Box} other */
function distanceOf(one, other) {
  const x = one.left + one.width / 2 - other.left - other.width / 2;
  return Math.hypot(x, one.top + one.height / 2 - other.top - other.height / 2);
}
