// What is to be said of a version before it is generated: warnings about its settings and its
// project, what strengths amount to, and image counts. Dry run and real run say the same.

import type { Settings } from '../../src/config.ts';
import type { Answer, Input } from '../../src/contract/operation.ts';
import { projects } from '../../src/contract/projects.ts';
import { search } from '../../src/contract/search.ts';
import { dependsOnImages, versionEffects } from '../../src/contract/version-effects.ts';
import { type ExpectedCounts, expectedCounts } from '../../src/contract/version-image-counts.ts';
import { settingsWarnings } from '../../src/contract/version-warnings.ts';
import type { versions } from '../../src/contract/versions.ts';
import { limits } from '../../src/limits.ts';
import { isOwnPlatform, type ToolContext } from '../../src/mcp/tool.ts';
import { count, nameList } from '../format.ts';
import { countTagged } from './count-tagged.ts';
import { sampleImages } from './sample-images.ts';

type Wanted = Input<typeof versions.versions_generate>;
type Project = Answer<typeof projects.projects_get>['project'];

export interface Judgement {
  readonly project: Project;
  readonly expected: ExpectedCounts | undefined;
  /** Why the platform would refuse it. */
  readonly refusals: readonly string[];
  readonly warnings: readonly string[];
  /** What strengths amount to, in area and pixels. */
  readonly effects: readonly string[];
  /** Tags of the filter that no image has. */
  readonly unknownTags: readonly string[];
}

/**
 * Reads the counts of the project, and some of its images where settings depend on them. Throws
 * what these reads throw, for example `not_found` for a project that is not there.
 */
export async function judgeVersion(wanted: Wanted, context: ToolContext): Promise<Judgement> {
  const { workspace, project } = wanted;
  const { client, settings, signal } = context;
  const where = { workspace, project };
  const { body } = await client.call(projects.projects_get, where, { signal });
  const expected = await countImages(wanted, body.project, context);
  const strangers = await unknownTags(wanted, context);
  const sample = dependsOnImages(wanted) ? await sampleImages(where, context) : [];
  const { effects, warnings } = versionEffects(wanted, sample);
  const unusual = settingsWarnings(wanted);
  return {
    project: body.project,
    expected,
    refusals: refusalsOf(wanted, settings),
    warnings: [
      ...unusual,
      ...warnings,
      ...resizeWarnings(wanted, unusual),
      ...projectWarnings(wanted, body.project),
      ...boxlessWarnings(wanted, body.project, expected),
      ...(strangers.length > 0
        ? [`preprocessing.filter-tags names ${nameList(strangers)}: no image has such a tag`]
        : []),
    ],
    effects,
    unknownTags: strangers,
  };
}

/** Tags of the filter that no image of the project has. */
async function unknownTags(
  { workspace, project, preprocessing }: Wanted,
  { client, signal }: ToolContext,
): Promise<readonly string[]> {
  const tags = Object.keys(preprocessing['filter-tags'] ?? {}).slice(0, tagsLookedForMax);
  const found = await Promise.all(
    tags.map(async (tag) => {
      const where = { workspace, project, tag, fields: [], limit: 1 };
      const { body } = await client.call(search.images_search, where, { signal });
      return { tag, isThere: body.results.length > 0 };
    }),
  );
  return found.filter(({ isThere }) => !isThere).map(({ tag }) => tag);
}

/** One call for each tag. */
const tagsLookedForMax = 10;

/** Whether nothing is left to judge a model by. */
function isUnsplit({ train = 0, valid = 0, test = 0 }: NonNullable<Project['splits']>): boolean {
  return train > 0 && valid + test === 0;
}

/** Undefined where the platform does not say how many images the splits have. */
async function countImages(
  { workspace, project, ...settings }: Wanted,
  { splits, type }: Project,
  context: ToolContext,
): Promise<ExpectedCounts | undefined> {
  if (splits === undefined) return undefined;
  const { client, signal } = context;
  const { train = 0, valid = 0, test = 0 } = splits;
  const countBoxes = async () => {
    if (isClassification(type)) return 0;
    const where = { workspace, project };
    const { body } = await client.call(projects.projects_health, where, { signal });
    return body.stats.numAnnotations;
  };
  const { 'filter-tags': tags, ...others } = settings.preprocessing;
  // With isolate boxes are counted, which are known for whole splits alone.
  if (tags && !others.isolate && Object.keys(tags).length <= tagsLookedForMax) {
    const left = await countTagged({ workspace, project, tags }, context);
    const rest = { ...settings, preprocessing: others };
    if (left !== undefined) return expectedCounts(rest, { splits: left });
  }
  const boxes = settings.preprocessing.isolate ? await countBoxes() : undefined;
  return expectedCounts(settings, { splits: { train, valid, test }, boxes });
}

/**
 * Bounds of our platform, of which another machine may set its own for copies; those of others
 * depend on the plan and are not known.
 */
function refusalsOf(
  { augmentation, preprocessing }: Wanted,
  settings: Settings,
): readonly string[] {
  if (!isOwnPlatform(settings)) return [];
  const cap = settings.baseUrl === undefined ? settings.versionMultiplierMax : undefined;
  const versions = augmentation.image?.versions ?? 1;
  const { tile } = preprocessing;
  const tiles = tile && 'rows' in tile ? tile.rows * tile.columns : 0;
  const most = limits.piecesPerImageMax;
  return [
    ...(cap !== undefined && versions > cap
      ? [`augmentation.image.versions is ${versions}; ${cap} is the most`]
      : []),
    ...(tiles > most
      ? [`preprocessing.tile makes ${tiles} of each image; ${most} is the most`]
      : []),
  ];
}

function resizeWarnings({ preprocessing }: Wanted, unusual: readonly string[]): readonly string[] {
  const missing = 'preprocessing.resize is missing';
  const isTold = unusual.some((warning) => warning.startsWith(missing));
  return preprocessing.resize || isTold ? [] : [`${missing}: images keep their sizes`];
}

/** Generation would fail, and only in the background. */
function boxlessWarnings(
  { preprocessing }: Wanted,
  { type, images }: Project,
  expected: ExpectedCounts | undefined,
): readonly string[] {
  if (!preprocessing.isolate || isClassification(type) || images === 0) return [];
  const isBoxless = expected?.total.images === 0;
  return isBoxless ? ['preprocessing.isolate needs boxes; the project has none'] : [];
}

/** Warnings that depend on the images and classes of the project. */
function projectWarnings(
  { preprocessing, augmentation }: Wanted,
  { splits, classes, type, unannotated = 0 }: Project,
): readonly string[] {
  const { train = 0, valid = 0, test = 0 } = splits ?? { train: 1 };
  const isEmpty = train + valid + test === 0;
  const strangers = Object.keys(preprocessing.remap ?? {}).filter(
    (name) => classes && !Object.hasOwn(classes, name),
  );
  const boxKeys = Object.keys(augmentation).filter((key) => key.startsWith('bb'));
  const needBoxes = [
    ...(preprocessing.isolate ? ['preprocessing.isolate'] : []),
    ...(augmentation.mosaic ? ['augmentation.mosaic'] : []),
    ...boxKeys.map((key) => `augmentation.${key}`),
  ];
  return [
    ...(strangers.length > 0
      ? [`preprocessing.remap names ${nameList(strangers)}: the project has no such class`]
      : []),
    ...(isClassification(type)
      ? needBoxes.map((path) => `${path} needs boxes; a classification project has none`)
      : []),
    ...(isEmpty ? ['project has no images: a version needs at least one'] : []),
    ...(!isEmpty && unannotated > 0
      ? [
          `project has ${count(unannotated, 'image')} that nobody annotated (annotated:false): they ` +
            'become examples that show nothing',
        ]
      : []),
    ...(splits && isUnsplit(splits)
      ? ['project has no valid and no test images: projects_rebalance_splits gives it some']
      : []),
    ...(!isEmpty && train === 0 && (augmentation.image?.versions ?? 1) > 1
      ? ['project has no train images: augmentation works on none']
      : []),
  ];
}

/** Platforms say `classification`, or which kind of it. */
function isClassification(type: string): boolean {
  return type.endsWith('classification');
}
