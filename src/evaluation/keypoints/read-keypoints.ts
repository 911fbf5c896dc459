// The keypoints of an entry of COCO results: x, y and visibility of each.

import { type FoveaError, invalidArgument } from '../../errors.ts';
import { limits } from '../../limits.ts';
import { quotedNames } from '../../quoted-name.ts';
import type { Region } from '../image-region.ts';
import { inOrder, keypointPlaces } from './keypoint-order.ts';
import type { KeypointNumbers } from './keypoint-similarity.ts';

/** In which order a file has the keypoints of a class. */
export interface KeypointOrder {
  /** Those of the labels; undefined: the class is not judged. */
  readonly wanted: readonly string[] | undefined;
  /** Those that the file names; undefined: it has those of the labels. */
  readonly given: readonly string[] | undefined;
}

/** Throws `invalid_input` with the path. */
export function keypointsIn(
  value: unknown,
  path: string,
  { wanted, given = wanted }: KeypointOrder,
): KeypointNumbers {
  const list: readonly unknown[] = Array.isArray(value) ? value : [];
  const numbers = list.filter(isPixel);
  const isWhole = numbers.length === list.length && list.length > 0 && list.length % 3 === 0;
  if (!isWhole) throw wrong(path, 'must be [x, y, visibility, x, y, …] in pixels');
  if (given === undefined || wanted === undefined) return numbers;
  if (numbers.length !== given.length * 3) {
    const names = given.length === 0 ? 'none' : `${given.length}: ${quotedNames(given)}`;
    throw wrong(path, `has ${numbers.length / 3} keypoints; known are ${names}`);
  }
  const places = keypointPlaces(wanted, given);
  if (places !== undefined) return inOrder(numbers, places);
  throw wrong(path, `are ${quotedNames(given)}; the labels have ${quotedNames(wanted)}`);
}

/** Around all, seen or not, as pycocotools takes it. */
export function regionAround(keypoints: KeypointNumbers): Region {
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
  for (let at = 0; at + 1 < keypoints.length; at += 3) {
    const [x, y] = [keypoints[at] ?? Number.NaN, keypoints[at + 1] ?? Number.NaN];
    if (Number.isNaN(x) || Number.isNaN(y)) continue;
    [left, right] = [Math.min(left, x), Math.max(right, x)];
    [top, bottom] = [Math.min(top, y), Math.max(bottom, y)];
  }
  if (left > right) return { left: 0, top: 0, width: 0, height: 0 };
  return { left, top, width: right - left, height: bottom - top };
}

function isPixel(value: unknown): value is number {
  return typeof value === 'number' && Math.abs(value) <= limits.boxCoordinateMax;
}

function wrong(path: string, message: string): FoveaError {
  return invalidArgument(
    `predictions${path}`,
    message,
    'COCO results: [{"image_id": …, "category_id": …, "keypoints": [x, y, visibility, …], "score": …}].',
  );
}
