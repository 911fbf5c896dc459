// The boxes of an image as its page and the labelling page draw them.

/** @import { Finding } from '../../http-server/page-assets/types.ts' */
/** @import { Box } from './boxes.ts' */
/** @import { BoxOnWire, Image } from './types.ts' */

/** Of its annotation. @param {Pick<Image, 'annotation_revision'>} image */
export function revisionOf({ annotation_revision: revision = 'none' }) {
  return revision;
}

/** @param {Image} image */
export function sizeOf({ width, height }) {
  return { width: Number(width), height: Number(height) };
}

/** The boxes of an image as they are drawn. @param {Image} image */
export function findingsOf(image) {
  return boxesOf(image).map(findingOf);
}

/**
 * On the wire a box has its centre; here its corner.
 * @param {Image} image
 * @returns {readonly Box[]}
 */
export function boxesOf({ annotation }) {
  const boxes = /** @type {readonly BoxOnWire[]} */ (annotation?.boxes ?? []);
  return boxes.map(boxOf);
}

/** In words. @param {readonly unknown[]} boxes */
export function boxCount({ length }) {
  return length === 1 ? '1 box' : `${length} boxes`;
}

/** @param {BoxOnWire} box @returns {Box} */
export function boxOf({ label, x, y, width, height, points, keypoints }) {
  return {
    class: label,
    left: x - width / 2,
    top: y - height / 2,
    width,
    height,
    ...(points && { points }),
    ...(keypoints && { keypoints }),
  };
}

/** @param {Box} box @returns {Finding} */
export function findingOf({ points = [], keypoints = [], ...box }) {
  return {
    ...box,
    kind: points.length > 0 ? 'outline' : 'box',
    confidence: undefined,
    points,
    keypoints: keypoints
      .filter(({ visibility }) => visibility > 0)
      .map(({ x, y, visibility }) => ({ x, y, occluded: visibility === 1 })),
  };
}
