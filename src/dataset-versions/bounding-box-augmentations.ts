// The `bb` variants: an augmentation within each box only; everything around stays as it is.

import { createHash } from 'node:crypto';
import { edgesOf } from '../annotations/box-geometry.ts';
import { invalidArgument } from '../errors.ts';
import type { Box, Keypoint } from '../imaging/box.ts';
import { limits } from '../limits.ts';
import { forkSeed, randomFrom } from '../seeded-random.ts';
import { duplicate, movePixels } from './apply-augmentations.ts';
import type { Choice, Chooser } from './augmentation-choice.ts';
import type { Kernel, Region } from './kernel/operations.ts';
import type { Picture } from './labelled-image.ts';
import { turnKey } from './orientation.ts';
import {
  compose,
  isOn,
  type Matrix,
  moveBoxes,
  moveKeypoint,
  type Size,
  scaling,
  translation,
} from './transform-boxes.ts';

/**
 * The same with a strength of its own for each box, in the order of the boxes. Nothing where the
 * picture is known and none of its boxes would change.
 */
export function insideBoxes<Setting>(words: string, choose: Chooser<Setting>): Chooser<Setting> {
  return (setting, random, picture) => {
    const seed = forkSeed(random);
    const drawing = (): Draw => {
      const own = randomFrom(seed);
      return () => choose(setting, own, undefined);
    };
    const id = picture ? idIn(picture, drawing()) : seed;
    if (id === '') return undefined;
    return {
      words: `${words} in boxes`,
      id: `${words} in boxes ${id}`,
      change: (kernel, before) => changeBoxes(kernel, before, drawing()),
    };
  };
}

/** Gives what happens to one box after the other. */
type Draw = () => Choice | undefined;

/** Equal where the same happens to each box; empty where nothing does. */
function idIn({ boxes, pixels }: Picture, draw: Draw): string {
  const ids = boxes.map((box) => {
    const choice = draw();
    return regionOf(box, pixels) && choice ? `${turnId(choice)}${choice.id}` : '';
  });
  // Short: each copy of an image keeps one, however many boxes there are.
  return ids.every((id) => id === '')
    ? ''
    : createHash('sha256').update(ids.join('|')).digest('hex');
}

function turnId({ turn }: Choice): string {
  return turn ? turnKey(turn) : '';
}

function changeBoxes(kernel: Kernel, picture: Picture, draw: Draw): Picture {
  checkPixels(picture);
  const pixels = duplicate(kernel, picture.pixels);
  const boxes = picture.boxes.map((box) => {
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
function checkPixels({ boxes, pixels }: Picture): void {
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
  { pixels }: Picture,
  region: Region,
  { move, paint }: Choice,
): Matrix | undefined {
  const { left, top } = region;
  const size = { width: region.width, height: region.height };
  const part = kernel.crop(pixels, region);
  if (paint) kernel.paste(pixels, paint(kernel, part), left, top);
  if (!move) return undefined;
  const moved = move(size);
  // A quarter turn of a region that is not square is stretched back into it.
  const fitted = scaling(size.width / moved.size.width, size.height / moved.size.height);
  const turned = movePixels(kernel, part, moved);
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
  const moved = moveKeypoint({ ...keypoint, x, y }, matrix, region);
  return { ...moved, x: moved.x + left, y: moved.y + top };
}

/** Tight around what is left of the outline; undefined where nothing is. */
function moveOutline(box: Box, region: Region, matrix: Matrix): Box | undefined {
  const { left, top, width, height } = region;
  const local = moveBoxes([box], translation(-left, -top), region, 0);
  const moved = moveBoxes(local, matrix, region, 0);
  const whole = { width: left + width, height: top + height };
  return moveBoxes(moved, translation(left, top), whole, 0)[0];
}
