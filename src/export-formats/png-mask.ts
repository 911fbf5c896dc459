// Semantic masks: `train/cell.jpg`, `train/cell_mask.png` of the same size with the class of each
// pixel, and `train/_classes.csv`, which says what the values mean.

import { setImmediate as othersTurn } from 'node:timers/promises';
import { type FoveaError, invalidArgument } from '../errors.ts';
import { encodeMask } from '../imaging/image-thread-pool.ts';
import { limits } from '../limits.ts';
import { csvRow } from './csv.ts';
import type { ExportFile, ExportImage, SurveyedDataset } from './export-dataset.ts';
import { classIndex, outlineOf } from './export-dataset.ts';
import { withExtension } from './export-names.ts';
import { countCrossings, fillOutline } from './polygon-fill.ts';

/**
 * Value 0 is the background, then come the classes in their order. Throws `invalid_input` for more
 * classes than a byte can tell apart.
 */
export function maskClasses({ classes, splits }: SurveyedDataset): readonly ExportFile[] {
  if (classes.length > classesMax) {
    const message = `holds ${classesMax} classes at most, but the version has ${classes.length}`;
    throw invalidArgument('format', message, 'Use "coco-segmentation", or remap classes.');
  }
  const rows = ['background', ...classes].map((name, value) => csvRow(value, [name]));
  const table = [csvRow('Pixel Value', ['Class']), ...rows];
  return [...splits.keys()].map((split) => ({
    path: `${split}/_classes.csv`,
    content: () => table,
  }));
}

/**
 * Boxes are drawn in the order in which they were labelled, later ones above; one without an
 * outline is a filled rectangle. The content throws `invalid_input` for an outline that would take
 * too long to draw.
 */
export function maskFile({ classes }: SurveyedDataset): (image: ExportImage) => ExportFile {
  const indexOf = classIndex(classes);
  return (image) => ({
    path: `${image.split}/${withExtension(image.fileName, '_mask.png')}`,
    content: () => maskPng(image, indexOf),
    isCompressed: true,
  });
}

/** Whether an image of that name would look like the mask of another one. */
export function isMaskName(stem: string): boolean {
  return /_mask$/i.test(stem);
}

/** What a byte can tell apart, without the background. */
const classesMax = 255;

async function* maskPng(
  { fileName, boxes, width, height }: ExportImage,
  indexOf: (label: string) => number,
): AsyncIterable<Uint8Array> {
  const mask = { data: new Uint8Array(width * height), width, height };
  let drawn = 0;
  for (const box of boxes) {
    const outline = outlineOf(box);
    const crossings = countCrossings(mask, outline);
    if (crossings > limits.outlineCrossingsMax) throw tooTangled(fileName, crossings);
    fillOutline(mask, outline, indexOf(box.label) + 1);
    drawn += Math.min(box.width, width) * Math.min(box.height, height) + 100 * crossings;
    if (drawn < pixelsOfATurn) continue;
    drawn = 0;
    await othersTurn();
  }
  yield await encodeMask(mask);
}

/** A few milliseconds of drawing. */
const pixelsOfATurn = 50_000_000;

function tooTangled(fileName: string, crossings: number): FoveaError {
  const message =
    `cannot draw an outline of "${fileName}": its edges cross rows of pixels ${crossings} times; ` +
    `at most ${limits.outlineCrossingsMax} are drawn`;
  return invalidArgument('format', message, 'Use "coco-segmentation", which keeps all points.');
}
