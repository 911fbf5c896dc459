// The YOLO family: a text file for each image with a row for each box, in shares of the image.
// `data.yaml`, `train/images` and `train/labels`; MT-YOLOv6 has `images/train` and `labels/train`,
// and Darknet the rows beside the images.

import { type SplitName, splitName } from '../contract/fields.ts';
import type { Box, Point } from '../imaging/box.ts';
import type { ExportFile, ExportImage, SurveyedDataset } from './export-dataset.ts';
import { classIndex, outlineOf } from './export-dataset.ts';
import { withExtension } from './export-names.ts';
import { smallestRectangle } from './oriented-box.ts';

export function yoloYaml(dataset: SurveyedDataset): readonly ExportFile[] {
  return [dataYaml(dataset, imagesFromBeside, posesOf(dataset))];
}

/**
 * Rows are `class x y width height`; in segmentation projects `class x y x y …` for every box, and
 * in keypoint projects a box with its keypoints: trainers read a dataset one way, never several.
 */
export function yoloRows(dataset: SurveyedDataset): FileOfImage {
  const pose = posesOf(dataset);
  const row = dataset.projectType.endsWith('-segmentation') ? outlineRow : boxRow;
  return rowsOf(dataset, labelsOfSplit, pose ? poseRow(pose) : row);
}

export function yoloObbYaml(dataset: SurveyedDataset): readonly ExportFile[] {
  return [dataYaml(dataset, imagesFromBeside)];
}

/** Rows are `class x1 y1 x2 y2 x3 y3 x4 y4`: the smallest rectangle around the outline. */
export function yoloObbRows(dataset: SurveyedDataset): FileOfImage {
  return rowsOf(dataset, labelsOfSplit, (box, image) =>
    pointShares(smallestRectangle(outlineOf(box)), image),
  );
}

export function mtYolov6Yaml(dataset: SurveyedDataset): readonly ExportFile[] {
  return [dataYaml(dataset, (split) => `./images/${split}`)];
}

/** Its trainer reads boxes alone, also in segmentation projects. */
export function mtYolov6Rows(dataset: SurveyedDataset): FileOfImage {
  return rowsOf(dataset, (split) => `labels/${split}`, boxRow);
}

/** Class names are in `_darknet.labels`, one a line, and the rows beside the images. */
export function darknetClasses({ classes, splits }: SurveyedDataset): readonly ExportFile[] {
  const names = classes.map((name) => `${name}\n`);
  return [...splits.keys()].map((split) => ({
    path: `${split}/_darknet.labels`,
    content: () => names,
  }));
}

export function darknetRows(dataset: SurveyedDataset): FileOfImage {
  return rowsOf(dataset, (split) => split, boxRow);
}

/** What trainers will refuse. */
export function yoloNote(dataset: SurveyedDataset): readonly string[] {
  return missingSplits(dataset).map(
    (key) => `Trainers of this format need images for ${key}; the version has none.`,
  );
}

/** These trainers do not look beside data.yaml for the folders that it names. */
export function yoloPathsNote(dataset: SurveyedDataset): readonly string[] {
  return [
    'Trainers of this format look for ../train/images from the folder where they are installed or',
    'started. Unpack beside that folder, or put the full path of this one for .. in data.yaml.',
    ...yoloNote(dataset),
  ];
}

type FileOfImage = (image: ExportImage) => ExportFile;

type Row = (box: Box, image: ExportImage) => readonly string[];

type FolderOf = (split: SplitName) => string;

/** Of the YOLO formats but MT-YOLOv6. */
const labelsOfSplit: FolderOf = (split) => `${split}/labels`;

/**
 * As on the hosted platform: scripts cut the two dots off and put a path before the rest.
 * Ultralytics tries the path as it stands, then without its dots.
 */
const imagesFromBeside: FolderOf = (split) => `../${split}/images`;

function rowsOf({ classes }: SurveyedDataset, folder: FolderOf, row: Row): FileOfImage {
  const indexOf = classIndex(classes);
  return (image) => {
    const path = `${folder(image.split)}/${withExtension(image.fileName, '.txt')}`;
    const line = (box: Box) => `${[indexOf(box.label), ...row(box, image)].join(' ')}\n`;
    return { path, content: () => image.boxes.map(line) };
  };
}

interface Pose {
  readonly names: ReadonlyMap<string, readonly string[]>;
  /** Keypoints of a row: as many as the class with the most has. */
  readonly count: number;
}

/** Undefined: boxes have no keypoints in its project. */
function posesOf({ projectType, keypoints: names }: SurveyedDataset): Pose | undefined {
  if (projectType !== 'keypoint-detection') return undefined;
  return {
    names,
    count: [...names.values()].reduce((most, { length }) => Math.max(most, length), 0),
  };
}

/** How data.yaml calls the splits. */
const splitKeys = { train: 'train', valid: 'val', test: 'test' } as const;

/** Without them trainers do not start; no other images may stand in for them unasked. */
function missingSplits(dataset: SurveyedDataset): readonly string[] {
  const needed = ['train', 'valid'] as const;
  return needed.filter((split) => !dataset.splits.has(split)).map((split) => splitKeys[split]);
}

/** All splits have a path, since scripts look for it. JSON strings are YAML strings. */
function dataYaml(dataset: SurveyedDataset, images: FolderOf, pose?: Pose): ExportFile {
  const names = dataset.classes;
  const lines = [
    ...splitName.options.map((split) => `${splitKeys[split]}: ${images(split)}`),
    ...missingSplits(dataset).map(
      (key) => `# ${key} has no folder: trainers need it, and the version has no images for it`,
    ),
    '',
    ...(pose === undefined || pose.count === 0 ? [] : poseYaml(names, pose)),
    `nc: ${names.length}`,
    `names: ${yamlList(names)}`,
    '',
  ];
  return { path: 'data.yaml', content: () => [lines.join('\n')] };
}

/** Which keypoints a mirror swaps nobody says, so there is no `flip_idx`. */
function poseYaml(classes: readonly string[], { names, count }: Pose): readonly string[] {
  const lists = classes.map((name, id) => `  ${id}: ${yamlList(names.get(name) ?? [])}`);
  return [`kpt_shape: [${count}, 3]`, 'kpt_names:', ...lists, ''];
}

function yamlList(names: readonly string[]): string {
  return `[${names.map((name) => JSON.stringify(name)).join(', ')}]`;
}

function boxRow({ x, y, width, height }: Box, image: ExportImage): readonly string[] {
  return [
    share(x, image.width),
    share(y, image.height),
    share(width, image.width),
    share(height, image.height),
  ];
}

function outlineRow(box: Box, image: ExportImage): readonly string[] {
  return pointShares(outlineOf(box), image);
}

/** Keypoints that nobody labelled, and those that the class does not have, are zeros. */
function poseRow({ names, count }: Pose): Row {
  return (box, image) => {
    const own = new Map(box.keypoints?.map((keypoint) => [keypoint.label, keypoint]));
    const points = (names.get(box.label) ?? []).map((name) => own.get(name));
    const padded = Array.from({ length: count }, (_, place) => points[place]);
    return [
      ...boxRow(box, image),
      ...padded.flatMap((point) =>
        point === undefined || point.visibility === 0
          ? ['0', '0', '0']
          : [share(point.x, image.width), share(point.y, image.height), `${point.visibility}`],
      ),
    ];
  };
}

function pointShares(points: readonly Point[], image: ExportImage): readonly string[] {
  return points.flatMap(([x, y]) => [share(x, image.width), share(y, image.height)]);
}

/** Ten digits give back a thousandth of a pixel of the largest image. */
function share(pixels: number, size: number): string {
  const rounded = Math.round((pixels / size) * 1e10) / 1e10 + 0;
  return rounded.toFixed(10).replace(/\.?0+$/, '');
}
