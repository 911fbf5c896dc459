// Choices applied to a picture, in their order; moves that follow one another are one pass.

import type { Choice, Partners } from './augmentation-choice.ts';
import { composeMoves, isStill } from './geometric-augmentations.ts';
import type { Kernel, Pixels } from './kernel/operations.ts';
import { black, type Move, type Picture } from './labelled-image.ts';
import { moveBoxes, type Size } from './transform-boxes.ts';

/** The picture itself stays as it is. Its size may change by quarter turns only. */
export function applyChoices(
  kernel: Kernel,
  picture: Picture,
  choices: readonly Choice[],
  partners: Partners,
): Picture {
  const moves = choices.flatMap(({ move }) => move ?? []);
  // The table has what changes pictures first, then moves, then paints.
  const changed = choices.reduce(
    (before, { change }) => change?.(kernel, before, partners) ?? before,
    picture,
  );
  const moved = applyMove(kernel, changed, composeMoves(changed.pixels, moves));
  const isOwn = moved.pixels !== picture.pixels;
  const own = isOwn ? moved.pixels : duplicate(kernel, picture.pixels);
  const pixels = choices.reduce((before, { paint }) => paint?.(kernel, before) ?? before, own);
  return { pixels, boxes: moved.boxes };
}

/** Pixels and boxes by the same matrix. */
export function applyMove(kernel: Kernel, { pixels, boxes }: Picture, move: Move): Picture {
  return {
    pixels: movePixels(kernel, pixels, move),
    boxes: moveBoxes(boxes, move.matrix, move.size),
  };
}

/** New pixels, unless nothing moves. */
export function movePixels(kernel: Kernel, pixels: Pixels, move: Move): Pixels {
  if (isStill(move)) return pixels;
  if (move.turn) return kernel.turn(pixels, move.turn);
  return kernel.warp(pixels, move.matrix, move.size, black);
}

export function duplicate(kernel: Kernel, pixels: Pixels): Pixels {
  return kernel.crop(pixels, wholeOf(pixels));
}

function wholeOf({ width, height }: Size) {
  return { left: 0, top: 0, width, height };
}
