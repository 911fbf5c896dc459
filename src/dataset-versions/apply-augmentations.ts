// Applies the chosen augmentations to an image; all geometric transforms are one pass.

import type { AugmentationChoice, Partners } from './augmentation-choice.ts';
import { composeTransforms, isIdentity } from './geometric-augmentations.ts';
import type { Kernel, Pixels } from './kernel/operations.ts';
import { black, type GeometricTransform, type LabelledImage } from './labelled-image.ts';
import { type Size, transformBoxes } from './transform-boxes.ts';

/** Gives a new image. Only quarter turns change its size. */
export function applyAugmentations(
  kernel: Kernel,
  image: LabelledImage,
  choices: readonly AugmentationChoice[],
  partners: Partners,
): LabelledImage {
  const transforms = choices.flatMap(({ geometricTransform }) => geometricTransform ?? []);
  // The table has whole-image transforms first, then geometric, then pixel transforms.
  const changed = choices.reduce(
    (before, { imageTransform }) => imageTransform?.(kernel, before, partners) ?? before,
    image,
  );
  const moved = applyTransform(kernel, changed, composeTransforms(changed.pixels, transforms));
  const isOwn = moved.pixels !== image.pixels;
  const own = isOwn ? moved.pixels : duplicate(kernel, image.pixels);
  const pixels = choices.reduce(
    (before, { pixelTransform }) => pixelTransform?.(kernel, before) ?? before,
    own,
  );
  return { pixels, boxes: moved.boxes };
}

/** Transforms pixels and boxes by the same matrix. */
export function applyTransform(
  kernel: Kernel,
  { pixels, boxes }: LabelledImage,
  transform: GeometricTransform,
): LabelledImage {
  return {
    pixels: transformPixels(kernel, pixels, transform),
    boxes: transformBoxes(boxes, transform.matrix, transform.size),
  };
}

/** New pixels; for the identity, the same ones. */
export function transformPixels(
  kernel: Kernel,
  pixels: Pixels,
  transform: GeometricTransform,
): Pixels {
  if (isIdentity(transform)) return pixels;
  if (transform.turn) return kernel.turn(pixels, transform.turn);
  return kernel.warp(pixels, transform.matrix, transform.size, black);
}

export function duplicate(kernel: Kernel, pixels: Pixels): Pixels {
  return kernel.crop(pixels, wholeOf(pixels));
}

function wholeOf({ width, height }: Size) {
  return { left: 0, top: 0, width, height };
}
