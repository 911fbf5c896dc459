// How many different images one train image can become.

import { normalizeSettings } from './version-idle.ts';
import type { VersionSettings } from './version-settings.ts';

type Augmentation = VersionSettings['augmentation'];

export interface CopyBound {
  /** Different images from one train image, itself included; undefined: no bound that matters. */
  readonly most: number | undefined;
  /** Why there may be fewer than `most`, or than `image.versions`; undefined: there are not. */
  readonly fewerBecause: string | undefined;
}

/**
 * What the chosen augmentations can make of one image. Flips and quarter turns have at most eight
 * results, and no two copies are the same (decisions/augmented-copies.md).
 */
export function copyBound(settings: VersionSettings): CopyBound {
  const { augmentation } = normalizeSettings(settings);
  const keys = Object.keys(augmentation).filter((key) => key !== 'image');
  if (keys.length === 0) return { most: 1, fewerBecause: undefined };
  if (keys.some((key) => !key.startsWith('bb') && !countable.includes(key))) {
    return { most: undefined, fewerBecause: undefined };
  }
  if (keys.some((key) => key.startsWith('bb'))) {
    return { most: undefined, fewerBecause: 'images without boxes have fewer different copies' };
  }
  const turns = turnResults(augmentation);
  if (keys.every((key) => key === 'flip' || key === 'ninety')) {
    return { most: turns, fewerBecause: undefined };
  }
  const coloured = turns * brightnessResults(augmentation);
  const percent = augmentation.rgrayscale?.percent ?? 0;
  // Where all copies become gray, only the original is not.
  const most = percent === 100 ? 1 + coloured : coloured * (percent > 0 ? 2 : 1);
  return { most, fewerBecause: 'few different copies are possible' };
}

/** Augmentations of whole images with few results. All others have more than anyone asks for. */
const countable: readonly string[] = ['flip', 'ninety', 'rgrayscale', 'brightness'];

/** Flips first, then quarter turns: each result is a mirroring and a number of quarter turns. */
function turnResults({ flip, ninety }: Augmentation): number {
  const both = flip?.horizontal && flip.vertical;
  const flips: readonly (readonly [mirrored: number, quarters: number])[] = [
    [0, 0],
    ...(flip?.horizontal ? [[1, 0] as const] : []),
    ...(flip?.vertical ? [[1, 2] as const] : []),
    ...(both ? [[0, 2] as const] : []),
  ];
  const quarters = [
    0,
    ...(ninety?.clockwise ? [1] : []),
    ...(ninety?.['upside-down'] ? [2] : []),
    ...(ninety?.['counter-clockwise'] ? [3] : []),
  ];
  const results = flips.flatMap(([mirrored, before]) =>
    quarters.map((after) => 4 * mirrored + ((before + after) % 4)),
  );
  return new Set(results).size;
}

/** Whole steps of 255 that are added or taken away. */
function brightnessResults({ brightness }: Augmentation): number {
  if (!brightness) return 1;
  const steps = Math.round((255 * brightness.percent) / 100);
  return 1 + steps * (Number(brightness.brighten) + Number(brightness.darken));
}
