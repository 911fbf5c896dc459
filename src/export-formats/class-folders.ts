// Classification as folders: `train/CLASS/cell.jpg`. CLIP has captions beside them.

import { invalidArgument } from '../errors.ts';
import type { ExportDataset, ExportFile, ExportImage } from './export-dataset.ts';
import { classesOf, imagesOf, labelsOf, splitsOf } from './export-dataset.ts';
import { safeName, uniqueNames } from './export-names.ts';

/**
 * The images that have a class: its own label, or the label that all its boxes share. Throws
 * `invalid_input` where an image has several classes, or where none has any.
 */
export function oneClassEach(dataset: ExportDataset): ExportDataset {
  const { images } = dataset;
  const several = images.filter((image) => labelsOf(image).length > 1).length;
  if (several > 0) {
    throw invalidArgument(
      'format',
      `takes one class for each image, but ${several} of ${images.length} have several; ` +
        'use "multiclass", or a version with preprocessing.isolate, which makes an image of each box',
    );
  }
  const labelled = images.filter((image) => labelsOf(image).length === 1);
  if (labelled.length > 0) return { ...dataset, images: labelled };
  throw invalidArgument('format', `takes images with a class; none of ${images.length} has one`);
}

export function classFolders(dataset: ExportDataset): (image: ExportImage) => string {
  const folders = folderNames(dataset);
  return (image) => `${image.split}/${folders.get(labelsOf(image)[0] ?? '')}/${image.fileName}`;
}

/** What README.dataset.txt says of folders that could not have the name of their class. */
export function foldersNote(dataset: ExportDataset): readonly string[] {
  const renamed = [...folderNames(dataset)].filter(([label, folder]) => label !== folder);
  if (renamed.length === 0) return [];
  const lines = renamed.map(([label, folder]) => `  ${folder}: ${label}`);
  return ['Folders whose name is not that of their class', ...lines];
}

/** A caption for each class folder of the split, in the order of the folders' names. */
export function* clipFiles(dataset: ExportDataset): Iterable<ExportFile> {
  const folders = folderNames(dataset);
  for (const split of splitsOf(dataset)) {
    const labels = new Set(imagesOf(dataset, split).flatMap(labelsOf));
    const inOrder = [...folders]
      .filter(([label]) => labels.has(label))
      .toSorted(([, a], [, b]) => (a < b ? -1 : 1));
    const captions = inOrder.map(([label]) => `a photo of ${label}\n`);
    yield { path: `${split}/${captionsFile}`, content: () => captions };
  }
}

const captionsFile = '_tokenization.txt';

/** Class to folder: safe to unpack, and different from all others whatever their case. */
function folderNames(dataset: ExportDataset): ReadonlyMap<string, string> {
  const unique = uniqueNames((name) => name === captionsFile);
  return new Map(classesOf(dataset).map((name) => [name, unique(safeName(name) || 'class')]));
}
