// YOLOv8: `data.yaml`, and for each split `images` and `labels`. Boxes as centre and size in shares
// of the image; in segmentation projects every object is an outline, since trainers read a file
// either way, but not both ways.

import type { Box, Point } from '../annotations/annotation.ts';
import { edgesOf } from '../annotations/boxes.ts';
import { classesOf, classIndex, splitsOf } from './dataset.ts';
import type { ExportDataset, ExportFile, ExportImage } from './export-format.ts';
import { withExtension } from './export-names.ts';

export function yolov8ImagePath({ split, fileName }: ExportImage): string {
  return `${split}/images/${fileName}`;
}

export function* yolov8Files(dataset: ExportDataset): Iterable<ExportFile> {
  yield { path: 'data.yaml', content: () => [dataYaml(dataset)] };
  const indexOf = classIndex(classesOf(dataset));
  const outlines = dataset.projectType.endsWith('-segmentation');
  for (const image of dataset.images) {
    const path = `${image.split}/labels/${withExtension(image.fileName, '.txt')}`;
    const row = (box: Box) =>
      `${indexOf(box)} ${(outlines ? outlineRow : boxRow)(box, image).join(' ')}\n`;
    yield { path, content: () => [image.boxes.map(row).join('')] };
  }
}

/** Paths are relative to the file, as trainers resolve them. JSON strings are YAML strings. */
function dataYaml(dataset: ExportDataset): string {
  const names = classesOf(dataset);
  const keys = { train: 'train', valid: 'val', test: 'test' } as const;
  return [
    ...splitsOf(dataset).map((split) => `${keys[split]}: ${split}/images`),
    '',
    `nc: ${names.length}`,
    `names: [${names.map((name) => JSON.stringify(name)).join(', ')}]`,
    '',
  ].join('\n');
}

function boxRow({ x, y, width, height }: Box, image: ExportImage): readonly string[] {
  return [
    share(x, image.width),
    share(y, image.height),
    share(width, image.width),
    share(height, image.height),
  ];
}

function outlineRow(box: Box, image: ExportImage): readonly string[] {
  const points = box.points ?? corners(box);
  return points.flatMap(([x, y]) => [share(x, image.width), share(y, image.height)]);
}

function corners(box: Box): readonly Point[] {
  const { left, top, right, bottom } = edgesOf(box);
  return [
    [left, top],
    [right, top],
    [right, bottom],
    [left, bottom],
  ];
}

/** Ten digits give back a thousandth of a pixel of the largest image. */
function share(pixels: number, size: number): string {
  const rounded = Math.round((pixels / size) * 1e10) / 1e10 + 0;
  return rounded.toFixed(10).replace(/\.?0+$/, '');
}
