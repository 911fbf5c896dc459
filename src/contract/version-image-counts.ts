// Predicts how many images a version will have, from its settings and the counts of its project.

import type { SplitName } from './fields.ts';
import { normalizeSettings } from './version-no-op-steps.ts';
import type { VersionSettings } from './version-settings.ts';

export interface ProjectCounts {
  readonly splits: Readonly<Record<SplitName, number>>;
  /** Labelled boxes of all splits; only `isolate` needs them. Undefined: unknown. */
  readonly boxes?: number | undefined;
}

/** From best to worst. */
const certainties = ['exact', 'at most', 'about', 'unknown'] as const;
type Certainty = (typeof certainties)[number];

export interface ExpectedCount {
  /** Null: unknown. */
  readonly images: number | null;
  readonly certainty: Certainty;
  /** Reasons for a certainty other than `exact`. */
  readonly because: readonly string[];
}

export type ExpectedCounts = Readonly<Record<SplitName | 'total', ExpectedCount>>;

/** The images that a version is expected to have in each split (decisions/augmented-copies.md). */
export function expectedCounts(settings: VersionSettings, project: ProjectCounts): ExpectedCounts {
  const normal = normalizeSettings(settings);
  const count = (split: SplitName): ExpectedCount => {
    if (project.splits[split] === 0) return exactly(0);
    const prepared = prepare(split, normal.preprocessing, project);
    return split === 'train' ? copied(prepared, normal) : prepared;
  };
  const [train, valid, test] = [count('train'), count('valid'), count('test')];
  return { train, valid, test, total: sumOf([train, valid, test]) };
}

type Preprocessing = VersionSettings['preprocessing'];

function prepare(
  split: SplitName,
  preprocessing: Preprocessing,
  project: ProjectCounts,
): ExpectedCount {
  const { isolate, tile } = preprocessing;
  const filtered = filter(exactly(project.splits[split]), preprocessing);
  const isolated = isolate ? isolateBoxes(filtered, split, project) : filtered;
  return tile ? cutTiles(isolated, tile) : isolated;
}

function filter(all: ExpectedCount, preprocessing: Preprocessing): ExpectedCount {
  const filters = (['filter-null', 'filter-tags'] as const).filter((key) => preprocessing[key]);
  return filters.length === 0
    ? all
    : withCertainty(all, 'at most', `${filters.join(' and ')} may leave images out`);
}

/** Boxes are known for the whole project only; each split gets a share by its images. */
function isolateBoxes(
  { because, ...before }: ExpectedCount,
  split: SplitName,
  { splits, boxes }: ProjectCounts,
): ExpectedCount {
  const all = splits.train + splits.valid + splits.test;
  if (boxes === undefined) {
    const images: ExpectedCount = { images: null, certainty: 'unknown', because };
    return withCertainty(images, 'unknown', 'isolate makes one image per box; boxes are not known');
  }
  const images = { ...before, because, images: Math.round((boxes * splits[split]) / all) };
  return splits[split] === all
    ? withCertainty(images, 'at most', 'isolate makes one image per box that lies in its image')
    : withCertainty(
        images,
        'about',
        `isolate makes one image per box: ${boxes} boxes in all splits`,
      );
}

function cutTiles(before: ExpectedCount, tile: NonNullable<Preprocessing['tile']>): ExpectedCount {
  if ('rows' in tile) return times(before, tile.rows * tile.columns);
  return withCertainty(
    { ...before, images: null },
    'unknown',
    `tile by ${tile.mode} depends on the size of each image`,
  );
}

function copied(before: ExpectedCount, settings: VersionSettings): ExpectedCount {
  const { most, fewerBecause } = copyLimit(settings);
  const wanted = settings.augmentation.image?.versions ?? 1;
  const factor = Math.min(wanted, most ?? wanted);
  const count = times(before, factor);
  return factor > 1 && fewerBecause !== undefined
    ? withCertainty(count, 'at most', fewerBecause)
    : count;
}

function exactly(images: number): ExpectedCount {
  return { images, certainty: 'exact', because: [] };
}

function times(count: ExpectedCount, factor: number): ExpectedCount {
  return { ...count, images: count.images === null ? null : count.images * factor };
}

function withCertainty(count: ExpectedCount, certainty: Certainty, reason: string): ExpectedCount {
  return {
    ...count,
    certainty: leastCertain([count.certainty, certainty]),
    because: [...count.because, reason],
  };
}

function sumOf(counts: readonly ExpectedCount[]): ExpectedCount {
  const figures = counts.flatMap(({ images }) => (images === null ? [] : [images]));
  return {
    images: figures.length < counts.length ? null : figures.reduce((a, b) => a + b, 0),
    certainty: leastCertain(counts.map(({ certainty }) => certainty)),
    because: [...new Set(counts.flatMap(({ because }) => because))],
  };
}

function leastCertain(found: readonly Certainty[]): Certainty {
  return certainties.findLast((certainty) => found.includes(certainty)) ?? 'exact';
}

type Augmentation = VersionSettings['augmentation'];

export interface CopyLimit {
  /** Different images from one train image, itself included; undefined: practically unlimited. */
  readonly most: number | undefined;
  /** Why there may be fewer than `most` or `image.versions`; undefined: there are not fewer. */
  readonly fewerBecause: string | undefined;
}

/**
 * How many different images the chosen augmentations can make of one image. Flips and quarter turns
 * have at most eight results; copies never repeat (decisions/augmented-copies.md).
 */
export function copyLimit(settings: VersionSettings): CopyLimit {
  const { augmentation } = normalizeSettings(settings);
  const keys = Object.keys(augmentation).filter((key) => key !== 'image');
  if (keys.length === 0) return { most: 1, fewerBecause: undefined };
  if (keys.some((key) => !key.startsWith('bb') && !countable.includes(key))) {
    return { most: undefined, fewerBecause: undefined };
  }
  if (keys.some((key) => key.startsWith('bb'))) {
    return { most: undefined, fewerBecause: 'images without boxes have fewer different copies' };
  }
  const turns = flipAndTurnResults(augmentation);
  if (keys.every((key) => key === 'flip' || key === 'ninety')) {
    return { most: turns, fewerBecause: undefined };
  }
  const coloured = turns * brightnessResults(augmentation);
  const percent = augmentation.rgrayscale?.percent ?? 0;
  // At 100 percent all copies are gray, and only the original is not.
  const most = percent === 100 ? 1 + coloured : coloured * (percent > 0 ? 2 : 1);
  return { most, fewerBecause: 'few different copies are possible' };
}

/** Augmentations of whole images with few results; all others have practically unlimited ones. */
const countable: readonly string[] = ['flip', 'ninety', 'rgrayscale', 'brightness'];

/** Each result of flips and quarter turns is a mirroring and a number of quarter turns. */
function flipAndTurnResults({ flip, ninety }: Augmentation): number {
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

/** Brightness changes by whole steps of 255. */
function brightnessResults({ brightness }: Augmentation): number {
  if (!brightness) return 1;
  const steps = Math.round((255 * brightness.percent) / 100);
  return 1 + steps * (Number(brightness.brighten) + Number(brightness.darken));
}
