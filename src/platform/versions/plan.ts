// From the settings of a version to the steps that make its images.

import { FoveaError } from '../../errors.ts';
import type { Random } from './random.ts';
import type { Step } from './steps.ts';

/** First document, Dataset version settings. */
export interface VersionSettings {
  readonly preprocessing?: Readonly<Record<string, unknown>> | undefined;
  readonly augmentation?: Readonly<Record<string, unknown>> | undefined;
}

export interface VersionPlan {
  /** For every image, in this order. */
  readonly preprocessing: readonly Step[];
  /** What an augmented copy can become: each entry is different from all others. */
  readonly variants: readonly (readonly Step[])[];
  /** `augmentation.image.versions`: at most so many images from one train image. */
  readonly imagesPerSource: number;
  /** Settings that are accepted but do less than they say. */
  readonly warnings: readonly string[];
}

/**
 * The plan of a version. Throws `invalid_input` for impossible values, and `not_implemented` for
 * settings that this platform does not have yet, by name; nothing has been done then.
 */
export function planVersion(_settings: VersionSettings): VersionPlan {
  throw new FoveaError('not_implemented', 'Not there yet.');
}

/**
 * The images to make from one source, each as its augmentation steps. The first has none: it is
 * the preprocessed original. Only train images get copies.
 */
export function planCopies(
  _plan: VersionPlan,
  _split: 'train' | 'valid' | 'test',
  _random: Random,
): readonly (readonly Step[])[] {
  throw new FoveaError('not_implemented', 'Not there yet.');
}
