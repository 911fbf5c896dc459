// COCO: `train/_annotations.coco.json` with the images beside it, and the same for valid and test.
// All ids start at 1 and are unique in their file. Category ids follow the alphabetical order of
// the classes, the same in every split: decisions/export-formats.md.

import { isoTime } from '../../clock.ts';
import type { Box, Keypoint } from '../annotations/annotation.ts';
import { areaOf } from '../annotations/boxes.ts';
import { classesOf, classIndex, imagesOf, splitsOf, tidy, tidyEdges } from './dataset.ts';
import type { ExportDataset, ExportFile, ExportImage } from './export-format.ts';

export function cocoImagePath({ split, fileName }: ExportImage): string {
  return `${split}/${fileName}`;
}

export function* cocoFiles(dataset: ExportDataset): Iterable<ExportFile> {
  for (const split of splitsOf(dataset)) {
    const images = imagesOf(dataset, split);
    yield { path: `${split}/_annotations.coco.json`, content: () => cocoText(dataset, images) };
  }
}

function* cocoText(dataset: ExportDataset, images: readonly ExportImage[]): Iterable<string> {
  const { info, projectType } = dataset;
  const classes = classesOf(dataset);
  const keypoints = projectType === 'keypoint-detection' ? keypointNames(dataset) : undefined;
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
  yield* list('categories', categories(classes, keypoints));
  yield ',\n';
  yield* list('images', describeImages(images, created));
  yield ',\n';
  yield* list('annotations', annotations(images, classes, keypoints));
  yield '}\n';
}

/** One entry a line, so that two exports can be compared. */
function* list(name: string, entries: Iterable<object>): Iterable<string> {
  yield `"${name}":[`;
  let separator = '\n';
  for (const entry of entries) {
    yield separator + JSON.stringify(entry);
    separator = ',\n';
  }
  yield ']';
}

type KeypointNames = ReadonlyMap<string, readonly string[]>;

/** For each class the keypoints that its boxes have, in the order of their first appearance. */
function keypointNames({ images }: ExportDataset): KeypointNames {
  const names = new Map<string, string[]>();
  for (const { label, keypoints = [] } of images.flatMap(({ boxes }) => boxes)) {
    const known = names.get(label) ?? [];
    for (const { label: name } of keypoints) if (!known.includes(name)) known.push(name);
    names.set(label, known);
  }
  return names;
}

function* categories(
  classes: readonly string[],
  keypoints: KeypointNames | undefined,
): Iterable<object> {
  for (const [index, name] of classes.entries()) {
    const points = keypoints && { keypoints: keypoints.get(name) ?? [], skeleton: [] };
    yield { id: index + 1, name, supercategory: 'none', ...points };
  }
}

function* describeImages(images: readonly ExportImage[], created: string): Iterable<object> {
  for (const [index, { fileName, width, height }] of images.entries()) {
    yield {
      id: index + 1,
      license: 1,
      file_name: fileName,
      height,
      width,
      date_captured: created,
    };
  }
}

function* annotations(
  images: readonly ExportImage[],
  classes: readonly string[],
  keypoints: KeypointNames | undefined,
): Iterable<object> {
  const indexOf = classIndex(classes);
  let id = 0;
  for (const [index, { boxes }] of images.entries()) {
    for (const box of boxes) {
      id++;
      yield {
        id,
        image_id: index + 1,
        category_id: indexOf(box) + 1,
        ...shapeOf(box),
        iscrowd: 0,
        ...(keypoints && keypointsOf(box, keypoints.get(box.label) ?? [])),
      };
    }
  }
}

function shapeOf(box: Box): object {
  const { left, top } = tidyEdges(box);
  const bbox = [left, top, tidy(box.width), tidy(box.height)];
  const { points } = box;
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
