// Classes of whole images: folders, captions, tables and lines.

import { describe, expect, test } from 'vitest';
import type { ExportImage } from '../../src/export-formats/export-dataset.ts';
import { readCsv } from './readers.ts';
import { boxOf, exported, image } from './sample-dataset.ts';

const one = 'single-label-classification';
const many = 'multi-label-classification';

function labelled(fileName: string, labels: readonly string[], given: Partial<ExportImage> = {}) {
  return image({ fileName, labels, boxes: [], ...given });
}

const pets = [
  labelled('a.jpg', ['dog']),
  labelled('b.jpg', ['cat']),
  labelled('none.jpg', []),
  labelled('c.jpg', ['dog'], { split: 'test' }),
];

describe('folder', () => {
  test('has a folder for each class of a split', async () => {
    const files = await exported('folder', pets, one);
    expect([...files]).toEqual([
      ['README.dataset.txt', expect.stringContaining('3 images, 3 labels, 2 classes')],
      ['train/dog/a.jpg', 'pixels of a.jpg'],
      ['train/cat/b.jpg', 'pixels of b.jpg'],
      ['test/dog/c.jpg', 'pixels of c.jpg'],
    ]);
    expect(files.get('README.dataset.txt')).toContain(
      'left out, since they have no class: 1 images',
    );
  });

  test('takes the class of the boxes where they agree', async () => {
    const boxes = [boxOf(5, 5, 10, 10, 'RBC'), boxOf(9, 9, 2, 2, 'RBC')];
    const paths = [...(await exported('folder', [image({ boxes })])).keys()];
    expect(paths).toEqual(['README.dataset.txt', 'train/RBC/cell.jpg']);
  });

  test('has folders that are safe to unpack and differ on every system', async () => {
    const classes = ['a/b', 'a_b', 'A_B', '..', '../x', '=1', 'dot.', 'é 漢, "q"', '1.5 mm'];
    const images = classes.map((name, at) => labelled(`${at}.jpg`, [name]));
    const files = await exported('folder', images, one);
    expect([...files.keys()].slice(1)).toEqual([
      'train/a_b-2/0.jpg',
      'train/a_b-3/1.jpg',
      'train/A_B/2.jpg',
      'train/class/3.jpg',
      'train/_x/4.jpg',
      'train/_1/5.jpg',
      'train/dot/6.jpg',
      'train/é 漢, _q_/7.jpg',
      'train/1.5 mm/8.jpg',
    ]);
    expect(files.get('README.dataset.txt')).toContain(
      'Folders whose name is not that of their class\n' +
        '  class: ..\n  _x: ../x\n  _1: =1\n  a_b-2: a/b\n  a_b-3: a_b\n  dot: dot.\n' +
        '  é 漢, _q_: é 漢, "q"\n',
    );
  });

  test.each([
    [
      'several classes',
      image(),
      'format: takes one class for each image, but 1 of 2 have several; use "multiclass", ' +
        'or a version with preprocessing.isolate, which makes an image of each box',
    ],
    ['no class', labelled('x.jpg', []), 'format: takes images with a class; none of 2 has one'],
  ])('refuses images with %s', async (_case, other, message) => {
    const images = [labelled('y.jpg', []), other];
    for (const format of ['folder', 'clip']) {
      await expect(exported(format, images)).rejects.toMatchObject({
        code: 'invalid_input',
        message,
      });
    }
  });
});

test('clip has a caption for each folder, in the order of the folders', async () => {
  const files = await exported('clip', [...pets, labelled('d.jpg', ['Élan = "x"'])], one);
  expect([...files.keys()]).toEqual([
    'README.dataset.txt',
    'train/_tokenization.txt',
    'test/_tokenization.txt',
    'train/dog/a.jpg',
    'train/cat/b.jpg',
    'test/dog/c.jpg',
    'train/Élan = _x_/d.jpg',
  ]);
  expect(files.get('train/_tokenization.txt')).toBe(
    'a photo of cat\na photo of dog\na photo of Élan = "x"\n',
  );
  expect(files.get('test/_tokenization.txt')).toBe('a photo of dog\n');
});

describe('multiclass', () => {
  test('has a column for each class, and all images', async () => {
    const images = [...pets, labelled('both.jpg', ['cat', 'dog'], { split: 'valid' })];
    const files = await exported('multiclass', images, many);
    expect([...files.keys()]).toEqual([
      'README.dataset.txt',
      'train/_classes.csv',
      'valid/_classes.csv',
      'test/_classes.csv',
      'train/a.jpg',
      'train/b.jpg',
      'train/none.jpg',
      'test/c.jpg',
      'valid/both.jpg',
    ]);
    expect(files.get('train/_classes.csv')).toBe(
      'filename, cat, dog\na.jpg, 0, 1\nb.jpg, 1, 0\nnone.jpg, 0, 0\n',
    );
    expect(files.get('valid/_classes.csv')).toBe('filename, cat, dog\nboth.jpg, 1, 1\n');
  });

  test('keeps odd names apart', async () => {
    const labels = ['a,b', 'say "hi"', '=1+1', 'line'];
    const files = await exported('multiclass', [labelled('x, y.jpg', labels)], many);
    expect(readCsv(files.get('train/_classes.csv') ?? '')).toEqual([
      ['filename', ' =1+1', ' a,b', ' line', ' say "hi"'],
      ['x, y.jpg', ' 1', ' 1', ' 1', ' 1'],
    ]);
  });

  test('has the classes of the boxes in a detection project', async () => {
    const files = await exported('multiclass', [image(), image({ split: 'test', boxes: [] })]);
    expect(files.get('train/_classes.csv')).toBe(
      'filename, <WBC>, Platelets, RBC," salt & ""pepper"""\ncell.jpg, 1, 0, 1, 1\n',
    );
    expect(files.get('test/_classes.csv')?.split('\n')[1]).toBe('cell.jpg, 0, 0, 0, 0');
  });
});

test('jsonl asks which classes an image shows', async () => {
  const files = await exported(
    'jsonl',
    [pets[0], labelled('q"\\.jpg', ['dog', 'cat'])].flatMap((x) => x ?? []),
    many,
  );
  const lines = (files.get('train/annotations.jsonl') ?? '').trimEnd().split('\n');
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    { image: 'a.jpg', prefix: 'classify cat ; dog', suffix: 'dog' },
    { image: expect.any(String), prefix: 'classify cat ; dog', suffix: 'cat ; dog' },
  ]);
});

test('jsonl asks for the boxes of a detection project', async () => {
  const small = image({
    width: 1024,
    height: 512,
    boxes: [boxOf(100, 50, 20, 10), boxOf(1020, 2, 40, 20, 'x')],
  });
  const files = await exported('jsonl', [small, image({ boxes: [], fileName: 'empty.jpg' })]);
  expect((files.get('train/annotations.jsonl') ?? '').split('\n')).toEqual([
    '{"image":"cell.jpg","prefix":"detect Platelets ; RBC ; x","suffix":' +
      '"<loc0090><loc0090><loc0110><loc0110> RBC ; <loc0000><loc1000><loc0024><loc1023> x"}',
    '{"image":"empty.jpg","prefix":"detect Platelets ; RBC ; x","suffix":""}',
    '',
  ]);
});
