// Where an entry of COCO results says that an object is, in the form that is judged.

import type { EvaluableTask } from '../contract/evaluations.ts';
import { type FoveaError, invalidArgument } from '../errors.ts';
import type { JsonObject } from '../json-object.ts';
import { limits } from '../limits.ts';
import type { Shape } from './evaluated-image.ts';
import type { Region } from './image-region.ts';
import { type KeypointOrder, keypointsIn, regionAround } from './keypoints/read-keypoints.ts';
import { boxOfMask } from './masks/mask.ts';
import { createMaskReader } from './masks/mask-reader.ts';

interface Size {
  readonly width: number;
  readonly height: number;
}

/**
 * `size`: of its image; undefined where that is not judged. `path`: of the entry in its file.
 * `names`: where keypoints are judged. Throws `invalid_input` with the path, and `too_large`.
 */
export type ShapeReader = (
  entry: JsonObject,
  size: Size | undefined,
  path: string,
  names: KeypointOrder,
) => Shape;

export function shapeReader(modelTask: EvaluableTask): ShapeReader {
  if (modelTask === 'detection') return ({ bbox }, _size, path) => boxOf(bbox, `${path}.bbox`);
  if (modelTask === 'classification') return (_entry, size) => wholeImage(size);
  if (modelTask === 'keypoints') return (entry, _size, path, names) => posed(entry, path, names);
  const masks = createMaskReader();
  return ({ segmentation }, size, path) => {
    if (size === undefined) return noShape;
    const mask = masks.ofSegmentation(segmentation, size, `${path}.segmentation`);
    return { ...boxOfMask(mask), mask, area: mask.pixels };
  };
}

/** A class is of the image, whatever an entry says beside it. */
export function wholeImage({ width, height }: Size = { width: 0, height: 0 }): Region {
  return { left: 0, top: 0, width, height };
}

/** COCO results have no box beside keypoints: it is around them. */
function posed({ bbox, keypoints }: JsonObject, path: string, names: KeypointOrder): Shape {
  const numbers = keypointsIn(keypoints, `${path}.keypoints`, names);
  const region = bbox === undefined ? regionAround(numbers) : boxOf(bbox, `${path}.bbox`);
  return { ...region, keypoints: numbers };
}

const noShape: Shape = { left: 0, top: 0, width: 0, height: 0 };

function boxOf(bbox: unknown, path: string): Region {
  const numbers: readonly unknown[] = Array.isArray(bbox) ? bbox : [];
  const [left, top, width, height] = numbers;
  const isBox = numbers.length === 4 && numbers.every(isPixel);
  if (
    !isBox ||
    typeof left !== 'number' ||
    typeof top !== 'number' ||
    typeof width !== 'number' ||
    typeof height !== 'number' ||
    width < 0 ||
    height < 0
  ) {
    throw wrongEntry(
      path,
      'must be [left, top, width, height] in pixels, such as [120, 80, 40, 60]',
    );
  }
  return { left, top, width, height };
}

function isPixel(value: unknown): boolean {
  return typeof value === 'number' && Math.abs(value) <= limits.boxCoordinateMax;
}

/** `path`: within the file. */
export function wrongEntry(path: string, message: string): FoveaError {
  return invalidArgument(
    `predictions${path}`,
    message,
    'COCO results: [{"image_id": …, "category_id": …, "bbox": [left, top, width, height], "score": …}].',
  );
}
