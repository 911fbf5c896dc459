// What of an object is moved point by point: its outline, or its keypoints.

import { hasOutline, pixelAt, withoutPoint, withPointAt } from './outline-geometry.js';

/** @import { Box, Keypoint, Point, Shapes, Size } from '../boxes.ts' */

/**
 * A point that is seen. `index`: among those of its object.
 * @typedef {{ index: number, x: number, y: number, isHidden: boolean }} Dot
 */

/**
 * `count`: of all points, those that are not seen too. `removed`: undefined where none may go.
 * @typedef {{
 *   dots: (box: Box) => readonly Dot[],
 *   count: (box: Box) => number,
 *   moved: (box: Box, index: number, to: Point, size: Size) => Box,
 *   removed: (box: Box, index: number) => Box | undefined,
 * }} PointKind
 */

/** @type {PointKind} */
const noPoints = {
  dots: () => [],
  count: () => 0,
  moved: (box) => box,
  removed: (box) => box,
};

/** @type {PointKind} */
const outlinePoints = {
  dots: (box) =>
    hasOutline(box)
      ? (box.points ?? []).map(([x, y], index) => ({ index, x, y, isHidden: false }))
      : [],
  count: ({ points = [] }) => points.length,
  moved: withPointAt,
  removed: withoutPoint,
};

/** @type {PointKind} */
export const keypointPoints = {
  dots: ({ keypoints = [] }) =>
    keypoints
      .map(({ x, y, visibility }, index) => ({ index, x, y, visibility }))
      .filter(({ visibility }) => visibility > 0)
      .map(({ index, x, y, visibility }) => ({ index, x, y, isHidden: visibility === 1 })),
  count: ({ keypoints = [] }) => keypoints.length,
  moved: (box, index, to, size) => {
    const [x, y] = pixelAt(to, size);
    return changed(box, index, ({ label, visibility }) => ({
      label,
      x,
      y,
      visibility: visibility || 2,
    }));
  },
  removed: (box, index) =>
    changed(box, index, ({ label }) => ({ label, x: 0, y: 0, visibility: 0 })),
};

/** @param {Shapes} shapes */
export function pointKindOf(shapes) {
  if (shapes === 'outlines') return outlinePoints;
  return shapes === 'keypoints' ? keypointPoints : noPoints;
}

/** Whether a keypoint is hidden by something is the other way round. @param {Box} box @param {number} index */
export function withOtherVisibility(box, index) {
  return changed(box, index, (point) => ({
    ...point,
    visibility: /** @type {const} */ ([0, 2, 1])[point.visibility],
  }));
}

/**
 * With a keypoint of each name, in their order; others that it has come behind.
 * @param {Box} box
 * @param {readonly string[]} names
 * @returns {Box}
 */
export function withKeypoints(box, names) {
  const { keypoints = [] } = box;
  const named = names.map(
    (name) => keypoints.find(({ label }) => label === name) ?? unplaced(name),
  );
  const others = keypoints.filter(
    ({ label, visibility }) => visibility > 0 && !names.includes(label),
  );
  return { ...box, keypoints: [...named, ...others] };
}

/** @param {string} label @returns {Keypoint} */
export function unplaced(label) {
  return { label, x: 0, y: 0, visibility: 0 };
}

/** @param {Box} box @param {number} index @param {(point: Keypoint) => Keypoint} change @returns {Box} */
function changed(box, index, change) {
  const { keypoints = [] } = box;
  return { ...box, keypoints: keypoints.map((one, at) => (at === index ? change(one) : one)) };
}
