// Exports as zip files: what is in them, read back by our own readers, and how they end.

import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openPromise } from 'yauzl';
import type { Box, Parsed, ProjectType } from '../../../src/platform/annotations/annotation.ts';
import { parseAnnotation } from '../../../src/platform/annotations/parse.ts';
import {
  checkExportFormat,
  type ExportDataset,
  type ExportFormat,
  type ExportImage,
} from '../../../src/platform/exports/export-format.ts';
import { nameForExport } from '../../../src/platform/exports/export-names.ts';
import { writeExport } from '../../../src/platform/exports/zip.ts';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fovea-exports-'));
});
afterAll(() => rm(folder, { recursive: true }));

const boxes: readonly Box[] = [
  { label: 'salt & "pepper"', x: 60.5, y: 45, width: 101, height: 50 },
  { label: 'RBC', x: 504, y: 337, width: 0, height: 0 },
  { label: 'RBC', x: 650, y: 5, width: 100.2, height: 50.7 },
  { label: '<WBC>', x: 33.333, y: 66.667, width: 0.1, height: 0.3 },
];

function image(given: Partial<ExportImage> = {}): ExportImage {
  return { split: 'train', fileName: 'cell.jpg', width: 640, height: 480, boxes, ...given };
}

function dataset(images: readonly ExportImage[], projectType: ProjectType): ExportDataset {
  return {
    projectType,
    classes: ['RBC', 'Platelets'],
    info: {
      project: 'Blood cells',
      version: 3,
      versionName: 'first try',
      license: 'MIT',
      created: 1_700_000_000_000,
    },
    images,
  };
}

const three = [
  image(),
  image({ fileName: 'empty.png', boxes: [] }),
  image({ split: 'test', fileName: 'other.jpg', boxes: boxes.slice(0, 1) }),
];

const bytesOf = ({ fileName }: ExportImage) => Readable.from([`pixels of ${fileName}`]);

async function exported(
  format: ExportFormat,
  images: readonly ExportImage[],
  projectType: ProjectType = 'object-detection',
): Promise<ReadonlyMap<string, string>> {
  const path = join(folder, `${format}.zip`);
  const { bytes, files } = await writeExport(format, dataset(images, projectType), bytesOf, path);
  expect((await readFile(path)).length).toBe(bytes);
  const entries = await unzip(path);
  expect(entries.size).toBe(files);
  return entries;
}

async function unzip(path: string): Promise<ReadonlyMap<string, string>> {
  const zip = await openPromise(path);
  const entries = new Map<string, string>();
  for await (const entry of zip.eachEntry()) {
    entries.set(entry.fileName, await text(await zip.openReadStreamPromise(entry)));
  }
  return entries;
}

function parse(content: string | undefined, about: ExportImage, classes: readonly string[] = []) {
  return parseAnnotation({
    text: content ?? 'not there',
    fileName: 'label.txt',
    image: { name: about.fileName, width: about.width, height: about.height },
    labelmap: Object.fromEntries(classes.map((name, id) => [String(id), name])),
    projectType: 'object-detection',
  });
}

function boxesOf({ annotation }: Parsed): readonly Box[] {
  return annotation.kind === 'detection' ? annotation.boxes : [];
}

/** The same but for the noise of floating point. */
function expectSame(actual: readonly Box[], wanted: readonly Box[]): void {
  expect(actual.map(({ label }) => label)).toEqual(wanted.map(({ label }) => label));
  const numbers = (list: readonly Box[]) =>
    list.flatMap(({ x, y, width, height, points = [] }) => [x, y, width, height, points.flat()]);
  for (const [index, number] of numbers(actual).flat().entries()) {
    expect(number).toBeCloseTo(numbers(wanted).flat()[index] ?? Number.NaN, 4);
  }
}

describe('coco', () => {
  test('has a file for each split with images, and the images beside it', async () => {
    expect([...(await exported('coco', three)).keys()]).toEqual([
      'README.txt',
      'train/_annotations.coco.json',
      'test/_annotations.coco.json',
      'train/cell.jpg',
      'train/empty.png',
      'test/other.jpg',
    ]);
  });

  test('has unique ids from 1, and classes in alphabetical order in every split', async () => {
    const files = await exported('coco', three);
    const train = JSON.parse(files.get('train/_annotations.coco.json') ?? '');
    const testSplit = JSON.parse(files.get('test/_annotations.coco.json') ?? '');
    expect(train.categories).toEqual([
      { id: 1, name: '<WBC>', supercategory: 'none' },
      { id: 2, name: 'Platelets', supercategory: 'none' },
      { id: 3, name: 'RBC', supercategory: 'none' },
      { id: 4, name: 'salt & "pepper"', supercategory: 'none' },
    ]);
    expect(testSplit.categories).toEqual(train.categories);
    expect(train.images).toEqual([
      expect.objectContaining({ id: 1, file_name: 'cell.jpg', width: 640, height: 480 }),
      expect.objectContaining({ id: 2, file_name: 'empty.png', width: 640, height: 480 }),
    ]);
    expect(train.annotations.map(({ id }: { id: number }) => id)).toEqual([1, 2, 3, 4]);
    expect(train.annotations[1]).toEqual({
      id: 2,
      image_id: 1,
      category_id: 3,
      bbox: [504, 337, 0, 0],
      area: 0,
      segmentation: [],
      iscrowd: 0,
    });
    expect(train.info).toEqual(
      expect.objectContaining({ version: '3', date_created: '2023-11-14T22:13:20.000Z' }),
    );
    expect(train.licenses[0].name).toBe('MIT');
  });

  test('keeps outlines and keypoints', async () => {
    const points = [[1, 2] as const, [5, 2] as const, [5, 8] as const];
    const outlined = image({ boxes: [{ ...boxOf(3, 5, 4, 6), points }] });
    const seen = await exported('coco', [outlined], 'instance-segmentation');
    const [annotation] = JSON.parse(seen.get('train/_annotations.coco.json') ?? '').annotations;
    expect(annotation.segmentation).toEqual([[1, 2, 5, 2, 5, 8]]);
    expect(annotation.area).toBe(12);
    const keypoints = [
      { label: 'wrist', x: 1, y: 2, visibility: 2 } as const,
      { label: 'thumb', x: 3, y: 4, visibility: 0 } as const,
    ];
    const posed = image({ boxes: [{ ...boxOf(3, 5, 4, 6), keypoints }, boxOf(1, 1, 1, 1)] });
    const file = (await exported('coco', [posed], 'keypoint-detection')).get(
      'train/_annotations.coco.json',
    );
    const { categories, annotations } = JSON.parse(file ?? '');
    expect(categories[0]).toEqual(expect.objectContaining({ keypoints: [], skeleton: [] }));
    expect(categories[1]).toEqual(expect.objectContaining({ keypoints: ['wrist', 'thumb'] }));
    expect(annotations[0]).toEqual(
      expect.objectContaining({ keypoints: [1, 2, 2, 0, 0, 0], num_keypoints: 1 }),
    );
    expect(annotations[1]).toEqual(
      expect.objectContaining({ keypoints: [0, 0, 0, 0, 0, 0], num_keypoints: 0 }),
    );
  });

  test('gives the same boxes back', async () => {
    const file = (await exported('coco', three)).get('train/_annotations.coco.json');
    expectSame(boxesOf(parse(file, image())), boxes);
    expect(boxesOf(parse(file, image({ fileName: 'empty.png' })))).toEqual([]);
  });
});

function boxOf(x: number, y: number, width: number, height: number): Box {
  return { label: 'RBC', x, y, width, height };
}

describe('yolov8', () => {
  const classes = ['<WBC>', 'Platelets', 'RBC', 'salt & "pepper"'];

  test('has data.yaml, images and labels', async () => {
    const files = await exported('yolov8', three);
    expect([...files.keys()]).toEqual([
      'README.txt',
      'data.yaml',
      'train/labels/cell.txt',
      'train/labels/empty.txt',
      'test/labels/other.txt',
      'train/images/cell.jpg',
      'train/images/empty.png',
      'test/images/other.jpg',
    ]);
    expect(files.get('data.yaml')).toBe(
      'train: train/images\ntest: test/images\n\nnc: 4\n' +
        'names: ["<WBC>", "Platelets", "RBC", "salt & \\"pepper\\""]\n',
    );
    expect(files.get('train/labels/empty.txt')).toBe('');
  });

  test('has a row for each box, also for one without an area', async () => {
    const odd = image({ boxes: [boxOf(320, 240, 64, 48), boxOf(160, 120, 0, 0)] });
    const files = await exported('yolov8', [odd]);
    expect(files.get('train/labels/cell.txt')).toBe('1 0.5 0.5 0.1 0.1\n1 0.25 0.25 0 0\n');
  });

  test('has outlines only in a segmentation project', async () => {
    const points = [[64, 48] as const, [128, 48] as const, [128, 96] as const];
    const outlined = image({
      boxes: [{ ...boxOf(96, 72, 64, 48), points }, boxOf(320, 240, 64, 48)],
    });
    const segments = await exported('yolov8', [outlined], 'instance-segmentation');
    expect(segments.get('train/labels/cell.txt')).toBe(
      '1 0.1 0.1 0.2 0.1 0.2 0.2\n1 0.45 0.45 0.55 0.45 0.55 0.55 0.45 0.55\n',
    );
    const detections = await exported('yolov8', [outlined]);
    expect(detections.get('train/labels/cell.txt')).toBe(
      '1 0.15 0.15 0.1 0.1\n1 0.5 0.5 0.1 0.1\n',
    );
  });

  test('gives the same boxes back', async () => {
    const file = (await exported('yolov8', three)).get('train/labels/cell.txt');
    expectSame(boxesOf(parse(file, image(), classes)), boxes);
  });

  test('gives whole pixels back exactly, also of the largest image', async () => {
    const large = image({
      width: 16_400,
      height: 10_900,
      boxes: [boxOf(8191.5, 5449, 16_383, 10_897), boxOf(1, 2, 1, 3)],
    });
    const file = (await exported('yolov8', [large])).get('train/labels/cell.txt');
    expect(boxesOf(parse(file, large, ['Platelets', 'RBC']))).toEqual(large.boxes);
  });
});

describe('voc', () => {
  test('has an XML file beside each image', async () => {
    expect([...(await exported('voc', three)).keys()]).toEqual([
      'README.txt',
      'train/cell.xml',
      'train/empty.xml',
      'test/other.xml',
      'train/cell.jpg',
      'train/empty.png',
      'test/other.jpg',
    ]);
  });

  test('gives the same boxes back, outlines included', async () => {
    const points = [[1, 2] as const, [5.25, 2] as const, [5, 8] as const];
    const outlined = image({ boxes: [...boxes, { ...boxOf(3, 5, 4, 6), points }] });
    const files = await exported('voc', [outlined]);
    const parsed = parse(files.get('train/cell.xml'), outlined);
    expectSame(boxesOf(parsed), outlined.boxes);
    expect(boxesOf(parsed).at(-1)?.points).toEqual(points);
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

test('README.txt says what is in it, and names the odd boxes', async () => {
  expect((await exported('coco', three)).get('README.txt')).toBe(`Blood cells, version 3: first try
Created 2023-11-14T22:13:20.000Z. Format: coco. Licence: MIT.

3 images, 5 boxes, 4 classes
  train: 2 images, 4 boxes
  test: 1 images, 1 boxes

Classes
  <WBC>: 1 boxes
  Platelets: 0 boxes
  RBC: 2 boxes
  salt & "pepper": 2 boxes

Boxes without an area or beyond the image, kept as labelled
  train/cell.jpg: RBC box 2: zero width and height at 504, 337; kept as labelled
  train/cell.jpg: RBC box 3: reaches over the upper edge by 20.35 and the right edge by 60.1 of 640 x 480 pixels; kept as labelled
`);
});

describe('the zip file', () => {
  test('has the bytes of the images, from paths as well as streams', async () => {
    const source = join(folder, 'source.bin');
    const pixels = 'x'.repeat(300_000);
    await writeFile(source, pixels);
    const images = [image(), image({ split: 'valid', fileName: 'scan.bmp' })];
    const path = join(folder, 'paths.zip');
    const progress: number[] = [];
    const { bytes, files } = await writeExport(
      'voc',
      dataset(images, 'object-detection'),
      ({ split }) => (split === 'train' ? source : Readable.from([pixels])),
      path,
      { onProgress: ({ done, total }) => progress.push(done / total) },
    );
    expect(files).toBe(5);
    expect(progress).toEqual([0.5, 1]);
    // The JPEG is stored, the BMP is deflated.
    expect(bytes).toBeGreaterThan(300_000);
    expect(bytes).toBeLessThan(310_000);
    const entries = await unzip(path);
    expect(entries.get('train/cell.jpg')).toBe(pixels);
    expect(entries.get('valid/scan.bmp')).toBe(pixels);
  });

  test('has the same bytes every time, in every time zone', async () => {
    const hashes = new Set<string>();
    const zone = process.env.TZ;
    for (const timeZone of ['UTC', 'Asia/Tokyo', 'America/New_York']) {
      process.env.TZ = timeZone;
      const path = join(folder, 'same.zip');
      await writeExport('coco', dataset(three, 'object-detection'), bytesOf, path);
      hashes.add(
        createHash('sha256')
          .update(await readFile(path))
          .digest('hex'),
      );
    }
    if (zone === undefined) delete process.env.TZ;
    else process.env.TZ = zone;
    expect(hashes.size).toBe(1);
  });

  test.each([
    ['a path that is not there', () => join(folder, 'missing.jpg')],
    [
      'a stream that breaks',
      () =>
        new Readable({
          read() {
            this.destroy(new Error('cut'));
          },
        }),
    ],
    ['an opener that fails', () => Promise.reject(new Error('no'))],
  ])('is not there after %s', async (_case, openImage) => {
    const own = await mkdtemp(join(folder, 'failed-'));
    const written = writeExport(
      'coco',
      dataset(three, 'object-detection'),
      openImage,
      join(own, 'out.zip'),
    );
    await expect(written).rejects.toMatchObject({ code: 'internal' });
    expect(await readdir(own)).toEqual([]);
  });

  test('is not there after a cancelled export, and the open image is closed', async () => {
    const own = await mkdtemp(join(folder, 'cancelled-'));
    const controller = new AbortController();
    const endless = new Readable({
      read() {
        this.push(Buffer.alloc(65_536));
      },
    });
    endless.once('resume', () => setTimeout(() => controller.abort(), 20));
    const written = writeExport(
      'coco',
      dataset(three, 'object-detection'),
      () => endless,
      join(own, 'out.zip'),
      { signal: controller.signal },
    );
    await expect(written).rejects.toMatchObject({ code: 'cancelled' });
    expect(endless.destroyed).toBe(true);
    expect(await readdir(own)).toEqual([]);
  });

  test('is not begun when it is cancelled already', async () => {
    const own = await mkdtemp(join(folder, 'cancelled-'));
    const written = writeExport(
      'coco',
      dataset(three, 'object-detection'),
      bytesOf,
      join(own, 'out.zip'),
      { signal: AbortSignal.abort() },
    );
    await expect(written).rejects.toMatchObject({ code: 'cancelled' });
    expect(await readdir(own)).toEqual([]);
  });
});

describe('file names', () => {
  const named = (...fileNames: string[]) =>
    nameForExport(fileNames.map((fileName) => image({ fileName }))).map(({ fileName }) => fileName);

  test('are unique without regard to case and extension', () => {
    expect(named('a.jpg', 'a.jpg', 'A.JPG', 'a.png', 'a-2.jpg', 'b.jpg')).toEqual([
      'a.jpg',
      'a-2.jpg',
      'A-3.JPG',
      'a-4.png',
      'a-2-2.jpg',
      'b.jpg',
    ]);
  });

  test('may be the same in two splits', () => {
    const images = [image(), image({ split: 'valid' })];
    expect(nameForExport(images).map(({ fileName }) => fileName)).toEqual(['cell.jpg', 'cell.jpg']);
  });

  test('are safe to unpack', () => {
    expect(
      named('../../etc/passwd', '/x.jpg', 'C:\\y.jpg', 'a:b?.jpg', '..', '', 'z\n.jpg', 'é漢.jpg'),
    ).toEqual(['passwd', 'x.jpg', 'y.jpg', 'a_b_.jpg', 'image', 'image-2', 'z_.jpg', 'é漢.jpg']);
    const [long = ''] = named(`${'漢'.repeat(200)}.jpg`);
    expect(long).toBe(`${'漢'.repeat(66)}.jpg`);
  });
});

describe('checkExportFormat', () => {
  test.each([
    ['coco', 'object-detection'],
    ['yolov8', 'instance-segmentation'],
    ['voc', 'semantic-segmentation'],
    ['coco', 'keypoint-detection'],
  ] as const)('%s of %s works', (format, projectType) => {
    expect(checkExportFormat(format, projectType)).toBe(format);
  });

  test.each([
    ['yolov5', 'object-detection', 'invalid_input', /use "coco" or "yolov8" or "voc"/],
    ['COCO', 'object-detection', 'invalid_input', /use "coco" or "yolov8" or "voc"/],
    ['voc', 'keypoint-detection', 'invalid_input', /cannot hold keypoint-detection; use "coco"/],
    ['coco', 'single-label-classification', 'not_implemented', /single-label-classification/],
    ['coco', 'multi-label-classification', 'not_implemented', /multi-label-classification/],
    ['coco', 'text-image-pairs', 'not_implemented', /text-image-pairs/],
  ] as const)('%s of %s is %s', (format, projectType, code, message) => {
    expect(() => checkExportFormat(format, projectType)).toThrow(
      expect.objectContaining({ code, message: expect.stringMatching(message) }),
    );
  });
});
