// Pascal VOC and CreateML: files and what is in them.

import { describe, expect, test } from 'vitest';
import { parseAnnotation } from '../../src/annotation-formats/parse-annotation.ts';
import type { ExportImage } from '../../src/export-formats/export-dataset.ts';
import { boxOf, exported, image, oddBoxes } from './sample-dataset.ts';

const three = [
  image(),
  image({ fileName: 'empty.png', boxes: [] }),
  image({ split: 'test', fileName: 'other.jpg', boxes: oddBoxes.slice(0, 1) }),
];

function parse(content: string | undefined, about: ExportImage, classes: readonly string[] = []) {
  return parseAnnotation({
    text: content ?? 'not there',
    fileName: 'label.txt',
    image: { name: about.fileName, width: about.width, height: about.height },
    labelmap: Object.fromEntries(classes.map((name, id) => [String(id), name])),
    projectType: 'object-detection',
  });
}
describe('voc', () => {
  test('has an XML file beside each image', async () => {
    expect([...(await exported('voc', three)).keys()]).toEqual([
      'README.dataset.txt',
      'train/cell.xml',
      'train/cell.jpg',
      'train/empty.xml',
      'train/empty.png',
      'test/other.xml',
      'test/other.jpg',
    ]);
  });

  test('gives outlines back', async () => {
    const points = [[1, 2] as const, [5.25, 2] as const, [5, 8] as const];
    const outlined = image({ boxes: [...oddBoxes, { ...boxOf(3, 5, 4, 6), points }] });
    const files = await exported('voc', [outlined]);
    const parsed = parse(files.get('train/cell.xml'), outlined);
    const boxes = parsed.annotation.kind === 'detection' ? parsed.annotation.boxes : [];
    expect(boxes.length).toBe(5);
    expect(boxes.at(-1)?.points).toEqual(points);
    expect(parsed.warnings.map(({ problem }) => problem)).toEqual(['zero_size', 'over_edge']);
  });

  test('has the edges that were read', async () => {
    const files = await exported('voc', [image({ boxes: [boxOf(60.5, 45, 101, 50)] })]);
    expect(files.get('train/cell.xml')).toContain(
      '\t\t<bndbox>\n\t\t\t<xmin>10</xmin>\n\t\t\t<ymin>20</ymin>\n' +
        '\t\t\t<xmax>111</xmax>\n\t\t\t<ymax>70</ymax>\n\t\t</bndbox>\n',
    );
  });
});

test('createml has an array with all images of the split', async () => {
  const files = await exported('createml', three);
  expect([...files.keys()]).toEqual([
    'README.dataset.txt',
    'train/_annotations.createml.json',
    'test/_annotations.createml.json',
    'train/cell.jpg',
    'train/empty.png',
    'test/other.jpg',
  ]);
  expect(JSON.parse(files.get('train/_annotations.createml.json') ?? '')[1]).toEqual({
    image: 'empty.png',
    annotations: [],
  });
  expect(JSON.parse(files.get('test/_annotations.createml.json') ?? '')).toEqual([
    {
      image: 'other.jpg',
      annotations: [
        { label: 'salt & "pepper"', coordinates: { x: 60.5, y: 45, width: 101, height: 50 } },
      ],
    },
  ]);
});
