// The export formats: one table of what each holds and how it lies on disk.

import type { ProjectType } from '../annotations/annotation.ts';
import type { ExportFormatName } from '../contract/versions.ts';
import { type ErrorCode, FoveaError, invalidArgument } from '../errors.ts';
import { suggestSpelling } from '../spelling-suggestion.ts';
import { classFolders, clipFiles, foldersNote, oneClassEach } from './class-folders.ts';
import { cocoFiles, cocoSegmentationFiles } from './coco.ts';
import { createMlFiles } from './createml.ts';
import type { ExportFile, ExportImage, Selection, SurveyedDataset } from './export-dataset.ts';
import { jsonlFiles } from './jsonl.ts';
import { multiclassFiles } from './multiclass-csv.ts';
import { vocFile } from './pascal-voc.ts';
import { isMaskName, maskClasses, maskFile } from './png-mask.ts';
import { tfrecordFiles } from './tfrecord.ts';
import {
  darknetClasses,
  darknetRows,
  mtYolov6Rows,
  mtYolov6Yaml,
  yoloNote,
  yoloObbRows,
  yoloObbYaml,
  yoloPathsNote,
  yoloRows,
  yoloYaml,
} from './yolo.ts';

export interface ExportFormat {
  readonly name: ExportFormatName;
  /** Other names under which it is known. */
  readonly aliases?: readonly string[];
  /** The types of project whose labels it can hold. */
  readonly holds: readonly ProjectType[];
  /** Its files of many images. Throws `invalid_input` where it cannot hold the dataset. */
  readonly files: (dataset: SurveyedDataset) => Iterable<ExportFile> | AsyncIterable<ExportFile>;
  /** Its file of one image, which comes before the image. */
  readonly fileOfImage?: (dataset: SurveyedDataset) => (image: ExportImage) => ExportFile;
  /** Where an image goes; undefined where the files of the format hold the images. */
  readonly imagePath: ((dataset: SurveyedDataset) => (image: ExportImage) => string) | undefined;
  /** The images that it can hold, where these are not all. */
  readonly select?: () => Selection;
  /** Whether an image must not be called so, its extension aside. */
  readonly isReserved?: (stem: string) => boolean;
  /** What its users have to know, as lines of README.dataset.txt. */
  readonly note?: (dataset: SurveyedDataset) => readonly string[];
}

const boxes: readonly ProjectType[] = [
  'object-detection',
  'instance-segmentation',
  'semantic-segmentation',
];
const poses: readonly ProjectType[] = [...boxes, 'keypoint-detection'];
const oneLabel: readonly ProjectType[] = [...boxes, 'single-label-classification'];
const anyLabels: readonly ProjectType[] = [...oneLabel, 'multi-label-classification'];

const yolo = {
  holds: boxes,
  files: yoloYaml,
  fileOfImage: yoloRows,
  imagePath: inImages,
  note: yoloNote,
};
const folders = {
  holds: oneLabel,
  imagePath: classFolders,
  select: oneClassEach,
  note: foldersNote,
};

const formats: readonly ExportFormat[] = [
  { name: 'coco', holds: poses, files: cocoFiles, imagePath: inSplit },
  { name: 'coco-segmentation', holds: boxes, files: cocoSegmentationFiles, imagePath: inSplit },
  { name: 'voc', holds: boxes, files: () => [], fileOfImage: vocFile, imagePath: inSplit },
  { name: 'yolov5pytorch', aliases: ['yolov5'], ...yolo, note: yoloPathsNote },
  {
    name: 'mt-yolov6',
    aliases: ['my-yolov6'],
    holds: boxes,
    files: mtYolov6Yaml,
    fileOfImage: mtYolov6Rows,
    imagePath: inImagesOfAll,
    note: yoloNote,
  },
  { name: 'yolov7pytorch', aliases: ['yolov7'], ...yolo, note: yoloPathsNote },
  { name: 'yolov8', ...yolo, holds: poses },
  { name: 'yolov9', ...yolo, note: yoloPathsNote },
  { name: 'yolov11', ...yolo, holds: poses },
  { name: 'yolov12', ...yolo, holds: poses },
  { name: 'yolov8-obb', ...yolo, files: yoloObbYaml, fileOfImage: yoloObbRows },
  {
    name: 'darknet',
    holds: boxes,
    files: darknetClasses,
    fileOfImage: darknetRows,
    imagePath: inSplit,
  },
  { name: 'createml', holds: boxes, files: createMlFiles, imagePath: inSplit },
  { name: 'tfrecord', holds: boxes, files: tfrecordFiles, imagePath: undefined },
  { name: 'multiclass', holds: anyLabels, files: multiclassFiles, imagePath: inSplit },
  { name: 'folder', ...folders, files: () => [] },
  {
    name: 'png-mask-semantic',
    holds: boxes,
    files: maskClasses,
    fileOfImage: maskFile,
    imagePath: inSplit,
    isReserved: isMaskName,
  },
  { name: 'jsonl', holds: anyLabels, files: jsonlFiles, imagePath: inSplit },
  { name: 'clip', ...folders, files: clipFiles },
];

/**
 * The format of that name, for a project of that type. Throws `invalid_input` when the name is
 * unknown, or it or all formats cannot hold what the project labels.
 */
export function checkExportFormat(format: string, projectType: ProjectType): ExportFormat {
  const able = formats.filter(({ holds }) => holds.includes(projectType));
  if (able.length === 0) {
    throw invalidArgument('format', `no format holds ${projectType}`, 'Such projects keep images.');
  }
  const known = formats.find(({ name, aliases }) => name === format || aliases?.includes(format));
  if (known === undefined) {
    const guess = suggestSpelling(
      format,
      formats.flatMap(({ name, aliases = [] }) => [name, ...aliases]),
    );
    const meant = guess === undefined ? '' : `did you mean "${guess}"? `;
    throw invalidArgument('format', `is not an export format here; ${meant}Use ${list(able)}`);
  }
  if (!able.includes(known)) {
    throw invalidArgument('format', `cannot hold ${projectType}; use ${list(able)}`);
  }
  return known;
}

function list(able: readonly ExportFormat[]): string {
  const names = able.map(({ name }) => `"${name}"`);
  const last = names.pop();
  return names.length === 0 ? `${last}` : `${names.join(', ')} or ${last}`;
}

/** `train/cell.jpg`. */
function inSplit(): (image: ExportImage) => string {
  return ({ split, fileName }) => `${split}/${fileName}`;
}

/** `train/images/cell.jpg`. */
function inImages(): (image: ExportImage) => string {
  return ({ split, fileName }) => `${split}/images/${fileName}`;
}

/** `images/train/cell.jpg`. */
function inImagesOfAll(): (image: ExportImage) => string {
  return ({ split, fileName }) => `images/${split}/${fileName}`;
}

/**
 * Why there is no export. What the format cannot hold is the caller's to change: it fails again.
 * `again`: how it is tried once more, for example "Ask for it again".
 */
export function exportFailed(
  reason: string | undefined,
  code: ErrorCode | undefined,
  again: string,
): FoveaError {
  const isTransient = code === undefined || code === 'internal';
  return new FoveaError(code ?? 'internal', `The export failed. ${reason ?? 'It was given up.'}`, {
    ...(isTransient && { hint: `${again} to try it once more.` }),
  });
}
