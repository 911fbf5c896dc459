// Classification as a table: `train/_classes.csv` with a column for each class, 1 where the image
// shows it and 0 where not, and the images beside it.

import { csvRow } from './csv.ts';
import type { ExportDataset, ExportFile, ExportImage } from './export-dataset.ts';
import { classesOf, imagesOf, labelsOf, splitsOf } from './export-dataset.ts';

export function* multiclassFiles(dataset: ExportDataset): Iterable<ExportFile> {
  const classes = classesOf(dataset);
  for (const split of splitsOf(dataset)) {
    const images = imagesOf(dataset, split);
    yield { path: `${split}/_classes.csv`, content: () => rows(classes, images) };
  }
}

function* rows(classes: readonly string[], images: readonly ExportImage[]): Iterable<string> {
  yield csvRow('filename', classes);
  for (const image of images) {
    const shown = new Set(labelsOf(image));
    yield csvRow(
      image.fileName,
      classes.map((name) => (shown.has(name) ? 1 : 0)),
    );
  }
}
