// How many images a version will have, from its settings and the counts of its project.

import type { SplitName } from './fields.ts';
import { copyBound } from './version-copies.ts';
import { normalizeSettings } from './version-idle.ts';
import type { VersionSettings } from './version-settings.ts';

export interface ProjectCounts {
  readonly splits: Readonly<Record<SplitName, number>>;
  /** Labelled boxes of all splits; only `isolate` needs them. Undefined: not known. */
  readonly boxes?: number | undefined;
}

/** From the best to the worst. */
const certainties = ['exact', 'at most', 'about', 'unknown'] as const;
type Certainty = (typeof certainties)[number];

export interface ExpectedCount {
  /** Null where nothing can be said. */
  readonly images: number | null;
  readonly certainty: Certainty;
  /** What stands behind a certainty that is not `exact`. */
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
  return { train, valid, test, total: sum([train, valid, test]) };
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
    : worsen(all, 'at most', `${filters.join(' and ')} may leave images out`);
}

/** Boxes are counted for the whole project: a split gets its share by its images. */
function isolateBoxes(
  { because, ...before }: ExpectedCount,
  split: SplitName,
  { splits, boxes }: ProjectCounts,
): ExpectedCount {
  const all = splits.train + splits.valid + splits.test;
  if (boxes === undefined) {
    const images: ExpectedCount = { images: null, certainty: 'unknown', because };
    return worsen(images, 'unknown', 'isolate makes one image per box; boxes are not known');
  }
  const images = { ...before, because, images: Math.round((boxes * splits[split]) / all) };
  return splits[split] === all
    ? worsen(images, 'at most', 'isolate makes one image per box that lies in its image')
    : worsen(images, 'about', `isolate makes one image per box: ${boxes} boxes in all splits`);
}

function cutTiles(before: ExpectedCount, tile: NonNullable<Preprocessing['tile']>): ExpectedCount {
  if ('rows' in tile) return times(before, tile.rows * tile.columns);
  return worsen(
    { ...before, images: null },
    'unknown',
    `tile by ${tile.mode} depends on the size of each image`,
  );
}

function copied(before: ExpectedCount, settings: VersionSettings): ExpectedCount {
  const { most, fewerBecause } = copyBound(settings);
  const wanted = settings.augmentation.image?.versions ?? 1;
  const factor = Math.min(wanted, most ?? wanted);
  const count = times(before, factor);
  return factor > 1 && fewerBecause !== undefined ? worsen(count, 'at most', fewerBecause) : count;
}

function exactly(images: number): ExpectedCount {
  return { images, certainty: 'exact', because: [] };
}

function times(count: ExpectedCount, factor: number): ExpectedCount {
  return { ...count, images: count.images === null ? null : count.images * factor };
}

function worsen(count: ExpectedCount, certainty: Certainty, reason: string): ExpectedCount {
  return {
    ...count,
    certainty: worst([count.certainty, certainty]),
    because: [...count.because, reason],
  };
}

function sum(counts: readonly ExpectedCount[]): ExpectedCount {
  const figures = counts.flatMap(({ images }) => (images === null ? [] : [images]));
  return {
    images: figures.length < counts.length ? null : figures.reduce((a, b) => a + b, 0),
    certainty: worst(counts.map(({ certainty }) => certainty)),
    because: [...new Set(counts.flatMap(({ because }) => because))],
  };
}

function worst(found: readonly Certainty[]): Certainty {
  return certainties.findLast((certainty) => found.includes(certainty)) ?? 'exact';
}
