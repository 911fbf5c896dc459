// What models saw in an image of an event, as it is drawn.

/** @import { Finding, Keypoint } from './types.ts' */

/** @typedef {Readonly<Record<string, unknown>>} Shape */

/**
 * Boxes, outlines and keypoints of an image. Boxes are centre-based in the contracts; here they have
 * corners. What has no usable numbers is left out.
 * @param {readonly Shape[]} boxes
 * @param {readonly Shape[]} outlines
 * @param {readonly Shape[]} keypoints
 * @returns {Finding[]}
 */
export function findingsIn(boxes, outlines, keypoints) {
  return [
    ...boxes.map((shape) => finding('box', shape)),
    ...outlines.map((shape) => finding('outline', shape)),
    ...keypoints.map((shape) => finding('keypoints', shape)),
  ].filter(({ left, top, width, height }) => [left, top, width, height].every(Number.isFinite));
}

/**
 * @param {Finding['kind']} kind
 * @param {Readonly<Record<string, unknown>>} shape
 * @returns {Finding}
 */
function finding(kind, shape) {
  const { x, y, width, height, confidence, points, keypoints } = shape;
  const [wide, high] = [number(width), number(height)];
  return {
    kind,
    class: String(shape.class ?? ''),
    confidence: typeof confidence === 'number' ? confidence : undefined,
    left: number(x) - wide / 2,
    top: number(y) - high / 2,
    width: wide,
    height: high,
    points: kind === 'outline' && Array.isArray(points) ? points.flatMap(pointOf) : [],
    keypoints: kind === 'keypoints' && Array.isArray(keypoints) ? keypoints.flatMap(joint) : [],
  };
}

/** @param {unknown} value */
function number(value) {
  return typeof value === 'number' ? value : Number.NaN;
}

/** @param {unknown} value @returns {[number, number][]} */
function pointOf(value) {
  const [x, y] = Array.isArray(value) ? value.map(number) : [];
  return Number.isFinite(x) && Number.isFinite(y) ? [[Number(x), Number(y)]] : [];
}

/** @param {Readonly<Record<string, unknown>> | null} value @returns {Keypoint[]} */
function joint(value) {
  const [x, y] = [number(value?.x), number(value?.y)];
  return Number.isFinite(x + y) ? [{ x, y, occluded: value?.occluded === true }] : [];
}
