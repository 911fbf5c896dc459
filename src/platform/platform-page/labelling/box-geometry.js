// Boxes in pixels of their picture: what a pointer meets, and what becomes of a box that it drags.
// Every box that is made here has whole pixels, is inside its picture, and has at least one pixel.

import { hasOutline, isInOutline } from './outline-geometry.js';

/** @import { Box, Outline, Point, Rectangle, Size } from '../boxes.ts' */

/**
 * Where a box can be taken to resize it, in shares of its width and height: corners and middles of
 * its sides.
 * @type {readonly (readonly [x: 0 | 0.5 | 1, y: 0 | 0.5 | 1])[]}
 */
const handles = [
  [0, 0],
  [0.5, 0],
  [1, 0],
  [1, 0.5],
  [1, 1],
  [0.5, 1],
  [0, 1],
  [0, 0.5],
];

/** @param {Rectangle} box @returns {Point[]} in the order of `handles` */
export function handlePoints({ left, top, width, height }) {
  return handles.map(([x, y]) => ({ x: left + x * width, y: top + y * height }));
}

/**
 * The handle that is nearest to a point, if one is near enough.
 * @param {Rectangle} box
 * @param {Point} point
 * @param {number} reach in pixels of the picture
 */
export function handleAt(box, point, reach) {
  const distances = handlePoints(box).map(({ x, y }) => Math.hypot(x - point.x, y - point.y));
  const nearest = Math.min(...distances);
  return nearest <= reach ? distances.indexOf(nearest) : undefined;
}

/**
 * The smallest box around a point, or the smallest outline: a large one is met beside those that lie
 * in it.
 * @param {readonly (Rectangle & { readonly points?: Outline })[]} boxes
 * @param {Point} point
 */
export function boxAt(boxes, point) {
  let found;
  let smallest = Number.POSITIVE_INFINITY;
  for (const [index, box] of boxes.entries()) {
    const area = box.width * box.height;
    if (!isInside(box, point) || area >= smallest) continue;
    if (hasOutline(box) && !isInOutline(box.points ?? [], point)) continue;
    found = index;
    smallest = area;
  }
  return found;
}

/** @param {Rectangle} box @param {Point} point */
function isInside({ left, top, width, height }, { x, y }) {
  return x >= left && x <= left + width && y >= top && y <= top + height;
}

/**
 * The box with these two corners, in any order.
 * @param {Point} one
 * @param {Point} other
 * @param {Size} size of the picture
 * @returns {Rectangle}
 */
export function boxBetween(one, other, size) {
  const [left, width] = span(one.x, other.x, size.width);
  const [top, height] = span(one.y, other.y, size.height);
  return { left, top, width, height };
}

/**
 * The box with one of its handles at another point; drawn beyond its other side, it turns over.
 * @param {Rectangle} box
 * @param {number} handle index in `handles`
 * @param {Point} point
 * @param {Size} size of the picture
 * @returns {Rectangle}
 */
export function resized(box, handle, { x, y }, size) {
  const [shareX, shareY] = handles[handle] ?? [1, 1];
  const [right, bottom] = [box.left + box.width, box.top + box.height];
  const from = { x: shareX === 0 ? x : box.left, y: shareY === 0 ? y : box.top };
  const to = { x: shareX === 1 ? x : right, y: shareY === 1 ? y : bottom };
  return boxBetween(from, to, size);
}

/**
 * @param {Rectangle} box
 * @param {number} right how far to move it, in pixels of the picture
 * @param {number} down
 * @param {Size} size of the picture
 * @returns {Rectangle}
 */
export function moved({ left, top, width, height }, right, down, size) {
  return {
    left: between(0, Math.round(left + right), size.width - width),
    top: between(0, Math.round(top + down), size.height - height),
    width,
    height,
  };
}

/** The lower right corner is moved, as far as there is room. @param {Rectangle} box @param {number} right @param {number} down @param {Size} size */
export function enlarged(box, right, down, size) {
  const corner = { x: box.left + box.width + right, y: box.top + box.height + down };
  return resized(box, lowerRight, corner, size);
}

/** Among the handles of a box. */
const lowerRight = 4;

/** A quarter as wide and as high. @param {Size} size of the picture @returns {Rectangle} */
export function boxInMiddle({ width, height }) {
  const [w, h] = [Math.ceil(width / 4), Math.ceil(height / 4)];
  return {
    left: Math.floor((width - w) / 2),
    top: Math.floor((height - h) / 2),
    width: w,
    height: h,
  };
}

/** The same in whole pixels. @param {Box} box @param {Size} size of the picture @returns {Box} */
export function inPixels({ class: name, left, top, width, height }, size) {
  const corner = { x: left + width, y: top + height };
  return { class: name, ...boxBetween({ x: left, y: top }, corner, size) };
}

/** Intersection over union. @param {Rectangle} one @param {Rectangle} other */
export function overlapOf(one, other) {
  const right = Math.min(one.left + one.width, other.left + other.width);
  const bottom = Math.min(one.top + one.height, other.top + other.height);
  const width = right - Math.max(one.left, other.left);
  const height = bottom - Math.max(one.top, other.top);
  if (width <= 0 || height <= 0) return 0;
  const shared = width * height;
  return shared / (one.width * one.height + other.width * other.height - shared);
}

/**
 * A box in another place or size: its outline and its keypoints go along.
 * @param {Box} box
 * @param {Rectangle} to
 * @returns {Box}
 */
export function fitted(box, to) {
  const x = (/** @type {number} */ from) =>
    to.left + ((from - box.left) / (box.width || 1)) * to.width;
  const y = (/** @type {number} */ from) =>
    to.top + ((from - box.top) / (box.height || 1)) * to.height;
  const { points, keypoints } = box;
  return {
    class: box.class,
    ...to,
    ...(points && { points: points.map(([px, py]) => [x(px), y(py)]) }),
    ...(keypoints && {
      keypoints: keypoints.map((point) =>
        point.visibility === 0 ? point : { ...point, x: x(point.x), y: y(point.y) },
      ),
    }),
  };
}

/**
 * Whether these are the same labels, but for what is lost where numbers are written and read.
 * @param {readonly Box[]} some
 * @param {readonly Box[]} others
 */
export function isSame(some, others) {
  return JSON.stringify(some, roundedNumber) === JSON.stringify(others, roundedNumber);
}

/** @param {unknown} value @returns {value is Box} */
export function isBox(value) {
  const { class: name, left, top, width, height } = Object(value);
  return typeof name === 'string' && [left, top, width, height].every(Number.isFinite);
}

/** @param {string} _name @param {unknown} value */
function roundedNumber(_name, value) {
  return typeof value === 'number' ? Math.round(value * 1000) / 1000 : value;
}

/** @param {number} one @param {number} other @param {number} max @returns {[number, number]} */
function span(one, other, max) {
  const start = between(0, Math.round(Math.min(one, other)), max - 1);
  const end = between(start + 1, Math.round(Math.max(one, other)), max);
  return [start, end - start];
}

/** @param {number} min @param {number} value @param {number} max */
function between(min, value, max) {
  return Math.max(min, Math.min(value, max));
}
