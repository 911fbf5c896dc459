// The mosaic augmentation: four images in one.

import { below, between, forkSeed, type Random, randomFrom, shuffled } from '../seeded-random.ts';
import type { AugmentationChoice, Partners } from './augmentation-choice.ts';
import type { Kernel, Region } from './kernel/operations.ts';
import { black, type LabelledImage } from './labelled-image.ts';
import { clipBoxes } from './tiles-and-crops.ts';
import { type Size, scaling, transformBoxes, translation } from './transform-boxes.ts';

/**
 * The image and three of its partners around a random point near the middle, in random order;
 * each is cut at its own size, or stretched whole into its quarter.
 */
export function chooseMosaic(isWanted: boolean, random: Random): AugmentationChoice | undefined {
  const seed = forkSeed(random);
  if (!isWanted) return undefined;
  return {
    words: 'mosaic',
    id: `mosaic ${seed}`,
    imageTransform: (kernel, image, partners) => join(kernel, image, partners, randomFrom(seed)),
  };
}

function join(
  kernel: Kernel,
  host: LabelledImage,
  partners: Partners,
  random: Random,
): LabelledImage {
  const { width, height } = host.pixels;
  const pixels = kernel.blank({ width, height }, black);
  const images = shuffled([host, ...drawPartners(host, partners, random)], random);
  const boxes = quarters({ width, height }, random).flatMap((quarter, index) => {
    const part = fill(kernel, images[index] ?? host, quarter, random);
    const { left, top } = quarter;
    kernel.paste(pixels, part.pixels, left, top);
    return transformBoxes(part.boxes, translation(left, top), { width, height });
  });
  return { pixels, boxes };
}

/** Three others; where there are fewer, some or the image itself come again. */
function drawPartners(
  host: LabelledImage,
  partners: Partners,
  random: Random,
): readonly LabelledImage[] {
  const others = shuffled(
    partners.filter((partner) => partner !== host),
    random,
  );
  return [0, 1, 2].map((index) => others[index % Math.max(1, others.length)] ?? host);
}

/** Four parts of a frame that meet at a point in its middle half; each has a pixel at least. */
function quarters({ width, height }: Size, random: Random): readonly Region[] {
  const x = Math.max(1, Math.min(width - 1, Math.round(between(random, 0.25, 0.75) * width)));
  const y = Math.max(1, Math.min(height - 1, Math.round(between(random, 0.25, 0.75) * height)));
  return [
    { left: 0, top: 0, width: x, height: y },
    { left: x, top: 0, width: width - x, height: y },
    { left: 0, top: y, width: x, height: height - y },
    { left: x, top: y, width: width - x, height: height - y },
  ].filter((quarter) => quarter.width > 0 && quarter.height > 0);
}

function fill(
  kernel: Kernel,
  image: LabelledImage,
  { width, height }: Size,
  random: Random,
): LabelledImage {
  const { pixels } = image;
  const isCut = random() < 0.5;
  const [x, y] = [
    below(random, pixels.width - width + 1),
    below(random, pixels.height - height + 1),
  ];
  const size = { width, height };
  if (isCut && pixels.width >= width && pixels.height >= height) {
    return {
      pixels: kernel.crop(pixels, { left: x, top: y, ...size }),
      boxes: transformBoxes(image.boxes, translation(-x, -y), size),
    };
  }
  const scale = scaling(width / pixels.width, height / pixels.height);
  return {
    pixels: kernel.resample(pixels, size),
    boxes: transformBoxes(clipBoxes(image.boxes, pixels), scale, size),
  };
}
