// The images by whose labels an evaluation judges: a split of a version, or what a query finds.

import type { Annotation } from '../../annotations/annotation.ts';
import { areaOf, edgesOf } from '../../annotations/box-geometry.ts';
import type { EvaluableTask } from '../../contract/evaluations.ts';
import { FoveaError, invalidArgument } from '../../errors.ts';
import type { GroundTruth } from '../../evaluation/evaluated-image.ts';
import type { NamedImage } from '../../evaluation/find-images.ts';
import { wholeImage } from '../../evaluation/read-shape.ts';
import { exportNames } from '../../export-formats/export-names.ts';
import type { Box } from '../../imaging/box.ts';
import { limits } from '../../limits.ts';
import { parseQuery } from '../../query-language/parse-query.ts';
import { onlyProject } from '../access-control/accessible-projects.ts';
import { countsOf } from '../projects.ts';
import { projectFinder } from '../search/read-query.ts';
import type { EvaluationSettings } from '../store/evaluations.ts';
import type { Project } from '../store/projects.ts';
import type { Store } from '../store/store.ts';
import type { Version, VersionOutline } from '../store/versions.ts';
import { isOutlined } from './evaluable-project-type.ts';
import { originalScale } from './original-scale.ts';

export interface LabelledImage {
  readonly name: string;
  /** Undefined for an image of a version: files of predictions do not call it by that. */
  readonly id?: string;
  /** Of an image of a version. */
  readonly exportName?: string;
  readonly exportNumber?: number;
  /** Of the project's image, also where a version made this one of it. */
  readonly imageId: string | undefined;
  readonly hash: string;
  readonly scale: number;
  readonly width: number;
  readonly height: number;
  readonly groundTruths: readonly LabelledShape[];
}

export interface LabelledShape extends GroundTruth {
  /** x and y of each corner, where masks are judged: its mask is made in the thread. */
  readonly outline?: Float64Array;
  /** Where keypoints are judged: in the order of its class. */
  readonly keypoints?: Float64Array;
}

export interface LabelledImages {
  readonly classes: readonly string[];
  readonly images: readonly LabelledImage[];
  /** Images without annotation, which judge nothing. */
  readonly unannotated: number;
  /** Labels that have a box alone, where masks or keypoints are judged. */
  readonly bare: number;
  /** Where keypoints are judged, the names of those of each class. */
  readonly keypointNames: readonly (readonly string[])[] | undefined;
}

interface Row {
  readonly name: string;
  readonly id?: string;
  readonly exportName?: string;
  readonly exportNumber?: number;
  readonly imageId: string | undefined;
  readonly hash: string;
  readonly scale: number;
  readonly width: number;
  readonly height: number;
  readonly annotation: Annotation | undefined;
}

/** In an order that stays. Throws `invalid_input` where there is nothing to judge by. */
export async function labelledImages(
  store: Store,
  project: Project,
  modelTask: EvaluableTask,
  settings: EvaluationSettings,
  signal: AbortSignal,
): Promise<LabelledImages> {
  const version = await versionOf(store, project, settings);
  const rows: Row[] = [];
  for await (const row of rowsOf(store, project, version, settings, signal)) rows.push(row);
  const annotated = rows.filter(({ annotation }) => annotation !== undefined);
  // Of the whole project: a class that none of these images shows may be found in them too.
  const classes =
    version?.classes ?? Object.keys((await countsOf({ store }, project)).classes).sort();
  const keypointNames =
    modelTask === 'keypoints'
      ? await keypointsOf(version ? store.versions.images(version.id) : rows, classes, signal)
      : undefined;
  const images = annotated.map(({ annotation, ...row }) => ({
    ...row,
    groundTruths:
      annotation?.kind === 'classification'
        ? annotation.labels.map((label) => ({
            ...wholeImage(row),
            classIndex: classes.indexOf(label),
          }))
        : groundTruthsOf(annotation, modelTask, classes, keypointNames),
  }));
  const labels = images.reduce((sum, { groundTruths }) => sum + groundTruths.length, 0);
  const bare = annotated.reduce((sum, { annotation }) => sum + bareOf(annotation, modelTask), 0);
  if (bare === labels) {
    const lack = images.length === 0 ? 'none is annotated' : `they have no ${needed[modelTask]}`;
    throw nothingToJudgeBy(settings, rows.length, lack);
  }
  return {
    classes,
    images,
    unannotated: rows.length - images.length,
    bare,
    keypointNames,
  };
}

/**
 * What the images of an evaluation are called, those without annotation left out. Throws
 * `invalid_input` where none is left.
 */
export async function namedImages(
  store: Store,
  project: Project,
  settings: EvaluationSettings,
  signal: AbortSignal,
): Promise<readonly NamedImage[]> {
  const named: NamedImage[] = [];
  let found = 0;
  const version = await versionOf(store, project, settings);
  for await (const row of rowsOf(store, project, version, settings, signal)) {
    found += 1;
    const { annotation, name, id, exportName, exportNumber, width, height } = row;
    if (annotation === undefined) continue;
    named.push({ name, id, exportName, exportNumber, width, height });
  }
  if (named.length === 0) throw nothingToJudgeBy(settings, found, 'none is annotated');
  return named;
}

async function versionOf(store: Store, project: Project, { version }: EvaluationSettings) {
  return version === undefined ? undefined : readyVersion(store, project, version);
}

/** Throws `invalid_input` for too many. */
async function* rowsOf(
  store: Store,
  project: Project,
  version: Version | undefined,
  { split, query }: EvaluationSettings,
  signal: AbortSignal,
): AsyncIterable<Row> {
  const found = version
    ? versionRows(store, version, split ?? 'test')
    : queryRows(store, project, query ?? '');
  const most = limits.evaluationImagesMax;
  let count = 0;
  for await (const row of found) {
    signal.throwIfAborted();
    count += 1;
    if (count > most) {
      throw invalidArgument('query', `more than ${most} images; at most ${most} are judged`);
    }
    yield row;
  }
}

/** Throws `conflict` for one that is not ready. */
async function readyVersion(store: Store, project: Project, number: number): Promise<Version> {
  const version = await store.versions.find(project.id, number);
  if (version?.state === 'ready') return version;
  throw new FoveaError('conflict', `There is no version ${number} that is ready.`, {
    hint: 'versions_list has the versions of the project.',
  });
}

async function* versionRows(
  store: Store,
  version: Version,
  split: NonNullable<EvaluationSettings['split']>,
): AsyncIterable<Row> {
  const originals = new Map<number, VersionOutline>();
  for await (const outlines of store.versions.outlines(version.id)) {
    for (const outline of outlines) {
      if (outline.split === split) originals.set(outline.ordinal, outline);
    }
  }
  const exportNameOf = exportNames();
  let exportNumber = 0;
  for await (const made of store.versions.images(version.id, split)) {
    const { ordinal, name, hash, width, height, annotation } = made;
    const original = originals.get(ordinal);
    const scale = originalScale(version.settings, original ?? made, made);
    const exportName = exportNameOf({ split, fileName: name });
    exportNumber += 1;
    const imageId = original?.imageId;
    const size = { width, height, scale };
    yield { name, exportName, exportNumber, imageId, hash, ...size, annotation };
  }
}

async function* queryRows(store: Store, project: Project, text: string): AsyncIterable<Row> {
  const accessible = onlyProject(project);
  const { query } = parseQuery(text, await projectFinder(store, accessible));
  for (let after = 0; ; ) {
    const page = await store.search.found(accessible, query, after, limits.searchPageMax);
    for (const { name, id, hash, width, height, annotation } of page)
      yield { name, id, imageId: id, hash, scale: 1, width, height, annotation };
    const last = page.at(-1);
    if (last === undefined) return;
    after = last.ordinal;
  }
}

function boxesOf(annotation: Annotation | undefined) {
  return annotation?.kind === 'detection' ? annotation.boxes : [];
}

function groundTruthsOf(
  annotation: Annotation | undefined,
  modelTask: EvaluableTask,
  classes: readonly string[],
  keypointNames: LabelledImages['keypointNames'],
): readonly LabelledShape[] {
  return boxesOf(annotation).map((box) => {
    const { left, top } = edgesOf(box);
    const { width, height, points } = box;
    const classIndex = classes.indexOf(box.label);
    const names = keypointNames?.[classIndex];
    return {
      classIndex,
      left,
      top,
      width,
      height,
      area: points && areaOf(points),
      ...(isOutlined(modelTask) && { outline: outlineOf(box) }),
      ...(names && { keypoints: keypointNumbers(box, names) }),
    };
  });
}

const needed = {
  detection: 'boxes',
  segmentation: 'outlines',
  semantic: 'outlines',
  keypoints: 'keypoints',
  classification: 'classes',
} as const satisfies Record<EvaluableTask, string>;

/** That of the box where nobody drew one. */
function outlineOf(box: Box): Float64Array {
  if (box.points !== undefined) return Float64Array.from(box.points.flat());
  const { left, top, right, bottom } = edgesOf(box);
  return Float64Array.of(left, top, right, top, right, bottom, left, bottom);
}

/** What is not labelled has no place. */
function keypointNumbers({ keypoints = [] }: Box, names: readonly string[]): Float64Array {
  const numbers = new Float64Array(names.length * 3);
  for (const { label, x, y, visibility } of keypoints) {
    const place = names.indexOf(label);
    if (place >= 0 && visibility > 0) numbers.set([x, y, visibility], place * 3);
  }
  return numbers;
}

/** In the order in which labels name them, which is that of an export. */
async function keypointsOf(
  images: Iterable<Pick<Row, 'annotation'>> | AsyncIterable<Pick<Row, 'annotation'>>,
  classes: readonly string[],
  signal: AbortSignal,
): Promise<readonly (readonly string[])[]> {
  const known = new Map(classes.map((name) => [name, new Set<string>()]));
  for await (const { annotation } of images) {
    signal.throwIfAborted();
    for (const { label, keypoints = [] } of boxesOf(annotation)) {
      for (const keypoint of keypoints) known.get(label)?.add(keypoint.label);
    }
  }
  return [...known.values()].map((names) => [...names]);
}

/** Labels without what is judged. */
function bareOf(annotation: Annotation | undefined, modelTask: EvaluableTask): number {
  const isBare = {
    detection: () => false,
    classification: () => false,
    segmentation: ({ points }: Box) => points === undefined,
    semantic: ({ points }: Box) => points === undefined,
    keypoints: ({ keypoints = [] }: Box) => keypoints.every(({ visibility }) => visibility === 0),
  } as const satisfies Record<EvaluableTask, (box: Box) => boolean>;
  return boxesOf(annotation).filter(isBare[modelTask]).length;
}

function nothingToJudgeBy(
  { version, split = 'test', query }: EvaluationSettings,
  images: number,
  have: string,
): FoveaError {
  const what = images === 0 ? 'has no images' : `has ${images} images, and ${have}`;
  if (query !== undefined) {
    const found = images === 0 ? 'finds no image' : `finds ${images} images, and ${have}`;
    return invalidArgument('query', found, 'Try it with workspace_search first.');
  }
  return invalidArgument(
    'split',
    `the split ${split} of version ${version} ${what}`,
    'projects_rebalance_splits moves images to it before the next version.',
  );
}
