// The layouts in which people keep datasets: which images, splits and labels come out of each.

import { afterAll, beforeAll, expect, it } from 'vitest';
import { projects } from '../../../src/contract/projects.ts';
import { testImage } from '../../fixtures/images.ts';
import { startTestPlatform, type TestPlatform } from '../../fixtures/platform.ts';
import {
  coco,
  newProject,
  type ProjectType,
  plainZip,
  problemOf,
  sendZip,
  voc,
} from './zip-files.ts';

let platform: TestPlatform;
const pixels: Buffer[] = [];

beforeAll(async () => {
  platform = await startTestPlatform();
  for (let shade = 1; shade <= 4; shade += 1) pixels.push(await testImage(shade));
});

afterAll(() => platform.close());

interface Layout {
  readonly what: string;
  readonly type?: ProjectType;
  /** Images by their paths, then all other files. */
  readonly images: readonly string[];
  readonly files?: Readonly<Record<string, string>>;
  readonly result: Readonly<Record<string, unknown>>;
  /** Boxes or images of each class, as the project has them afterwards. */
  readonly classes: Readonly<Record<string, number>>;
}

const box = '0 0.5 0.5 0.25 0.25\n';
const createMl = (label: string, ...names: readonly string[]) =>
  JSON.stringify(
    names.map((image) => ({
      image,
      annotations: [{ label, coordinates: { x: 12, y: 16, width: 16, height: 16 } }],
    })),
  );

const layouts: readonly Layout[] = [
  {
    what: 'a COCO file for each split, and images in one folder',
    images: ['images/a.png', 'images/b.png'],
    files: {
      'annotations/instances_train.json': coco('cat', 'a.png'),
      'annotations/instances_val.json': coco('cat', 'b.png'),
    },
    result: { images: 2, annotated: 2, splits: { train: 1, valid: 1, test: 0 } },
    classes: { cat: 2 },
  },
  {
    what: 'names with other accents and capital letters than the images',
    images: ['cafe\u0301.png', 'B.PNG'],
    files: { 'caf\u00e9.xml': voc('caf\u00e9.png', 'cat'), 'b.xml': voc('B.PNG', 'cat') },
    result: { images: 2, annotated: 2 },
    classes: { cat: 2 },
  },
  {
    what: 'Pascal VOC with lists for the splits',
    images: ['VOC/JPEGImages/a.png', 'VOC/JPEGImages/b.png', 'VOC/JPEGImages/c.png'],
    files: {
      'VOC/Annotations/a.xml': voc('a.png', 'cat'),
      'VOC/Annotations/b.xml': voc('b.png', 'dog'),
      'VOC/Annotations/c.xml': voc('c.png', 'dog'),
      'VOC/ImageSets/Main/train.txt': 'a\n',
      'VOC/ImageSets/Main/val.txt': 'b\r\n',
      'VOC/ImageSets/Main/test.txt': 'c 1\n',
      'VOC/ImageSets/Main/trainval.txt': 'a\nb\n',
      'VOC/ImageSets/Layout/train.txt': 'b\nc\n',
    },
    result: { images: 3, annotated: 3, boxes: 3, splits: { train: 1, valid: 1, test: 1 } },
    classes: { cat: 1, dog: 2 },
  },
  {
    what: 'Pascal VOC with lists that name an image twice, and one not at all',
    images: ['VOC/JPEGImages/a.png', 'VOC/JPEGImages/b.png', 'VOC/JPEGImages/c.png'],
    files: {
      'VOC/Annotations/a.xml': voc('a.png', 'cat'),
      'VOC/Annotations/b.xml': voc('b.png', 'dog'),
      'VOC/Annotations/c.xml': voc('c.png', 'dog'),
      'VOC/ImageSets/Main/train.txt': 'a\nb\n',
      'VOC/ImageSets/Main/test.txt': 'b\n',
      'VOC/ImageSets/Layout/val.txt': 'a\n',
    },
    result: {
      images: 3,
      annotated: 3,
      splits: { train: 2, valid: 0, test: 1 },
      inNoSplitList: 1,
      files: expect.arrayContaining([
        {
          file: 'VOC/JPEGImages/b.png',
          outcome: 'added',
          problem: 'is in test.txt and train.txt, of which the first counts',
        },
      ]),
    },
    classes: { cat: 1, dog: 2 },
  },
  {
    what: 'COCO with a file in each split, and one name in two splits',
    images: ['train/a.png', 'valid/a.png', 'test/b.png'],
    files: {
      'train/_annotations.coco.json': coco('cat', 'a.png'),
      'valid/_annotations.coco.json': coco('dog', 'a.png'),
      'test/_annotations.coco.json': coco('bird', 'b.png'),
      'README.dataset.txt': 'Made with care.',
    },
    result: { images: 3, annotated: 3, boxes: 3, splits: { train: 1, valid: 1, test: 1 } },
    classes: { cat: 1, dog: 1, bird: 1 },
  },
  {
    what: 'COCO as its authors publish it',
    images: ['train2017/1.png', 'val2017/2.png'],
    files: {
      'annotations/instances_train2017.json': coco('cat', '1.png'),
      'annotations/captions_train2017.json': coco('caption', '1.png'),
      'annotations/instances_val2017.json': coco('dog', '2.png'),
    },
    result: { images: 2, annotated: 2, boxes: 2, splits: { train: 1, valid: 1, test: 0 } },
    classes: { cat: 1, dog: 1 },
  },
  {
    what: 'COCO with paths in its names',
    images: ['images/x/a.png', 'images/y/a.png'],
    files: { 'labels.json': coco('cat', 'images/x/a.png') },
    result: { images: 2, annotated: 1, unannotated: 1, boxes: 1 },
    classes: { cat: 1 },
  },
  {
    what: 'YOLO with images and labels side by side in each split',
    images: ['train/images/a.png', 'valid/images/a.png', 'test/images/b.png'],
    files: {
      'data.yaml': 'names: [cat, dog]\nnc: 2\n',
      'train/labels/a.txt': box,
      'valid/labels/a.txt': box.replace('0', '1'),
      'test/labels/b.txt': '',
    },
    result: { images: 3, annotated: 3, boxes: 2, splits: { train: 1, valid: 1, test: 1 } },
    classes: { cat: 1, dog: 1 },
  },
  {
    what: 'YOLO with the splits inside images and labels',
    images: ['set/images/train/a.png', 'set/images/val/a.png'],
    files: {
      'set/data.yaml': 'names:\n  0: cat\n  1: dog\n',
      'set/labels/train/a.txt': box,
      'set/labels/val/a.txt': `${box}1 0.5 0.5 0.1 0.1\n`,
    },
    result: { images: 2, annotated: 2, boxes: 3, splits: { train: 1, valid: 1, test: 0 } },
    classes: { cat: 2, dog: 1 },
  },
  {
    what: 'Darknet with a names file and lists of paths',
    images: ['obj_train_data/a.png', 'obj_train_data/b.png'],
    files: {
      'obj.names': 'cat\ndog\n',
      'obj.data': 'classes = 2',
      'train.txt': 'data/obj_train_data/a.png\n',
      'test.txt': 'data/obj_train_data/b.png\n',
      'obj_train_data/a.txt': box,
      'obj_train_data/b.txt': box.replace('0', '1'),
    },
    result: { images: 2, annotated: 2, boxes: 2, splits: { train: 1, valid: 0, test: 1 } },
    classes: { cat: 1, dog: 1 },
  },
  {
    what: 'YOLO from a drawing tool, with classes.txt among the labels',
    images: ['a.png'],
    files: { 'a.txt': box, 'classes.txt': 'cat\n' },
    result: { images: 1, annotated: 1, boxes: 1 },
    classes: { cat: 1 },
  },
  {
    what: 'CreateML',
    images: ['train/a.png', 'train/b.png'],
    files: { 'train/_annotations.createml.json': createMl('cat', 'a.png', 'b.png') },
    result: { images: 2, annotated: 2, boxes: 2, splits: { train: 2, valid: 0, test: 0 } },
    classes: { cat: 2 },
  },
  {
    what: 'an XML and a YOLO file of the same image: the one that says more counts',
    images: ['a.png'],
    files: { 'a.xml': voc('a.png', 'cat'), 'a.txt': box, 'classes.txt': 'dog\n' },
    result: { images: 1, annotated: 1, boxes: 1 },
    classes: { cat: 1 },
  },
  {
    what: 'a folder for each class, with splits above them',
    type: 'single-label-classification',
    images: ['train/cat/1.png', 'train/dog/2.png', 'valid/cat/3.png'],
    result: { images: 3, annotated: 3, boxes: 3, splits: { train: 2, valid: 1, test: 0 } },
    classes: { cat: 2, dog: 1 },
  },
  {
    what: 'a folder for each class, in one folder above',
    type: 'multi-label-classification',
    images: ['pets/cat/1.png', 'pets/dog/2.png'],
    result: { images: 2, annotated: 2, splits: { train: 2, valid: 0, test: 0 } },
    classes: { cat: 1, dog: 1 },
  },
  {
    what: 'images of whole-image classes in one folder alone: its name may be anything',
    type: 'single-label-classification',
    images: ['holiday/1.png', 'holiday/2.png'],
    result: { images: 2, annotated: 0, unannotated: 2 },
    classes: {},
  },
  {
    what: 'folders of classes in a project of boxes: they are no labels',
    images: ['cat/1.png', 'dog/2.png'],
    result: { images: 2, annotated: 0, unannotated: 2 },
    classes: {},
  },
  {
    what: 'images with masks beside them: masks are no images',
    type: 'semantic-segmentation',
    images: ['train/a.png', 'train/a_mask.png'],
    files: { 'train/_classes.csv': 'Pixel Value, Class\n' },
    result: { images: 1, unannotated: 1 },
    classes: {},
  },
];

it.each(layouts)('$what', async ({ type, images, files = {}, result, classes }) => {
  const project = await newProject(platform, type);
  const pictures = images.map((name, index) => [name, pixels[index] ?? ''] as const);
  const zip = plainZip({ ...files, ...Object.fromEntries(pictures) });
  const task = await sendZip(platform, project, zip);
  expect(task).toMatchObject({ status: 'completed', result: { failed: 0, ...result } });
  const where = { workspace: 'acme', project };
  const { body } = await platform.client.call(projects.projects_get, where);
  expect(body.project.classes).toEqual(classes);
});

it.each([
  {
    what: 'one file that two images in different folders could claim',
    images: ['x/a.png', 'y/a.png'],
    files: { 'z/a.txt': box, 'classes.txt': 'cat\n' },
    file: 'z/a.txt',
    problem: 'could belong to several images',
  },
  {
    what: 'one file beside two images of its name',
    images: ['a.jpg', 'a.png'],
    files: { 'a.xml': voc('a.png', 'cat') },
    file: 'a.xml',
    problem: 'could belong to several images',
  },
  {
    what: 'two documents that say different things of one image',
    images: ['a.png'],
    files: { 'one.json': coco('cat', 'a.png'), 'two.json': coco('dog', 'a.png') },
    file: 'a.png',
    problem: 'several annotation files are about it, and none of them clearly',
  },
  {
    what: 'class numbers without names',
    images: ['a.png'],
    files: { 'a.txt': box },
    file: 'a.png',
    problem:
      'a.txt: line 1: class id "0" needs a labelmap; there are no class names for it: ' +
      'a data.yaml, a .names file or a classes.txt',
  },
  {
    what: 'class numbers, and two lists of names elsewhere that differ',
    images: ['a/1.png'],
    files: { 'a/1.txt': box, 'b/classes.txt': 'cat\n', 'c/classes.txt': 'dog\n' },
    file: 'a/1.png',
    problem:
      '1.txt: line 1: class id "0" needs a labelmap; there are 2 files of other class names each ' +
      '("b/classes.txt", "c/classes.txt"), and none of them is nearest to it',
  },
  {
    what: 'an annotation of another split',
    images: ['valid/images/a.png'],
    files: { 'train/labels/a.txt': box, 'data.yaml': 'names: [cat]' },
    file: 'train/labels/a.txt',
    problem: 'is about no image of the archive',
  },
  {
    what: 'an annotation about another image',
    images: ['a.png'],
    files: { 'a.xml': voc('b.png', 'cat') },
    file: 'a.png',
    problem: 'a.xml: is about image "b.png", not about "a.png"',
  },
  {
    what: 'JSON that is no annotation',
    images: ['a.png'],
    files: { 'package.json': '{"name": "x"}' },
    file: 'package.json',
    problem: 'neither COCO nor CreateML JSON',
  },
])('no labels come from $what', async ({ images, files, file, problem }) => {
  const project = await newProject(platform);
  const pictures = images.map((name, index) => [name, pixels[index] ?? ''] as const);
  const task = await sendZip(
    platform,
    project,
    plainZip({ ...files, ...Object.fromEntries(pictures) }),
  );
  expect(task).toMatchObject({ status: 'completed', result: { annotated: 0, boxes: 0 } });
  expect(problemOf(task, file)).toBe(problem);
  expect(task.result).toMatchObject({ images: images.length });
});

it('says that a folder called like a split is no class', async () => {
  const project = await newProject(platform, 'single-label-classification');
  const images = ['cat/1.png', 'dog/2.png', 'test/3.png'];
  const pictures = images.map((name, index) => [name, pixels[index] ?? ''] as const);
  const task = await sendZip(platform, project, plainZip(Object.fromEntries(pictures)));
  const splits = { train: 2, valid: 0, test: 1 };
  expect(task).toMatchObject({ result: { images: 3, annotated: 2, splits } });
  expect(problemOf(task, 'test/3.png')).toContain('taken for a split and not for a class');
  expect(problemOf(task, 'cat/1.png')).toBeUndefined();
});
