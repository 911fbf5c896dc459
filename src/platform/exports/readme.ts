// README.txt of an export: what it is, how much it holds, and which boxes are odd.

import { isoTime } from '../../clock.ts';
import { parsedBoxes } from '../annotations/boxes.ts';
import { classesOf, imagesOf, splitsOf } from './dataset.ts';
import type { ExportDataset, ExportFile, ExportFormat } from './export-format.ts';

export function readmeFile(format: ExportFormat, dataset: ExportDataset): ExportFile {
  return { path: 'README.txt', content: () => [readme(format, dataset)] };
}

function readme(format: ExportFormat, dataset: ExportDataset): string {
  const { info, images } = dataset;
  const boxes = images.flatMap((image) => image.boxes);
  const splits = splitsOf(dataset).map((split) => {
    const own = imagesOf(dataset, split);
    const count = own.reduce((sum, image) => sum + image.boxes.length, 0);
    return `  ${split}: ${own.length} images, ${count} boxes`;
  });
  const counts = new Map<string, number>();
  for (const { label } of boxes) counts.set(label, (counts.get(label) ?? 0) + 1);
  const classes = classesOf(dataset).map((name) => `  ${name}: ${counts.get(name) ?? 0} boxes`);
  return [
    `${info.project}, version ${info.version}: ${info.versionName}`,
    `Created ${isoTime(info.created)}. Format: ${format}. Licence: ${info.license ?? 'not stated'}.`,
    '',
    `${images.length} images, ${boxes.length} boxes, ${classes.length} classes`,
    ...splits,
    '',
    'Classes',
    ...classes,
    '',
    ...oddBoxes(dataset),
  ].join('\n');
}

function oddBoxes({ images }: ExportDataset): readonly string[] {
  const odd = images.flatMap((image) => {
    const named = { name: image.fileName, width: image.width, height: image.height };
    const { warnings } = parsedBoxes(image.boxes, named, undefined);
    return warnings.map(({ message }) => `  ${image.split}/${image.fileName}: ${message}`);
  });
  if (odd.length === 0) return [];
  const shown = odd.slice(0, oddBoxesMax);
  const rest = odd.length > shown.length ? [`  and ${odd.length - shown.length} more`] : [];
  return ['Boxes without an area or beyond the image, kept as labelled', ...shown, ...rest, ''];
}

const oddBoxesMax = 200;
