// Annotation files of every format: as large, as deep and as wrong as one request can bring them.

import { type Attack, single, type Target } from './attack.ts';
import { freshScene } from './attacked-projects.ts';
import { manyMembers, nested, repeated, vocFile, zeros } from './dense-bodies.ts';
import { json } from './raw-request.ts';

/** An attack of one file; `make` is told the name of the image. */
function file(
  name: string,
  fileName: string,
  make: (image: string) => string,
  more: { readonly type?: string; readonly labelmap?: object; readonly slow?: true } = {},
): Attack {
  const { type, labelmap, ...rest } = more;
  return single(
    'platform',
    `annotation: ${name}`,
    async (target: Target) => {
      const { project, imageId, name: image } = await freshScene(target, type);
      const body = { annotationFile: make(image), ...(labelmap && { labelmap }) };
      return json(`/dataset/${project}/annotate/${imageId}?name=${fileName}`, body);
    },
    rest,
  );
}

const megabyte = 1024 * 1024;

const box =
  '<name>a</name><bndbox><xmin>1</xmin><ymin>1</ymin><xmax>9</xmax><ymax>9</ymax></bndbox>';

const voc: readonly Attack[] = [
  file('VOC of 1.2 MB, 11,000 objects', 'a.xml', () => vocFile(11_000)),
  file('VOC of 4 MB, 36,000 objects', 'a.xml', () => vocFile(36_000)),
  file('VOC of 4 MB, 400,000 empty objects', 'a.xml', () => vocWith('<object/>'.repeat(400_000))),
  file('VOC of 900,000 line ends before each error', 'a.xml', () =>
    vocWith(`${'\n'.repeat(900_000)}${'<object><name>a</name></object>\n'.repeat(40_000)}`),
  ),
  file('VOC of 4 MB of entities', 'a.xml', () =>
    vocWith(`<object><name>${'&amp;'.repeat(700_000)}</name></object>`),
  ),
  file('VOC with 100,000 attributes', 'a.xml', () =>
    vocWith(`<object ${repeated(100_000, (at) => `a${at}="b"`).join(' ')}>${box}</object>`),
  ),
  file('VOC with a polygon of 60,000 points', 'a.xml', () => {
    const points = repeated(
      60_000,
      (at) => `<x${at + 1}>${at % 9}</x${at + 1}><y${at + 1}>1</y${at + 1}>`,
    );
    return vocWith(`<object>${box}<polygon>${points.join('')}</polygon></object>`);
  }),
  file('VOC of 4 MB of comments', 'a.xml', () => vocWith('<!-- -->'.repeat(500_000))),
  file('VOC of 4 MB of sections', 'a.xml', () => vocWith('<![CDATA[ ]]>'.repeat(300_000))),
  file('VOC of 300,000 open tags', 'a.xml', () => `<annotation>${'<a>'.repeat(300_000)}`),
  file('VOC with 200,000 members beside the objects', 'a.xml', () =>
    vocWith(repeated(200_000, (at) => `<a${at}/>`).join('')),
  ),
  file('VOC with a document type of a billion laughs', 'a.xml', () => {
    const more = repeated(20, (at) => `<!ENTITY a${at + 1} "${`&a${at};`.repeat(10)}">`);
    return `<!DOCTYPE a [<!ENTITY a0 "ha">${more.join('')}]><annotation>&a20;</annotation>`;
  }),
  file(
    'VOC of 4 MB without an end of a tag',
    'a.xml',
    () => `<annotation><${'a'.repeat(4_000_000)}`,
  ),
  file('VOC of 1.3 million "<"', 'a.xml', () => '<'.repeat(1_300_000)),
];

function vocWith(inside: string): string {
  return `<annotation>${inside}</annotation>`;
}

const coco: readonly Attack[] = [
  file('COCO with images of 25 million zeros, in a string', 'a.json', () => zeros(25_000_000)),
  file('COCO with images of 900,000 zeros', 'a.json', () => zeros(900_000)),
  file('COCO with 50,000 boxes on the image', 'a.json', (image) => cocoOf(image, 50_000, 1)),
  file('COCO with 49,000 classes on the image', 'a.json', (image) => cocoOf(image, 49_000, 49_000)),
  file('COCO with 800,000 boxes on another image', 'a.json', (image) =>
    cocoOf(image, 800_000, 1, 2),
  ),
  file('COCO with an outline of 3 million points', 'a.json', (image) =>
    cocoOf(image, 1, 1, 1, `,"segmentation":[[${'1,2,'.repeat(3_000_000)}1,2]]`),
  ),
  file('COCO with 20,000 outlines of 20 points', 'a.json', (image) =>
    cocoOf(image, 20_000, 1, 1, `,"segmentation":[[${'1,2,9,'.repeat(12)}1,2,3,4]]`),
  ),
  file(
    'COCO with 600,000 images of one name',
    'a.json',
    (image) => `{"images":[${'{"id":1,"file_name":"'.concat(image, '"},').repeat(600_000)}{}]}`,
  ),
  file(
    'COCO with 900,000 categories',
    'a.json',
    (image) =>
      `{"images":[{"id":1,"file_name":"${image}"}],"annotations":[],"categories":[${'{"id":1,"name":"a"},'.repeat(900_000)}{}]}`,
  ),
  file(
    'COCO of 30 MB, and wrong at its end',
    'a.json',
    () => `{"images":[${'{"id":1,"file_name":"b"},'.repeat(1_200_000)}`,
  ),
  file('JSON 20 million brackets deep', 'a.json', () => nested(10_000_000)),
  file('JSON of a million members', 'a.json', () => manyMembers(1_000_000)),
];

/** `on`: the id of the image that its boxes are on; 1 is that of the image. */
function cocoOf(image: string, boxes: number, classes: number, on = 1, more = ''): string {
  const categories = repeated(classes, (at) => `{"id":${at},"name":"class ${at}"}`);
  const annotations = repeated(
    boxes,
    (at) => `{"id":${at},"image_id":${on},"category_id":${at % classes},"bbox":[1,1,9,9]${more}}`,
  );
  return `{"images":[{"id":1,"file_name":"${image}"}],"categories":[${categories}],"annotations":[${annotations}]}`;
}

const createMl: readonly Attack[] = [
  file('CreateML with 50,000 boxes', 'a.json', (image) => createMlOf(image, 50_000, 1)),
  file('CreateML with 50,000 classes', 'a.json', (image) => createMlOf(image, 50_000, 50_000)),
  file('CreateML of 1.9 million entries', 'a.json', () => `[${'{},'.repeat(1_900_000)}{}]`),
  file(
    'CreateML of 700,000 other images',
    'a.json',
    () => `[${'{"image":"b","annotations":[]},'.repeat(700_000)}{"image":"b"}]`,
  ),
  file('CreateML of 10 million zeros', 'a.json', () => `[${'0,'.repeat(10_000_000)}0]`),
];

function createMlOf(image: string, boxes: number, classes: number): string {
  const coordinates = '"coordinates":{"x":20,"y":20,"width":9,"height":9}';
  const all = repeated(boxes, (at) => `{"label":"class ${at % classes}",${coordinates}}`);
  return `[{"image":"${image}","annotations":[${all}]}]`;
}

const line = '0 0.5 0.5 0.2 0.2\n';

const yolo: readonly Attack[] = [
  file('YOLO of 50,000 boxes', 'a.txt', () => line.repeat(50_000), { labelmap: { 0: 'a' } }),
  file('YOLO of 3 million boxes', 'a.txt', () => line.repeat(3_000_000), { labelmap: { 0: 'a' } }),
  file('YOLO of 30 million line ends', 'a.txt', () => '\n'.repeat(30_000_000)),
  file('YOLO of 10 million wrong lines', 'a.txt', () => 'a b\n'.repeat(10_000_000)),
  file(
    'YOLO of one outline of 5 million points',
    'a.txt',
    () => `0 ${'0.5 0.4 '.repeat(5_000_000)}`,
    {
      labelmap: { 0: 'a' },
    },
  ),
  file('YOLO of a line of 60 million blanks', 'a.txt', () => ' '.repeat(60 * megabyte)),
  file('YOLO with a labelmap of 900,000 members', 'a.txt', () => line, {
    labelmap: JSON.parse(manyMembers(900_000, '', '"a"')),
  }),
  file(
    'YOLO with 50,000 classes',
    'a.txt',
    () => repeated(50_000, (at) => `${at} 0.5 0.5 0.2 0.2`).join('\n'),
    {
      labelmap: Object.fromEntries(repeated(50_000, (at) => [at, `class ${at}`])),
    },
  ),
];

const classNames: readonly Attack[] = [
  file('class names, 1.9 million of them', 'a.json', () => `["a",${'"b",'.repeat(1_900_000)}"c"]`, {
    type: 'multi-label-classification',
  }),
  file(
    'class names, 50,000 different ones',
    'a.json',
    () => JSON.stringify(repeated(50_000, (at) => `class ${at}`)),
    {
      type: 'multi-label-classification',
    },
  ),
  file('class name of 60 MB', 'a.txt', () => 'a'.repeat(60 * megabyte), {
    type: 'single-label-classification',
  }),
];

export const annotationAttacks: readonly Attack[] = [
  ...voc,
  ...coco,
  ...createMl,
  ...yolo,
  ...classNames,
];
