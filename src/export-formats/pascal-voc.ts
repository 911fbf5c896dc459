// Pascal VOC: an XML file beside each image. Edges are written as they were read, without the shift
// by one of the original definition.

import { tidy } from '../annotations/box-geometry.ts';
import type { Box } from '../imaging/box.ts';
import type { ExportFile, ExportImage, SurveyedDataset } from './export-dataset.ts';
import { tidyEdges } from './export-dataset.ts';
import { withExtension } from './export-names.ts';

export function vocFile(dataset: SurveyedDataset): (image: ExportImage) => ExportFile {
  return (image) => ({
    path: `${image.split}/${withExtension(image.fileName, '.xml')}`,
    content: () => vocText(dataset, image),
  });
}

function* vocText({ info }: SurveyedDataset, image: ExportImage): Iterable<string> {
  const { fileName, width, height, boxes, split } = image;
  const segmented = boxes.some(({ points }) => points !== undefined);
  yield '<annotation>\n';
  yield element(1, 'folder', split);
  yield element(1, 'filename', fileName);
  yield element(1, 'path', fileName);
  yield group(1, 'source', [element(2, 'database', info.project)]);
  yield group(1, 'size', [
    element(2, 'width', width),
    element(2, 'height', height),
    element(2, 'depth', 3),
  ]);
  yield element(1, 'segmented', segmented ? 1 : 0);
  for (const box of boxes) yield vocObject(box);
  yield '</annotation>\n';
}

function vocObject(box: Box): string {
  const { left, top, right, bottom } = tidyEdges(box);
  const bndbox = [
    element(3, 'xmin', left),
    element(3, 'ymin', top),
    element(3, 'xmax', right),
    element(3, 'ymax', bottom),
  ];
  const points = box.points?.flatMap(([x, y], index) => [
    element(3, `x${index + 1}`, tidy(x)),
    element(3, `y${index + 1}`, tidy(y)),
  ]);
  return group(1, 'object', [
    element(2, 'name', box.label),
    element(2, 'pose', 'Unspecified'),
    element(2, 'truncated', 0),
    element(2, 'difficult', 0),
    element(2, 'occluded', 0),
    group(2, 'bndbox', bndbox),
    ...(points === undefined ? [] : [group(2, 'polygon', points)]),
  ]);
}

function element(depth: number, name: string, content: string | number): string {
  return `${'\t'.repeat(depth)}<${name}>${escapeXml(String(content))}</${name}>\n`;
}

function group(depth: number, name: string, children: readonly string[]): string {
  const indent = '\t'.repeat(depth);
  return `${indent}<${name}>\n${children.join('')}${indent}</${name}>\n`;
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
