// CreateML: `train/_annotations.createml.json`, an array with an entry for each image. Coordinates
// are the centre and the size in pixels.

import { tidy } from '../annotations/box-geometry.ts';
import type { ExportFile, ExportImage, SurveyedDataset } from './export-dataset.ts';

export function* createMlFiles(dataset: SurveyedDataset): Iterable<ExportFile> {
  for (const split of dataset.splits.keys()) {
    const content = () => entries(dataset.images(split));
    yield { path: `${split}/_annotations.createml.json`, content };
  }
}

/** One image a line, so that two exports can be compared. */
async function* entries(images: AsyncIterable<ExportImage>): AsyncIterable<string> {
  let separator = '[\n';
  for await (const { fileName, boxes } of images) {
    const annotations = boxes.map(({ label, x, y, width, height }) => ({
      label,
      coordinates: { x: tidy(x), y: tidy(y), width: tidy(width), height: tidy(height) },
    }));
    yield separator + JSON.stringify({ image: fileName, annotations });
    separator = ',\n';
  }
  yield '\n]\n';
}
