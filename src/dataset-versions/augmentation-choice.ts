// An augmentation with the random strength that was chosen for one copy of an image.

import type { VersionSettings } from '../contract/version-settings.ts';
import type { Random } from '../seeded-random.ts';
import type { Kernel } from './kernel/operations.ts';
import type { GeometricTransform, LabelledImage, PixelTransform } from './labelled-image.ts';
import type { Turn } from './orientation.ts';
import type { Size } from './transform-boxes.ts';

export type AugmentationSettings = VersionSettings['augmentation'];

/** Images that mosaic may join with the current one. */
export type Partners = readonly LabelledImage[];

/** Deterministic: applying it again gives the same result. */
export interface AugmentationChoice {
  /** For people, for example `rotate 12.3°`. */
  readonly words: string;
  /** Equal for equal changes only. Empty for turns, which are compared by their result. */
  readonly id: string;
  readonly geometricTransform?: (size: Size) => GeometricTransform;
  /** The geometric transform is only this turn. */
  readonly turn?: Turn;
  readonly pixelTransform?: PixelTransform;
  /** Changes the image in any other way. */
  readonly imageTransform?: (
    kernel: Kernel,
    image: LabelledImage,
    partners: Partners,
  ) => LabelledImage;
}

/** One row of the table of augmentations. */
export interface AugmentationStep {
  readonly key: keyof AugmentationSettings;
  /** What it does, for the documentation. */
  readonly does: string;
  /** Undefined: not in the settings, or the random strength is 0. */
  choose(
    settings: AugmentationSettings,
    random: Random,
    image: LabelledImage | undefined,
  ): AugmentationChoice | undefined;
}

/**
 * Chooses a random strength within a setting. `image` is the one to augment; undefined where an
 * earlier step replaces it.
 */
export type Chooser<Setting> = (
  setting: Setting,
  random: Random,
  image?: LabelledImage,
) => AugmentationChoice | undefined;

/** A row whose setting has its own shape. */
export function augmentation<Key extends keyof AugmentationSettings>(
  key: Key,
  does: string,
  choose: Chooser<NonNullable<AugmentationSettings[Key]>>,
): AugmentationStep {
  return {
    key,
    does,
    choose: (settings, random, image) => {
      const setting = settings[key];
      return setting === undefined ? undefined : choose(setting, random, image);
    },
  };
}
