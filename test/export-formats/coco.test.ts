// COCO: ids, categories, shapes and keypoints.

import { describe, expect, test } from 'vitest';
import { parseAnnotation } from '../../src/annotation-formats/parse-annotation.ts';
import { boxOf, dataset, exportBytes, exported, image, oddBoxes } from './sample-dataset.ts';

const three = [
  image(),
  image({ fileName: 'empty.png', boxes: [] }),
  image({ split: 'test', fileName: 'other.jpg', boxes: oddBoxes.slice(0, 1) }),
];

describe('coco', () => {
  test('has a file for each split with images, and the images beside it', async () => {
    expect([...(await exported('coco', three)).keys()]).toEqual([
      'README.dataset.txt',
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
      { id: 0, name: 'cells', supercategory: 'none' },
      { id: 1, name: '<WBC>', supercategory: 'cells' },
      { id: 2, name: 'Platelets', supercategory: 'cells' },
      { id: 3, name: 'RBC', supercategory: 'cells' },
      { id: 4, name: 'salt & "pepper"', supercategory: 'cells' },
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

  test.each(['', ' \n', 'none '])(
    'has no class below "none" where projects label "%s"',
    async (given) => {
      const { info, ...rest } = dataset([image({ boxes: [] })]);
      const files = await exportBytes('coco', { ...rest, info: { ...info, annotation: given } });
      const { categories } = JSON.parse(String(files.get('train/_annotations.coco.json')));
      expect(categories).toEqual([
        { id: 0, name: 'objects', supercategory: 'none' },
        { id: 1, name: 'Platelets', supercategory: 'objects' },
        { id: 2, name: 'RBC', supercategory: 'objects' },
      ]);
    },
  );

  test.each(['cells', 'white\u0000cells', 'x'.repeat(100)])(
    'is imported again without its parent of the classes, "%s"',
    async (annotation) => {
      const { info, ...rest } = dataset([image({ boxes: [boxOf(20, 30, 10, 4)] })]);
      const files = await exportBytes('coco', { ...rest, info: { ...info, annotation } });
      const parsed = parseAnnotation({
        text: String(files.get('train/_annotations.coco.json')),
        fileName: '_annotations.coco.json',
        image: { name: 'cell.jpg', width: 640, height: 480 },
        labelmap: {},
        projectType: 'object-detection',
      });
      expect(parsed.annotation).toEqual({ kind: 'detection', boxes: [boxOf(20, 30, 10, 4)] });
    },
  );

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
    expect(categories[0]).toEqual({ id: 0, name: 'cells', supercategory: 'none' });
    expect(categories[1]).toEqual(expect.objectContaining({ keypoints: [], skeleton: [] }));
    expect(categories[2]).toEqual(expect.objectContaining({ keypoints: ['wrist', 'thumb'] }));
    expect(annotations[0]).toEqual(
      expect.objectContaining({ keypoints: [1, 2, 2, 0, 0, 0], num_keypoints: 1 }),
    );
    expect(annotations[1]).toEqual(
      expect.objectContaining({ keypoints: [0, 0, 0, 0, 0, 0], num_keypoints: 0 }),
    );
  });

  test('has corners where there is no outline, in coco-segmentation alone', async () => {
    const points = [[1, 2] as const, [5, 2] as const, [5, 8] as const];
    const outlined = image({ boxes: [{ ...boxOf(3, 5, 4, 6), points }, boxOf(20, 30, 10, 4)] });
    for (const [format, corners, area] of [
      ['coco', [], 40],
      ['coco-segmentation', [[15, 28, 25, 28, 25, 32, 15, 32]], 40],
    ] as const) {
      const files = await exported(format, [outlined], 'instance-segmentation');
      const { annotations } = JSON.parse(files.get('train/_annotations.coco.json') ?? '');
      expect(annotations[0].segmentation).toEqual([[1, 2, 5, 2, 5, 8]]);
      expect(annotations[1]).toMatchObject({ segmentation: corners, area });
    }
  });
});
