// COCO: `train/_annotations.coco.json` with the images beside it, and the same for valid and test.
// Ids start at 1 and are unique in their file. Category ids follow the alphabetical order of the
// classes, the same in every split; 0 is their common parent: docs/export-formats.md.

import { areaOf, tidy } from '../annotations/box-geometry.ts';
import { isoTime } from '../clock.ts';
import type { SplitName } from '../contract/fields.ts';
import type { Box, Keypoint, Point } from '../imaging/box.ts';
import type { ExportFile, ExportImage, ExportInfo, SurveyedDataset } from './export-dataset.ts';
import { classIndex, outlineOf, tidyEdges } from './export-dataset.ts';

/** A box without an outline has an empty `segmentation`. */
export function cocoFiles(dataset: SurveyedDataset): Iterable<ExportFile> {
  return filesOf(dataset, ({ points }) => points);
}

/** Trainers of masks fail on an empty `segmentation`: a box without an outline has its corners. */
export function cocoSegmentationFiles(dataset: SurveyedDataset): Iterable<ExportFile> {
  return filesOf(dataset, outlineOf);
}

/** The outline of a box that goes into the file. */
type Outline = (box: Box) => readonly Point[] | undefined;

function* filesOf(dataset: SurveyedDataset, outline: Outline): Iterable<ExportFile> {
  for (const split of dataset.splits.keys()) {
    const content = () => cocoText(dataset, split, outline);
    yield { path: `${split}/_annotations.coco.json`, content };
  }
}

/** Passes over the images of the split twice: all of them come before all boxes. */
async function* cocoText(
  dataset: SurveyedDataset,
  split: SplitName,
  outline: Outline,
): AsyncIterable<string> {
  const { info, projectType, classes } = dataset;
  const keypoints = projectType === 'keypoint-detection' ? dataset.keypoints : undefined;
  const created = isoTime(info.created);
  const head = {
    year: created.slice(0, 4),
    version: String(info.version),
    description: `${info.project}, version ${info.version}: ${info.versionName}`,
    contributor: '',
    url: '',
    date_created: created,
  };
  yield `{"info":${JSON.stringify(head)},\n`;
  yield `"licenses":${JSON.stringify([{ id: 1, name: info.license ?? 'not stated', url: '' }])},\n`;
  yield* list('categories', [[...categories(parentName(info), classes, keypoints)]]);
  yield ',\n';
  yield* list('images', describeImages(dataset.images(split), created));
  yield ',\n';
  const boxes = annotations(dataset.images(split), classes, keypoints, outline);
  yield* list('annotations', boxes);
  yield '}\n';
}

type Groups = Iterable<readonly object[]> | AsyncIterable<readonly object[]>;

/** One entry a line, so that two exports can be compared; those of a group are one piece. */
async function* list(name: string, groups: Groups): AsyncIterable<string> {
  yield `"${name}":[`;
  let separator = '\n';
  for await (const entries of groups) {
    let piece = '';
    for (const entry of entries) {
      piece += separator + JSON.stringify(entry);
      separator = ',\n';
    }
    yield piece;
  }
  yield ']';
}

type KeypointNames = ReadonlyMap<string, readonly string[]>;

/**
 * One line of text, so that it is a category everywhere. Trainers take a category below `none` for
 * no class, so the parent is never called so.
 */
function parentName({ annotation }: ExportInfo): string {
  const name = annotation.replaceAll(/[\p{Cc}\p{Cs}]/gu, ' ').trim();
  return name === '' || name === 'none' ? 'objects' : name;
}

/**
 * The parent of all classes comes first, as on the hosted platform: trainers leave out what has no
 * parent, and count one more category than the highest id.
 */
function* categories(
  parent: string,
  classes: readonly string[],
  keypoints: KeypointNames | undefined,
): Iterable<object> {
  yield { id: 0, name: parent, supercategory: 'none' };
  for (const [index, name] of classes.entries()) {
    const points = keypoints && { keypoints: keypoints.get(name) ?? [], skeleton: [] };
    yield { id: index + 1, name, supercategory: parent, ...points };
  }
}

async function* describeImages(
  images: AsyncIterable<ExportImage>,
  created: string,
): AsyncIterable<readonly object[]> {
  let id = 0;
  for await (const { fileName, width, height } of images) {
    id++;
    yield [{ id, license: 1, file_name: fileName, height, width, date_captured: created }];
  }
}

/** Those of each image. */
async function* annotations(
  images: AsyncIterable<ExportImage>,
  classes: readonly string[],
  keypoints: KeypointNames | undefined,
  outline: Outline,
): AsyncIterable<readonly object[]> {
  const indexOf = classIndex(classes);
  let id = 0;
  let imageId = 0;
  for await (const { boxes } of images) {
    imageId++;
    yield boxes.map((box) => ({
      id: ++id,
      image_id: imageId,
      category_id: indexOf(box.label) + 1,
      ...shapeOf(box, outline(box)),
      iscrowd: 0,
      ...(keypoints && keypointsOf(box, keypoints.get(box.label) ?? [])),
    }));
  }
}

function shapeOf(box: Box, points: readonly Point[] | undefined): object {
  const { left, top } = tidyEdges(box);
  const bbox = [left, top, tidy(box.width), tidy(box.height)];
  if (points === undefined) {
    return { bbox, area: tidy(box.width * box.height), segmentation: [] };
  }
  return { bbox, area: tidy(areaOf(points)), segmentation: [points.flat().map(tidy)] };
}

function keypointsOf({ keypoints = [] }: Box, names: readonly string[]): object {
  const byName = new Map<string, Keypoint>(keypoints.map((point) => [point.label, point]));
  const triples = names.map((name) => {
    const { x, y, visibility } = byName.get(name) ?? { x: 0, y: 0, visibility: 0 };
    return visibility === 0 ? [0, 0, 0] : [tidy(x), tidy(y), visibility];
  });
  const labelled = triples.filter(([, , visibility]) => visibility !== 0).length;
  return { keypoints: triples.flat(), num_keypoints: labelled };
}
