// Classification as folders: `train/CLASS/cell.jpg`. CLIP has captions beside them.

import { invalidArgument } from '../errors.ts';
import type { ExportFile, ExportImage, Selection, SurveyedDataset } from './export-dataset.ts';
import { labelsOf } from './export-dataset.ts';
import { safeName, uniqueNames } from './export-names.ts';

/**
 * The images that have a class: its own label, or the label that all its boxes share. Refused is
 * where an image has several classes, or where none has any.
 */
export function oneClassEach(): Selection {
  let [all, several, labelled] = [0, 0, 0];
  return {
    takes: (image) => {
      const { length } = labelsOf(image);
      all += 1;
      if (length > 1) several += 1;
      if (length === 1) labelled += 1;
      return length === 1;
    },
    finish: () => {
      if (several > 0) {
        throw invalidArgument(
          'format',
          `takes one class for each image, but ${several} of ${all} have several; ` +
            'use "multiclass", or a version with preprocessing.isolate, which makes an image of each box',
        );
      }
      if (labelled > 0) return;
      throw invalidArgument('format', `takes images with a class; none of ${all} has one`);
    },
  };
}

export function classFolders(dataset: SurveyedDataset): (image: ExportImage) => string {
  const folders = folderNames(dataset);
  return (image) => `${image.split}/${folders.get(labelsOf(image)[0] ?? '')}/${image.fileName}`;
}

/** What README.dataset.txt says of folders that could not have the name of their class. */
export function foldersNote(dataset: SurveyedDataset): readonly string[] {
  const renamed = [...folderNames(dataset)].filter(([label, folder]) => label !== folder);
  if (renamed.length === 0) return [];
  const lines = renamed.map(([label, folder]) => `  ${folder}: ${label}`);
  return ['Folders whose name is not that of their class', ...lines];
}

/** A caption for each class folder of the split, in the order of the folders' names. */
export function* clipFiles(dataset: SurveyedDataset): Iterable<ExportFile> {
  const folders = folderNames(dataset);
  for (const [split, { classes }] of dataset.splits) {
    const inOrder = [...folders]
      .filter(([label]) => classes.has(label))
      .toSorted(([, a], [, b]) => (a < b ? -1 : 1));
    const captions = inOrder.map(([label]) => `a photo of ${label}\n`);
    yield { path: `${split}/${captionsFile}`, content: () => captions };
  }
}

const captionsFile = '_tokenization.txt';

/** Class to folder: safe to unpack, and different from all others whatever their case. */
function folderNames(dataset: SurveyedDataset): ReadonlyMap<string, string> {
  const unique = uniqueNames((name) => name === captionsFile);
  return new Map(dataset.classes.map((name) => [name, unique(safeName(name) || 'class')]));
}
