// README.dataset.txt of an export: what it is, how much it holds, and which boxes are odd.

import { isClassification } from '../annotations/annotation.ts';
import { warningsOf } from '../annotations/box-warnings.ts';
import { isoTime } from '../clock.ts';
import type { ExportDataset, ExportFile, ExportImage } from './export-dataset.ts';
import { classesOf, imagesOf, splitsOf } from './export-dataset.ts';
import type { ExportFormat } from './export-format.ts';

/** `leftOut`: how many images of the version are not in it, since they have no class. */
export function readmeFile(
  format: ExportFormat,
  dataset: ExportDataset,
  leftOut: number,
): ExportFile {
  return { path: 'README.dataset.txt', content: () => [readme(format, dataset, leftOut)] };
}

function readme({ name, note }: ExportFormat, dataset: ExportDataset, leftOut: number): string {
  const { info, images, projectType } = dataset;
  const what = isClassification(projectType) ? 'labels' : 'boxes';
  const splits = splitsOf(dataset).map((split) => {
    const own = imagesOf(dataset, split);
    return `  ${split}: ${own.length} images, ${own.flatMap(namesIn).length} ${what}`;
  });
  const counts = new Map<string, number>();
  for (const label of images.flatMap(namesIn)) counts.set(label, (counts.get(label) ?? 0) + 1);
  const classes = classesOf(dataset);
  const notes = note?.(dataset) ?? [];
  return [
    `${info.project}, version ${info.version}: ${info.versionName}`,
    `Created ${isoTime(info.created)}. Format: ${name}. Licence: ${info.license ?? 'not stated'}.`,
    '',
    `${images.length} images, ${images.flatMap(namesIn).length} ${what}, ${classes.length} classes`,
    ...splits,
    ...(leftOut === 0 ? [] : [`  left out, since they have no class: ${leftOut} images`]),
    '',
    'Classes',
    ...classes.map((label) => `  ${label}: ${counts.get(label) ?? 0} ${what}`),
    '',
    ...(notes.length === 0 ? [] : [...notes, '']),
    ...oddBoxes(dataset),
  ].join('\n');
}

/** A class name for each thing that is labelled. */
function namesIn({ boxes, labels }: ExportImage): readonly string[] {
  return [...boxes.map(({ label }) => label), ...labels];
}

function oddBoxes({ images }: ExportDataset): readonly string[] {
  const odd = images.flatMap((image) => {
    const warnings = warningsOf(image.boxes, image);
    return warnings.map(({ message }) => `  ${image.split}/${image.fileName}: ${message}`);
  });
  if (odd.length === 0) return [];
  const shown = odd.slice(0, oddBoxesMax);
  const rest = odd.length > shown.length ? [`  and ${odd.length - shown.length} more`] : [];
  return ['Boxes without an area or beyond the image, kept as labelled', ...shown, ...rest, ''];
}

const oddBoxesMax = 200;
