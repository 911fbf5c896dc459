// Every format that holds boxes, read back by a reader that knows nothing of Fovea.

import { describe, expect, test } from 'vitest';
import type { ProjectType } from '../../src/annotations/annotation.ts';
import type { Box } from '../../src/imaging/box.ts';
import * as read from './readers.ts';
import { boxOf, dataset, exportBytes, image, oddBoxes } from './sample-dataset.ts';

const size = { width: 640, height: 480 };
const manyClasses = Array.from({ length: 300 }, (_, at) =>
  boxOf(320 + at, 240 - at / 2, 10 + at / 7, 20, `class ${at}, of "300"`),
);
const points = [[100.5, 50] as const, [220, 80.25] as const, [130, 200] as const];
const outlined: Box = { ...boxOf(160.25, 125, 119.5, 150, '漢字 # : é'), points };

const images = [
  image(),
  image({ fileName: 'empty.png', boxes: [] }),
  image({ fileName: '=SUM(A1), "naïve" 漢.jpg', boxes: [outlined, boxOf(10, 10, 20, 20, '=1+1')] }),
  image({ split: 'valid', boxes: manyClasses }),
  image({ split: 'test', fileName: 'other.jpg', boxes: oddBoxes.slice(0, 1) }),
];
const wanted: readonly (readonly [string, readonly Box[]])[] = [
  ['train/cell.jpg', oddBoxes],
  ['train/empty.png', []],
  ['train/_SUM(A1), _naïve_ 漢.jpg', [outlined, boxOf(10, 10, 20, 20, '=1+1')]],
  ['valid/cell.jpg', manyClasses],
  ['test/other.jpg', oddBoxes.slice(0, 1)],
];

type Reader = (files: ReadonlyMap<string, Buffer>) => read.ReadExport;
const yolo: Reader = (files) => read.readYolo(files, size);

/** Format, reader, and how many digits of a pixel come back. */
const readers: readonly (readonly [string, Reader, number])[] = [
  ['coco', read.readCoco, 5],
  ['coco-segmentation', read.readCoco, 5],
  ['voc', read.readVoc, 5],
  ['yolov5pytorch', yolo, 5],
  ['mt-yolov6', yolo, 5],
  ['yolov7pytorch', yolo, 5],
  ['yolov8', yolo, 5],
  ['yolov9', yolo, 5],
  ['yolov11', yolo, 5],
  ['yolov12', yolo, 5],
  ['darknet', (files) => read.readDarknet(files, size), 5],
  ['createml', read.readCreateMl, 5],
  ['tfrecord', read.readTfrecord, 3],
];

/** The images of a YOLO export lie one folder deeper. */
function expectBoxes(actual: read.ReadExport, digits: number): void {
  const found = new Map(
    [...actual].map(([path, boxes]) => [path.replace(/(^|\/)images\//, '$1'), boxes]),
  );
  expect([...found.keys()].toSorted()).toEqual(wanted.map(([path]) => path).toSorted());
  for (const [path, boxes] of wanted) {
    const own = found.get(path) ?? [];
    expect(own.map(({ label }) => label)).toEqual(boxes.map(({ label }) => label));
    const edges = boxes.flatMap(({ x, y, width, height }) => [
      x - width / 2,
      y - height / 2,
      x + width / 2,
      y + height / 2,
    ]);
    for (const [at, edge] of own.flatMap((box) => box.edges).entries()) {
      expect(edge).toBeCloseTo(edges[at] ?? Number.NaN, digits);
    }
  }
}

describe.each(readers)('%s', (format, reader, digits) => {
  test('gives back all boxes of a detection project', async () => {
    expectBoxes(reader(await exportBytes(format, dataset(images))), digits);
  });

  test.each<ProjectType>(['instance-segmentation', 'semantic-segmentation'])(
    'gives back all boxes of a project of %s',
    async (projectType) => {
      expectBoxes(reader(await exportBytes(format, dataset(images, projectType))), digits);
    },
  );
});

describe('yolov8-obb', () => {
  test('has each box without an outline as its four corners', async () => {
    const upright = images.map((one) => ({
      ...one,
      boxes: one.boxes.map(({ points: _, ...box }) => box),
    }));
    expectBoxes(yolo(await exportBytes('yolov8-obb', dataset(upright))), 5);
  });

  test('has four corners for each row', async () => {
    const files = await exportBytes('yolov8-obb', dataset(images));
    const rows = [...files].flatMap(([path, content]) =>
      path.includes('/labels/') ? content.toString().split('\n').slice(0, -1) : [],
    );
    expect(rows.length).toBe(4 + 2 + 300 + 1);
    expect(new Set(rows.map((row) => row.split(' ').length))).toEqual(new Set([9]));
  });
});

describe('jsonl', () => {
  test('gives back all boxes, clipped to the image, within a location token', async () => {
    const found = read.readJsonl(await exportBytes('jsonl', dataset(images)), size);
    expect([...found.keys()]).toEqual(wanted.map(([path]) => path));
    for (const [path, boxes] of wanted) {
      const own = found.get(path) ?? [];
      expect(own.map(({ label }) => label)).toEqual(boxes.map(({ label }) => label));
      for (const [at, { edges }] of own.entries()) {
        const { x, y, width, height } = boxes[at] ?? boxOf(0, 0, 0, 0);
        const across = [x - width / 2, x + width / 2].map((edge) =>
          Math.min(Math.max(edge, 0), 640),
        );
        const down = [y - height / 2, y + height / 2].map((edge) =>
          Math.min(Math.max(edge, 0), 480),
        );
        const [left, top, right, bottom] = edges;
        expect(Math.abs(left - (across[0] ?? 0))).toBeLessThanOrEqual(640 / 1024);
        expect(Math.abs(right - (across[1] ?? 0))).toBeLessThanOrEqual(640 / 1024);
        expect(Math.abs(top - (down[0] ?? 0))).toBeLessThanOrEqual(480 / 1024);
        expect(Math.abs(bottom - (down[1] ?? 0))).toBeLessThanOrEqual(480 / 1024);
      }
    }
  });
});

test('the same dataset gives the same bytes in every format', async () => {
  const formats = [...readers.map(([format]) => format), 'yolov8-obb', 'jsonl', 'multiclass'];
  for (const format of formats) {
    const first = await exportBytes(format, dataset(images));
    expect([...(await exportBytes(format, dataset(images)))]).toEqual([...first]);
  }
});
