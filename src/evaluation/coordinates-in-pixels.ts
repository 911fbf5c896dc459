// Whether places of predictions can be pixels: shares of an image, and corners in place of sizes,
// would give the figures of a bad model.

import type { EvaluableTask } from '../contract/evaluations.ts';
import { limits } from '../limits.ts';
import type { Shape } from './evaluated-image.ts';
import type { Region } from './image-region.ts';
import { regionAround } from './keypoints/read-keypoints.ts';
import { wrongEntry } from './read-shape.ts';

interface Size {
  readonly width: number;
  readonly height: number;
}

/** `found`: of each image. Throws `invalid_input` that says what is wanted. */
export function requirePixelCoordinates(
  found: readonly (readonly Shape[])[],
  images: readonly Size[],
  modelTask: EvaluableTask,
): void {
  const all = found.reduce((sum, { length }) => sum + length, 0);
  if (all === 0 || modelTask === 'classification') return;
  if (found.every((some) => some.every(isBelowPixel))) {
    throw wrongEntry(
      '',
      `each ${members[modelTask]} is below 1 pixel, as shares of an image (0 to 1) are: ${wanted}`,
    );
  }
  if (modelTask !== 'detection') return;
  const beyond = found.reduce(
    (sum, some, place) => sum + some.filter((box) => isBeyond(box, images[place])).length,
    0,
  );
  const mayBeCorners = found.every((some) => some.every(areCorners));
  if (beyond <= all / (mayBeCorners ? 5 : 2)) return;
  const corners = mayBeCorners ? ', as [left, top, right, bottom] does' : '';
  throw wrongEntry('', `${beyond} of ${all} boxes reach out of their images${corners}: ${wanted}`);
}

const members = {
  detection: 'bbox',
  segmentation: 'segmentation',
  semantic: 'segmentation',
  keypoints: 'keypoint',
} as const;

const wanted =
  'give pixels of the images that are judged (of a version: in its size), a box as [left, top, width, height] such as [120, 80, 40, 60]';

function isBelowPixel({ keypoints, ...box }: Shape): boolean {
  const { left, top, width, height } = keypoints ? regionAround(keypoints) : box;
  return Math.max(Math.abs(left), Math.abs(top), width, height) <= 1;
}

function isBeyond(
  { left, top, width, height }: Region,
  { width: across, height: down }: Size = { width: 0, height: 0 },
): boolean {
  const share = limits.predictionBeyondShareMax;
  const [spareAcross, spareDown] = [share * across, share * down];
  return (
    left < -spareAcross ||
    top < -spareDown ||
    left + width > across + spareAcross ||
    top + height > down + spareDown
  );
}

function areCorners({ left, top, width, height }: Region): boolean {
  return width >= left && height >= top;
}
