// From the settings of a version to the steps that make its images.

import type { SplitName } from '../../contract/fields.ts';
import { FoveaError, invalidArgument } from '../../errors.ts';
import { type Random, shuffled } from './random.ts';
import { type ResizeStep, resizeFormats, type Step } from './steps.ts';
import { composeTurns, type Turn, turnKey, turns } from './turn.ts';

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
export function planVersion({
  preprocessing = {},
  augmentation = {},
}: VersionSettings): VersionPlan {
  refuseOthers(
    ...chosenBeyond(preprocessing, 'preprocessing', ['auto-orient', 'resize']),
    ...chosenBeyond(augmentation, 'augmentation', ['flip', 'ninety', 'image']),
  );
  const steps: Step[] = [];
  if (preprocessing['auto-orient'] === true) steps.push({ kind: 'auto-orient' });
  if (isChosen(preprocessing.resize)) steps.push(readResize(preprocessing.resize));
  const variants = planVariants(
    chosenTurns(augmentation.flip, ['horizontal', 'vertical']),
    chosenTurns(augmentation.ninety, ['clockwise', 'counter-clockwise', 'upside-down']),
  );
  const imagesPerSource = readImagesPerSource(augmentation.image);
  const warnings = warningsOf(variants.length, imagesPerSource);
  return { preprocessing: steps, variants, imagesPerSource, warnings };
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

function refuseOthers(...paths: readonly string[]): void {
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
  settings: Readonly<Record<string, unknown>>,
  path: string,
  built: readonly string[],
): readonly string[] {
  return Object.entries(settings)
    .filter(([key, value]) => !built.includes(key) && isChosen(value))
    .map(([key]) => `${path}.${key}`);
}

/** `false`, nothing and `{}` ask for nothing. */
function isChosen(value: unknown): value is NonNullable<unknown> {
  if (value === undefined || value === null || value === false) return false;
  return typeof value !== 'object' || Object.keys(value).length > 0;
}

function readResize(value: NonNullable<unknown>): ResizeStep {
  const path = 'preprocessing.resize';
  const { width, height, format } = { width: undefined, height: undefined, format: '', ...value };
  const known = resizeFormats.find((name) => name === format);
  if (known !== undefined) {
    return {
      kind: 'resize',
      width: readSide(width, `${path}.width`),
      height: readSide(height, `${path}.height`),
      format: known,
    };
  }
  const built = resizeFormats.map((name) => `"${name}"`).join(', ');
  if (format !== 'Fit (reflect edges) in' && format !== 'Fit (grey edges) in') {
    throw invalidArgument(`${path}.format`, `must be one of ${built}`);
  }
  throw new FoveaError('not_implemented', `Not built yet: ${path}.format "${format}".`, {
    problems: [{ path: `${path}.format`, message: 'is not built yet' }],
    hint: `Built: ${built}.`,
  });
}

function readSide(value: unknown, path: string): number {
  if (typeof value === 'number' && Number.isInteger(value) && value > 0) return value;
  throw invalidArgument(path, 'must be a whole number of pixels, 1 or more');
}

function readImagesPerSource(value: unknown): number {
  if (!isChosen(value)) return 1;
  const { versions } = { versions: undefined, ...value };
  if (typeof versions === 'number' && Number.isInteger(versions) && versions > 0) return versions;
  throw invalidArgument('augmentation.image.versions', 'must be a whole number, 1 or more');
}

function chosenTurns(value: unknown, names: readonly (keyof typeof turns)[]): readonly Turn[] {
  if (!isChosen(value)) return [];
  const chosen = new Map(Object.entries(value));
  return names.filter((name) => chosen.get(name) === true).map((name) => turns[name]);
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
