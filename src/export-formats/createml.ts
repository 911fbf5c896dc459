// CreateML: `train/_annotations.createml.json`, an array with an entry for each image. Coordinates
// are the centre and the size in pixels.

import { tidy } from '../annotations/box-geometry.ts';
import type { ExportDataset, ExportFile, ExportImage } from './export-dataset.ts';
import { imagesOf, splitsOf } from './export-dataset.ts';

export function* createMlFiles(dataset: ExportDataset): Iterable<ExportFile> {
  for (const split of splitsOf(dataset)) {
    const images = imagesOf(dataset, split);
    yield { path: `${split}/_annotations.createml.json`, content: () => entries(images) };
  }
}

/** One image a line, so that two exports can be compared. */
function* entries(images: readonly ExportImage[]): Iterable<string> {
  let separator = '[\n';
  for (const { fileName, boxes } of images) {
    const annotations = boxes.map(({ label, x, y, width, height }) => ({
      label,
      coordinates: { x: tidy(x), y: tidy(y), width: tidy(width), height: tidy(height) },
    }));
    yield separator + JSON.stringify({ image: fileName, annotations });
    separator = ',\n';
  }
  yield '\n]\n';
}
