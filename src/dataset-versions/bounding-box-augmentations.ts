// The `bb` variants of augmentations: they change the inside of each bounding box only.

import { createHash } from 'node:crypto';
import { edgesOf } from '../annotations/box-geometry.ts';
import { invalidArgument } from '../errors.ts';
import type { Box, Keypoint } from '../imaging/box.ts';
import { limits } from '../limits.ts';
import { forkSeed, randomFrom } from '../seeded-random.ts';
import { duplicate, transformPixels } from './apply-augmentations.ts';
import type { AugmentationChoice, Chooser } from './augmentation-choice.ts';
import type { Kernel, Region } from './kernel/operations.ts';
import type { LabelledImage } from './labelled-image.ts';
import { turnKey } from './orientation.ts';
import {
  compose,
  isOn,
  type Matrix,
  type Size,
  scaling,
  transformBoxes,
  transformKeypoint,
  translation,
} from './transform-boxes.ts';

/**
 * The same with a strength of its own for each box, in the order of the boxes. Nothing where the
 * image is known and none of its boxes would change.
 */
export function insideBoxes<Setting>(words: string, choose: Chooser<Setting>): Chooser<Setting> {
  return (setting, random, image) => {
    const seed = forkSeed(random);
    const drawing = (): Draw => {
      const own = randomFrom(seed);
      return () => choose(setting, own, undefined);
    };
    const id = image ? idIn(image, drawing()) : seed;
    if (id === '') return undefined;
    return {
      words: `${words} in boxes`,
      id: `${words} in boxes ${id}`,
      imageTransform: (kernel, before) => changeBoxes(kernel, before, drawing()),
    };
  };
}

/** Gives what happens to one box after the other. */
type Draw = () => AugmentationChoice | undefined;

/** Equal where the same happens to each box; empty where nothing does. */
function idIn({ boxes, pixels }: LabelledImage, draw: Draw): string {
  const ids = boxes.map((box) => {
    const choice = draw();
    return regionOf(box, pixels) && choice ? `${turnId(choice)}${choice.id}` : '';
  });
  // Short: each copy of an image keeps one, however many boxes there are.
  return ids.every((id) => id === '')
    ? ''
    : createHash('sha256').update(ids.join('|')).digest('hex');
}

function turnId({ turn }: AugmentationChoice): string {
  return turn ? turnKey(turn) : '';
}

function changeBoxes(kernel: Kernel, image: LabelledImage, draw: Draw): LabelledImage {
  checkPixels(image);
  const pixels = duplicate(kernel, image.pixels);
  const boxes = image.boxes.map((box) => {
    const choice = draw();
    const region = regionOf(box, pixels);
    if (choice === undefined || region === undefined) return box;
    const mark = kernel.mark();
    const matrix = changeRegion(kernel, { pixels, boxes: [] }, region, choice);
    kernel.release(mark);
    return matrix ? moveShapes(box, region, matrix) : box;
  });
  return { pixels, boxes };
}

/** Thousands of boxes over all of a large image would take days. */
function checkPixels({ boxes, pixels }: LabelledImage): void {
  const inBoxes = boxes.reduce((sum, box) => {
    const { width, height } = regionOf(box, pixels) ?? { width: 0, height: 0 };
    return sum + width * height;
  }, 0);
  if (inBoxes <= limits.boxPixelsMax) return;
  const message = `of bb keys: the ${boxes.length} boxes of an image have ${inBoxes} pixels together; at most ${limits.boxPixelsMax} are changed`;
  throw invalidArgument('augmentation', message);
}

/** The pixels whose middle is within a box; undefined: none. */
function regionOf(box: Box, { width, height }: Size): Region | undefined {
  const edges = edgesOf(box);
  const left = Math.max(0, Math.round(edges.left));
  const top = Math.max(0, Math.round(edges.top));
  const right = Math.min(width, Math.round(edges.right));
  const bottom = Math.min(height, Math.round(edges.bottom));
  if (right <= left || bottom <= top) return undefined;
  return { left, top, width: right - left, height: bottom - top };
}

/** Gives the matrix by which the pixels of the region moved within it, if they moved. */
function changeRegion(
  kernel: Kernel,
  { pixels }: LabelledImage,
  region: Region,
  { geometricTransform, pixelTransform }: AugmentationChoice,
): Matrix | undefined {
  const { left, top } = region;
  const size = { width: region.width, height: region.height };
  const part = kernel.crop(pixels, region);
  if (pixelTransform) kernel.paste(pixels, pixelTransform(kernel, part), left, top);
  if (!geometricTransform) return undefined;
  const moved = geometricTransform(size);
  // A quarter turn of a region that is not square is stretched back into it.
  const fitted = scaling(size.width / moved.size.width, size.height / moved.size.height);
  const turned = transformPixels(kernel, part, moved);
  const isSame = moved.size.width === size.width && moved.size.height === size.height;
  kernel.paste(pixels, isSame ? turned : kernel.resample(turned, size), left, top);
  return compose(moved.matrix, fitted);
}

/**
 * The box stays, for its content stays within it; outline and keypoints go with the pixels. A
 * keypoint beside the box stays where it is, as its pixel does.
 */
function moveShapes({ points, ...box }: Box, region: Region, matrix: Matrix): Box {
  const keypoints = box.keypoints?.map((keypoint) =>
    isWithin(box, keypoint) ? moveWithin(keypoint, region, matrix) : keypoint,
  );
  const outlined = points && moveOutline({ ...box, points }, region, matrix);
  return { ...(outlined ?? box), ...(keypoints && { keypoints }) };
}

function isWithin(box: Box, { x, y }: Keypoint): boolean {
  const { left, top } = edgesOf(box);
  return isOn(x - left, y - top, box);
}

/** Half a pixel of a box may lie beyond the region, which has whole pixels. */
function moveWithin(keypoint: Keypoint, region: Region, matrix: Matrix): Keypoint {
  const { left, top } = region;
  const x = Math.min(Math.max(keypoint.x - left, 0), region.width);
  const y = Math.min(Math.max(keypoint.y - top, 0), region.height);
  const moved = transformKeypoint({ ...keypoint, x, y }, matrix, region);
  return { ...moved, x: moved.x + left, y: moved.y + top };
}

/** Tight around what is left of the outline; undefined where nothing is. */
function moveOutline(box: Box, region: Region, matrix: Matrix): Box | undefined {
  const { left, top, width, height } = region;
  const local = transformBoxes([box], translation(-left, -top), region, 0);
  const moved = transformBoxes(local, matrix, region, 0);
  const whole = { width: left + width, height: top + height };
  return transformBoxes(moved, translation(left, top), whole, 0)[0];
}
