// The YOLO family: files, rows of boxes, outlines, keypoints and turned boxes.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parse as parseYaml } from 'yaml';
import { parseAnnotation } from '../../src/annotation-formats/parse-annotation.ts';
import { boxOf, exported, image, oddBoxes } from './sample-dataset.ts';

const three = [
  image(),
  image({ fileName: 'empty.png', boxes: [] }),
  image({ split: 'test', fileName: 'other.jpg', boxes: oddBoxes.slice(0, 1) }),
];

describe('yolov8', () => {
  test('has data.yaml, images and labels', async () => {
    const files = await exported('yolov8', three);
    expect([...files.keys()]).toEqual([
      'README.dataset.txt',
      'data.yaml',
      'train/labels/cell.txt',
      'train/images/cell.jpg',
      'train/labels/empty.txt',
      'train/images/empty.png',
      'test/labels/other.txt',
      'test/images/other.jpg',
    ]);
    expect(files.get('data.yaml')).toBe(
      'train: ../train/images\nval: ../valid/images\ntest: ../test/images\n' +
        '# val has no folder: trainers need it, and the version has no images for it\n\nnc: 4\n' +
        'names: ["<WBC>", "Platelets", "RBC", "salt & \\"pepper\\""]\n',
    );
    expect(files.get('train/labels/empty.txt')).toBe('');
  });

  test('says which images its trainers will miss', async () => {
    const words = (key: string) =>
      `Trainers of this format need images for ${key}; the version has none.`;
    const valid = image({ split: 'valid', fileName: 'other.jpg' });
    const readmeOf = async (images: readonly ReturnType<typeof image>[]) =>
      (await exported('yolov8', images)).get('README.dataset.txt');
    expect(await readmeOf(three)).toContain(words('val'));
    expect(await readmeOf(three)).not.toContain(words('train'));
    expect(await readmeOf([valid])).toContain(words('train'));
    expect(await readmeOf([image(), valid])).not.toContain('Trainers of this format');
    const both = await exported('yolov8', [image(), valid]);
    expect(both.get('data.yaml')).toMatch(/^train: .*\nval: .*\ntest: .*\n\nnc/);
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

  test('gives whole pixels back exactly, also of the largest image', async () => {
    const large = image({
      width: 16_400,
      height: 10_900,
      boxes: [boxOf(8191.5, 5449, 16_383, 10_897), boxOf(1, 2, 1, 3)],
    });
    const text = (await exported('yolov8', [large])).get('train/labels/cell.txt') ?? '';
    const { annotation } = parseAnnotation({
      text,
      fileName: 'label.txt',
      image: { name: 'cell.jpg', width: 16_400, height: 10_900 },
      labelmap: { 0: 'Platelets', 1: 'RBC' },
      projectType: 'object-detection',
    });
    expect(annotation).toEqual({ kind: 'detection', boxes: large.boxes });
  });
});

describe('the formats of the family', () => {
  test.each([
    'yolov5',
    'yolov5pytorch',
    'yolov7',
    'yolov7pytorch',
    'yolov8',
    'yolov9',
    'yolov11',
    'yolov12',
  ])('%s has the same files', async (format) => {
    const { 'README.dataset.txt': _, ...files } = Object.fromEntries(await exported(format, three));
    const { 'README.dataset.txt': __, ...wanted } = Object.fromEntries(
      await exported('yolov8', three),
    );
    expect(files).toEqual(wanted);
  });

  test.each([
    ['yolov5pytorch', true],
    ['yolov7pytorch', true],
    ['yolov9', true],
    ['yolov8', false],
    ['yolov8-obb', false],
  ])('%s says in README.dataset.txt how its trainers find the images: %s', async (format, says) => {
    const readme = (await exported(format, three)).get('README.dataset.txt') ?? '';
    expect(readme.includes('put the full path of this one for .. in data.yaml')).toBe(says);
  });
});

describe('keypoints', () => {
  const keypoints = [
    { label: 'wrist', x: 64, y: 48, visibility: 2 } as const,
    { label: 'thumb', x: 320, y: 240, visibility: 1 } as const,
    { label: 'elbow', x: 3, y: 4, visibility: 0 } as const,
  ];
  const nose = [{ label: 'nose', x: 128, y: 96, visibility: 2 } as const];
  const posed = image({
    boxes: [
      { ...boxOf(320, 240, 64, 48, 'hand'), keypoints },
      { ...boxOf(320, 240, 64, 48, 'hand'), keypoints: keypoints.slice(1, 2) },
      { ...boxOf(320, 240, 64, 48, 'face'), keypoints: nose },
      boxOf(320, 240, 64, 48, 'face'),
    ],
  });

  test.each(['yolov8', 'yolov11', 'yolov12'])('%s has as many in each row', async (format) => {
    const files = await exported(format, [posed], 'keypoint-detection');
    expect(files.get('train/labels/cell.txt')).toBe(
      '3 0.5 0.5 0.1 0.1 0.1 0.1 2 0.5 0.5 1 0 0 0\n' +
        '3 0.5 0.5 0.1 0.1 0 0 0 0.5 0.5 1 0 0 0\n' +
        '2 0.5 0.5 0.1 0.1 0.2 0.2 2 0 0 0 0 0 0\n' +
        '2 0.5 0.5 0.1 0.1 0 0 0 0 0 0 0 0 0\n',
    );
    expect(parseYaml(files.get('data.yaml') ?? '')).toEqual({
      train: '../train/images',
      val: '../valid/images',
      test: '../test/images',
      kpt_shape: [3, 3],
      kpt_names: { 0: [], 1: [], 2: ['nose'], 3: ['wrist', 'thumb', 'elbow'] },
      nc: 4,
      names: ['Platelets', 'RBC', 'face', 'hand'],
    });
  });

  test('has no kpt_shape where nothing has keypoints', async () => {
    const files = await exported('yolov8', [image({ boxes: [] })], 'keypoint-detection');
    expect(parseYaml(files.get('data.yaml') ?? '')).toEqual({
      train: '../train/images',
      val: '../valid/images',
      test: '../test/images',
      nc: 2,
      names: ['Platelets', 'RBC'],
    });
  });
});

describe('yolov8-obb', () => {
  const row = async (points: readonly (readonly [number, number])[]) => {
    const outlined = image({ width: 100, height: 100, boxes: [{ ...boxOf(5, 5, 1, 1), points }] });
    const files = await exported('yolov8-obb', [outlined]);
    return files.get('train/labels/cell.txt');
  };

  test('turns the rectangle as the outline lies', async () => {
    const diamond = [[50, 20] as const, [80, 50] as const, [50, 80] as const, [20, 50] as const];
    expect(await row(diamond)).toBe('1 0.5 0.2 0.8 0.5 0.5 0.8 0.2 0.5\n');
  });

  test('is upright around an upright outline, whichever way it runs', async () => {
    const upright = '1 0.1 0.2 0.6 0.2 0.6 0.4 0.1 0.4\n';
    const shape = [
      [10, 20],
      [60, 20],
      [60, 40],
      [30, 40],
      [30, 30],
      [10, 40],
    ] as const;
    expect(await row(shape)).toBe(upright);
    expect(await row(shape.toReversed())).toBe(upright);
  });

  test.each([
    [
      'a point',
      [
        [10, 20],
        [10, 20],
        [10, 20],
      ],
      '1 0.1 0.2 0.1 0.2 0.1 0.2 0.1 0.2\n',
    ],
    [
      'a line',
      [
        [10, 20],
        [40, 20],
        [20, 20],
      ],
      '1 0.1 0.2 0.4 0.2 0.4 0.2 0.1 0.2\n',
    ],
  ] as const)('has a row for an outline that is %s', async (_what, points, wanted) => {
    expect(await row(points)).toBe(wanted);
  });
});

test('a turned box is a rectangle around its outline, no larger than the upright one', async () => {
  const coordinate = fc.integer({ min: -300, max: 1300 }).map((tenths) => tenths / 10);
  const outline = fc.array(fc.tuple(coordinate, coordinate), { minLength: 3, maxLength: 30 });
  await fc.assert(
    fc.asyncProperty(outline, async (points) => {
      const outlined = image({
        width: 100,
        height: 100,
        boxes: [{ ...boxOf(5, 5, 1, 1), points }],
      });
      const text = (await exported('yolov8-obb', [outlined])).get('train/labels/cell.txt') ?? '';
      const shares = text.trim().split(' ').slice(1).map(Number);
      const corners = [0, 2, 4, 6].map((at) => [
        100 * (shares[at] ?? 0),
        100 * (shares[at + 1] ?? 0),
      ]);
      const [a = [], b = [], c = [], d = []] = corners;
      const [ax = 0, ay = 0, bx = 0, by = 0, dx = 0, dy = 0] = [...a, ...b, ...d];
      const [alongX, alongY, downX, downY] = [bx - ax, by - ay, dx - ax, dy - ay];
      const [long, high] = [Math.hypot(alongX, alongY), Math.hypot(downX, downY)];
      expect(Math.abs(alongX * downX + alongY * downY)).toBeLessThan(1e-4);
      expect(c[0]).toBeCloseTo(bx + downX, 4);
      expect(c[1]).toBeCloseTo(by + downY, 4);
      const [xs, ys] = [points.map(([x]) => x), points.map(([, y]) => y)];
      const upright = (Math.max(...xs) - Math.min(...xs)) * (Math.max(...ys) - Math.min(...ys));
      expect(long * high).toBeLessThan(upright * (1 + 1e-6) + 1e-4);
      for (const [x, y] of points) {
        const along = ((x - ax) * alongX + (y - ay) * alongY) / (long || 1);
        const down = ((x - ax) * downX + (y - ay) * downY) / (high || 1);
        expect(along).toBeGreaterThan(-1e-4);
        expect(along).toBeLessThan(long + 1e-4);
        expect(down).toBeGreaterThan(-1e-4);
        expect(down).toBeLessThan(high + 1e-4);
      }
    }),
    { numRuns: 60 },
  );
});

test('mt-yolov6 has a folder of images and one of labels, with boxes alone', async () => {
  const points = [[64, 48] as const, [128, 48] as const, [128, 96] as const];
  const outlined = image({ boxes: [{ ...boxOf(96, 72, 64, 48), points }] });
  const valid = image({ split: 'valid', boxes: [] });
  const files = await exported('mt-yolov6', [outlined, valid], 'instance-segmentation');
  expect([...files.keys()]).toEqual([
    'README.dataset.txt',
    'data.yaml',
    'labels/train/cell.txt',
    'images/train/cell.jpg',
    'labels/valid/cell.txt',
    'images/valid/cell.jpg',
  ]);
  expect(files.get('data.yaml')).toBe(
    'train: ./images/train\nval: ./images/valid\ntest: ./images/test\n\n' +
      'nc: 2\nnames: ["Platelets", "RBC"]\n',
  );
  expect(files.get('labels/train/cell.txt')).toBe('1 0.15 0.15 0.1 0.1\n');
});

test('darknet has class names in each split, and rows beside the images', async () => {
  const files = await exported('darknet', three);
  expect([...files.keys()]).toEqual([
    'README.dataset.txt',
    'train/_darknet.labels',
    'test/_darknet.labels',
    'train/cell.txt',
    'train/cell.jpg',
    'train/empty.txt',
    'train/empty.png',
    'test/other.txt',
    'test/other.jpg',
  ]);
  expect(files.get('test/_darknet.labels')).toBe('<WBC>\nPlatelets\nRBC\nsalt & "pepper"\n');
  expect(files.get('train/empty.txt')).toBe('');
});
