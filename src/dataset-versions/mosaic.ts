// Augmentation `mosaic`: four pictures in one.

import { below, between, forkSeed, type Random, randomFrom, shuffled } from '../seeded-random.ts';
import type { Choice, Partners } from './augmentation-choice.ts';
import type { Kernel, Region } from './kernel/operations.ts';
import { black, type Picture } from './labelled-image.ts';
import { clipBoxes } from './tiles-and-crops.ts';
import { moveBoxes, type Size, scaling, translation } from './transform-boxes.ts';

/**
 * The picture and three of its partners around a random point near the middle, in random order;
 * each is cut at its own size, or stretched whole into its quarter.
 */
export function chooseMosaic(isWanted: boolean, random: Random): Choice | undefined {
  const seed = forkSeed(random);
  if (!isWanted) return undefined;
  return {
    words: 'mosaic',
    id: `mosaic ${seed}`,
    change: (kernel, picture, partners) => join(kernel, picture, partners, randomFrom(seed)),
  };
}

function join(kernel: Kernel, host: Picture, partners: Partners, random: Random): Picture {
  const { width, height } = host.pixels;
  const pixels = kernel.blank({ width, height }, black);
  const pictures = shuffled([host, ...drawPartners(host, partners, random)], random);
  const boxes = quarters({ width, height }, random).flatMap((quarter, index) => {
    const part = fill(kernel, pictures[index] ?? host, quarter, random);
    const { left, top } = quarter;
    kernel.paste(pixels, part.pixels, left, top);
    return moveBoxes(part.boxes, translation(left, top), { width, height });
  });
  return { pixels, boxes };
}

/** Three others; where there are fewer, some or the picture itself come again. */
function drawPartners(host: Picture, partners: Partners, random: Random): readonly Picture[] {
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

function fill(kernel: Kernel, picture: Picture, { width, height }: Size, random: Random): Picture {
  const { pixels } = picture;
  const isCut = random() < 0.5;
  const [x, y] = [
    below(random, pixels.width - width + 1),
    below(random, pixels.height - height + 1),
  ];
  const size = { width, height };
  if (isCut && pixels.width >= width && pixels.height >= height) {
    return {
      pixels: kernel.crop(pixels, { left: x, top: y, ...size }),
      boxes: moveBoxes(picture.boxes, translation(-x, -y), size),
    };
  }
  const scale = scaling(width / pixels.width, height / pixels.height);
  return {
    pixels: kernel.resample(pixels, size),
    boxes: moveBoxes(clipBoxes(picture.boxes, pixels), scale, size),
  };
}
