// From the settings of a version to the steps that make its images.

import type { SplitName } from '../../contract/fields.ts';
import type { VersionSettings } from '../../contract/version-settings.ts';
import { FoveaError } from '../../errors.ts';
import { type Random, shuffled } from './random.ts';
import { builtFormats, isBuilt, type ResizeStep, type Step } from './steps.ts';
import { composeTurns, type Turn, turnKey, turns } from './turn.ts';

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
 * The plan of a version, from settings that the contract has checked. Throws `not_implemented` for
 * settings that this platform does not have yet, by name; nothing has been done then.
 */
export function planVersion(settings: VersionSettings): VersionPlan {
  refuseOthers([
    ...chosenBeyond(settings, 'preprocessing', ['auto-orient', 'resize']),
    ...chosenBeyond(settings, 'augmentation', ['flip', 'ninety', 'image']),
  ]);
  const { preprocessing, augmentation } = settings;
  const variants = planVariants(
    chosenTurns(augmentation.flip, ['horizontal', 'vertical']),
    chosenTurns(augmentation.ninety, ['clockwise', 'counter-clockwise', 'upside-down']),
  );
  const imagesPerSource = augmentation.image?.versions ?? 1;
  return {
    preprocessing: planPreprocessing(preprocessing),
    variants,
    imagesPerSource,
    warnings: warningsOf(variants.length, imagesPerSource),
  };
}

/**
 * The images to make from one source, each as its augmentation steps. The first has none: it is
 * the preprocessed original. Only train images get copies, and no two are the same, so that there
 * may be fewer than `imagesPerSource` (decisions/augmented-copies.md).
 */
export function planCopies(
  { variants, imagesPerSource }: VersionPlan,
  split: SplitName,
  random: Random,
): readonly (readonly Step[])[] {
  if (split !== 'train') return [[]];
  return [[], ...shuffled(variants, random).slice(0, imagesPerSource - 1)];
}

function refuseOthers(paths: readonly string[]): void {
  if (paths.length === 0) return;
  throw new FoveaError(
    'not_implemented',
    `Not built yet: ${paths.join(', ')}. No version was made.`,
    {
      problems: paths.map((path) => ({ path, message: 'is not built yet' })),
      hint: 'Leave it out. Built: auto-orient, resize, flip, ninety, image.',
    },
  );
}

function chosenBeyond(
  settings: VersionSettings,
  group: keyof VersionSettings,
  built: readonly string[],
): readonly string[] {
  return Object.entries(settings[group])
    .filter(([name, value]) => !built.includes(name) && isChosen(value))
    .map(([name]) => `${group}.${name}`);
}

/** `false`, nothing and `{}` ask for nothing. */
function isChosen(value: unknown): boolean {
  if (value === undefined || value === false) return false;
  return typeof value !== 'object' || value === null || Object.keys(value).length > 0;
}

function planPreprocessing(settings: VersionSettings['preprocessing']): readonly Step[] {
  const steps: Step[] = [];
  if (settings['auto-orient']) steps.push({ kind: 'auto-orient' });
  if (settings.resize) steps.push(planResize(settings.resize));
  return steps;
}

function planResize({
  width,
  height,
  format,
}: NonNullable<VersionSettings['preprocessing']['resize']>): ResizeStep {
  if (isBuilt(format)) return { kind: 'resize', width, height, format };
  const path = 'preprocessing.resize.format';
  throw new FoveaError('not_implemented', `Not built yet: ${path} "${format}".`, {
    problems: [{ path, message: 'is not built yet' }],
    hint: `Built: ${builtFormats.map((name) => `"${name}"`).join(', ')}.`,
  });
}

function chosenTurns<Name extends keyof typeof turns>(
  chosen: Readonly<Partial<Record<Name, boolean | undefined>>> | undefined,
  names: readonly Name[],
): readonly Turn[] {
  return names.filter((name) => chosen?.[name]).map((name) => turns[name]);
}

/** Each flip and both together, each quarter turn, and one after the other; each result once. */
function planVariants(flips: readonly Turn[], quarters: readonly Turn[]): VersionPlan['variants'] {
  const [horizontal, vertical] = flips;
  const both = horizontal && vertical ? [composeTurns(horizontal, vertical)] : [];
  const results = new Map<string, Turn>();
  for (const flip of [turns.none, ...flips, ...both]) {
    for (const quarter of [turns.none, ...quarters]) {
      const turn = composeTurns(flip, quarter);
      results.set(turnKey(turn), turn);
    }
  }
  results.delete(turnKey(turns.none));
  return [...results.values()].map((turn) => [{ kind: 'turn', turn }]);
}

function warningsOf(variants: number, imagesPerSource: number): readonly string[] {
  if (variants > 0 && imagesPerSource === 1) {
    return ['augmentation.image.versions is not above 1: no augmented copies are made'];
  }
  if (imagesPerSource <= variants + 1) return [];
  return [
    `augmentation.image.versions is ${imagesPerSource}, but the chosen augmentations give at ` +
      `most ${variants + 1} different images from one: no more are made`,
  ];
}
