// Classification as a table: `train/_classes.csv` with a column for each class, 1 where the image
// shows it and 0 where not, and the images beside it.

import { csvRow } from './csv.ts';
import type { ExportFile, ExportImage, SurveyedDataset } from './export-dataset.ts';
import { labelsOf } from './export-dataset.ts';

export function* multiclassFiles(dataset: SurveyedDataset): Iterable<ExportFile> {
  for (const split of dataset.splits.keys()) {
    const content = () => rows(dataset.classes, dataset.images(split));
    yield { path: `${split}/_classes.csv`, content };
  }
}

async function* rows(
  classes: readonly string[],
  images: AsyncIterable<ExportImage>,
): AsyncIterable<string> {
  yield csvRow('filename', classes);
  for await (const image of images) {
    const shown = new Set(labelsOf(image));
    yield csvRow(
      image.fileName,
      classes.map((name) => (shown.has(name) ? 1 : 0)),
    );
  }
}
