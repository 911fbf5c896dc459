// What an augmentation chose to do to one copy of an image.

import type { VersionSettings } from '../contract/version-settings.ts';
import type { Random } from '../seeded-random.ts';
import type { Kernel } from './kernel/operations.ts';
import type { Move, Paint, Picture } from './labelled-image.ts';
import type { Turn } from './orientation.ts';
import type { Size } from './transform-boxes.ts';

export type AugmentationSettings = VersionSettings['augmentation'];

/** Pictures that mosaic may join with the one in work. */
export type Partners = readonly Picture[];

/** A change with its strength; it does the same whenever it is applied. */
export interface Choice {
  /** For people, for example `rotate 12.3°`. */
  readonly words: string;
  /** Equal for equal changes only. Turns have none: they are compared by what they come to. */
  readonly id: string;
  /** Moves points and pixels. */
  readonly move?: (size: Size) => Move;
  /** The move is nothing but this turn. */
  readonly turn?: Turn;
  /** Changes pixels where they are. */
  readonly paint?: Paint;
  /** Changes a picture in a way that is neither. */
  readonly change?: (kernel: Kernel, picture: Picture, partners: Partners) => Picture;
}

/** One row of the table of augmentations. */
export interface AugmentationStep {
  readonly key: keyof AugmentationSettings;
  /** What it does, for the documentation. */
  readonly does: string;
  /** Undefined: it is not asked for, or its strength came out as nothing. */
  choose(
    settings: AugmentationSettings,
    random: Random,
    picture: Picture | undefined,
  ): Choice | undefined;
}

/**
 * How a setting of one shape becomes a choice. The picture is what it will be made of; undefined
 * where another step makes that first.
 */
export type Chooser<Setting> = (
  setting: Setting,
  random: Random,
  picture?: Picture,
) => Choice | undefined;

/** A row whose setting has its own shape. */
export function augmentation<Key extends keyof AugmentationSettings>(
  key: Key,
  does: string,
  choose: Chooser<NonNullable<AugmentationSettings[Key]>>,
): AugmentationStep {
  return {
    key,
    does,
    choose: (settings, random, picture) => {
      const setting = settings[key];
      return setting === undefined ? undefined : choose(setting, random, picture);
    },
  };
}
