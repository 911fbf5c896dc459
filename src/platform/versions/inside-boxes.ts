// The `bb` variants: an augmentation within each box only; everything around stays as it is.

import type { Box } from '../annotations/annotation.ts';
import { edgesOf } from '../annotations/boxes.ts';
import { duplicate, movePixels } from './apply.ts';
import type { Choice, Chooser } from './choice.ts';
import { compose, type Matrix, moveBoxes, type Size, scaling, translation } from './geometry.ts';
import type { Kernel, Region } from './kernel/kernel.ts';
import type { Picture } from './picture.ts';
import { forkSeed, type Random, randomFrom } from './random.ts';

/** The same with a strength of its own for each box, in the order of the boxes. */
export function insideBoxes<Setting>(words: string, choose: Chooser<Setting>): Chooser<Setting> {
  return (setting, random) => {
    const seed = forkSeed(random);
    return {
      words: `${words} in boxes`,
      id: `${words} in boxes ${seed}`,
      change: (kernel, picture) =>
        changeBoxes(kernel, picture, (own) => choose(setting, own), randomFrom(seed)),
    };
  };
}

function changeBoxes(
  kernel: Kernel,
  picture: Picture,
  choose: (random: Random) => Choice | undefined,
  random: Random,
): Picture {
  const pixels = duplicate(kernel, picture.pixels);
  const boxes = picture.boxes.map((box) => {
    const choice = choose(random);
    const region = regionOf(box, pixels);
    if (choice === undefined || region === undefined) return box;
    const mark = kernel.mark();
    const matrix = changeRegion(kernel, { pixels, boxes: [] }, region, choice);
    kernel.release(mark);
    return matrix ? moveShapes(box, region, matrix) : box;
  });
  return { pixels, boxes };
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

/** The box stays, for its content stays within it; outline and keypoints go with the pixels. */
function moveShapes(box: Box, region: Region, matrix: Matrix): Box {
  if (box.points === undefined && box.keypoints === undefined) return box;
  const { left, top } = region;
  const frame = { left, top, width: region.width, height: region.height };
  const toRegion = translation(-left, -top);
  const [local] = moveBoxes([box], toRegion, frame, 0);
  const [moved] = local ? moveBoxes([local], matrix, frame, 0) : [];
  if (moved === undefined) return box;
  const whole = { width: left + region.width, height: top + region.height };
  const [back] = moveBoxes([moved], translation(left, top), whole, 0);
  if (back === undefined) return box;
  return box.points === undefined ? { ...box, ...keypointsOf(back) } : back;
}

function keypointsOf({ keypoints }: Box): Pick<Box, 'keypoints'> {
  return keypoints === undefined ? {} : { keypoints };
}
