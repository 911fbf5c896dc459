// JSON lines for models of vision and language: `train/annotations.jsonl` with the images beside
// it. A line has the image, what to ask (`prefix`) and what to answer (`suffix`).

import { isClassification } from '../annotations/annotation.ts';
import { edgesOf } from '../annotations/box-geometry.ts';
import type { Box } from '../imaging/box.ts';
import type { ExportFile, ExportImage, SurveyedDataset } from './export-dataset.ts';
import { labelsOf } from './export-dataset.ts';

/**
 * Projects that label boxes ask `detect a ; b`, and answer with four location tokens and the class
 * of each box. Classification asks `classify a ; b`, and answers with the classes.
 */
export function* jsonlFiles(dataset: SurveyedDataset): Iterable<ExportFile> {
  const isOfWholeImages = isClassification(dataset.projectType);
  const verb = isOfWholeImages ? 'classify' : 'detect';
  const prefix = `${verb} ${dataset.classes.join(between)}`;
  const answer = isOfWholeImages ? labelsOf : locations;
  const line = (image: ExportImage) =>
    `${JSON.stringify({ image: image.fileName, prefix, suffix: answer(image).join(between) })}\n`;
  for (const split of dataset.splits.keys()) {
    const content = () => mapped(dataset.images(split), line);
    yield { path: `${split}/annotations.jsonl`, content };
  }
}

const between = ' ; ';

async function* mapped(
  images: AsyncIterable<ExportImage>,
  line: (image: ExportImage) => string,
): AsyncIterable<string> {
  for await (const image of images) yield line(image);
}

function locations(image: ExportImage): readonly string[] {
  return image.boxes.map((box) => `${locationTokens(box, image)} ${box.label}`);
}

/** Upper, left, lower and right edge. There are 1024 tokens, so edges are clipped to the image. */
function locationTokens(box: Box, { width, height }: ExportImage): string {
  const { left, top, right, bottom } = edgesOf(box);
  return [top / height, left / width, bottom / height, right / width].map(token).join('');
}

function token(share: number): string {
  const place = Math.min(Math.max(Math.round(share * 1024), 0), 1023);
  return `<loc${String(place).padStart(4, '0')}>`;
}
