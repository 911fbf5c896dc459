// YOLO datasets come out the same, whether they are uploaded as a folder or as a zip file: which
// images are in which split, and which class names their labels get.

import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { membersOf } from '../../src/json-object.ts';
import { type Fovea, launchFovea } from '../fixtures/fovea.ts';
import { testImage } from '../fixtures/images.ts';

let fovea: Fovea;
let made = 0;

beforeAll(async () => {
  fovea = await launchFovea();
});

afterAll(() => fovea.close());

interface Dataset {
  readonly what: string;
  readonly images: readonly string[];
  readonly files: Readonly<Record<string, string>>;
  readonly splits: Readonly<Record<string, number>>;
  /** Labels of each class; none unless given. */
  readonly classes?: Readonly<Record<string, number>>;
  /** What both answers say of it. */
  readonly says?: RegExp;
}

const names = 'names: [red, blue]\n';
const red = '0 0.5 0.5 0.25 0.25\n';
const blue = red.replace('0', '1');

const datasets: readonly Dataset[] = [
  {
    what: 'a folder for each split, of any name',
    images: ['a/images/1.png', 'b/images/1.png', 'c/images/1.png'],
    files: {
      'data.yaml': `train: a/images\nval: b/images\ntest: c/images\n${names}`,
      'a/labels/1.txt': red,
      'b/labels/1.txt': blue,
    },
    splits: { train: 1, valid: 1, test: 1 },
    classes: { red: 1, blue: 1 },
  },
  {
    what: 'several folders for a split',
    images: ['a/1.png', 'b/2.png', 'c/3.png', 'c/4.png'],
    files: { 'data.yaml': `train:\n  - a\n  - 'b'\nval: [c]\n${names}` },
    splits: { train: 2, valid: 2, test: 0 },
  },
  {
    what: 'folders that were elsewhere, and one step too many upwards',
    images: ['one/images/1.png', 'two/images/2.png'],
    files: {
      'set.yaml': `path: ../datasets/set\ntrain: one/images\nval: ../two/images\n${names}`,
    },
    splits: { train: 1, valid: 1, test: 0 },
  },
  {
    what: 'absolute folders of another machine',
    images: ['one/images/1.png', 'two/images/2.png'],
    files: { 'data.yaml': 'train: /content/set/one/images\nval: C:\\set\\two\\images\\\n' },
    splits: { train: 1, valid: 1, test: 0 },
  },
  {
    what: 'lists of files, with names that several folders have',
    images: ['a/1.png', 'b/1.png', 'a/2.png', 'b/2.png', 'b/3.png'],
    files: {
      'data.yaml': 'train: [lists/tr.txt, a]\nval: lists/va.txt\n',
      'lists/tr.txt': './a/1.png\r\n./b/2.png\n/home/me/set/b/3.png\n',
      'lists/va.txt': './b/1.png\n',
    },
    splits: { train: 4, valid: 1, test: 0 },
  },
  {
    what: 'a folder within another one: the deepest counts',
    images: ['all/1.png', 'all/more/2.png'],
    files: { 'data.yaml': 'train: all\nval: all/more\n' },
    splits: { train: 1, valid: 1, test: 0 },
  },
  {
    what: 'a folder named for its split beside others that only the data.yaml knows',
    images: ['valid/1.png', 'c/2.png', 'd/3.png'],
    files: { 'data.yaml': 'train: d\nval: valid\ntest: c\n' },
    splits: { train: 1, valid: 1, test: 1 },
  },
  {
    what: 'one folder for two splits',
    images: ['a/1.png', 'b/2.png'],
    files: { 'data.yaml': 'train: a\nval: a\ntest: b\n' },
    splits: { train: 1, valid: 0, test: 1 },
    says: /names several splits at once for 1 image/,
  },
  {
    what: 'folders that are not there',
    images: ['x/1.png', 'y/2.png'],
    files: { 'data.yaml': 'train: [a, b]\nval: c\n' },
    splits: { train: 2, valid: 0, test: 0 },
    says: /names splits by which (no image|these images) can/,
  },
  {
    what: 'other YAML with keys like those of splits',
    images: ['a/1.png', 'b/2.png'],
    files: { 'run.yaml': 'train: a\ntest: b\n', 'data.yaml': 'train: b\nval: a\n' },
    splits: { train: 1, valid: 1, test: 0 },
    says: /^(?!.*run\.yaml[^.]*names splits)/s,
  },
  {
    what: 'class names for a part: the nearest count',
    images: ['a/images/1.png', 'b/images/2.png'],
    files: {
      'data.yaml': names,
      'b/data.yaml': 'names: [blue, red]\n',
      'a/labels/1.txt': red,
      'b/labels/2.txt': red,
    },
    splits: { train: 2, valid: 0, test: 0 },
    classes: { red: 1, blue: 1 },
    says: /Class names from 2 files that differ \(.*data\.yaml.*b\/data\.yaml.*\): for each/,
  },
  {
    what: 'class names in a file of any name',
    images: ['images/1.png', 'images/2.png'],
    files: {
      'dataset.yml': 'names:\n  0: red\n  1: blue\n',
      'labels/1.txt': red,
      'labels/2.txt': blue,
    },
    splits: { train: 2, valid: 0, test: 0 },
    classes: { red: 1, blue: 1 },
  },
  {
    what: 'two files of class names, of which neither is nearer',
    images: ['images/1.png'],
    files: { 'x.yaml': names, 'y.yaml': 'names: [blue, red]\n', 'labels/1.txt': red },
    splits: { train: 1, valid: 0, test: 0 },
    says: /2 files (have|of) other class names each \(.*x\.yaml.*y\.yaml.*\)/,
  },
  {
    what: 'a data.yaml beside another file of class names',
    images: ['images/1.png'],
    files: { 'a.yaml': 'names: [blue, red]\n', 'data.yaml': names, 'labels/1.txt': red },
    splits: { train: 1, valid: 0, test: 0 },
    classes: { red: 1 },
  },
];

it.each(datasets)('$what', async ({ images, files, splits, classes = {}, says = /./ }) => {
  made += 1;
  const folder = join(fovea.folder, `set-${made}`);
  const write = async (name: string, content: string | Buffer) => {
    const path = join(folder, name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, content);
  };
  for (const [n, image] of images.entries()) await write(image, await testImage(20 * made + n));
  for (const [name, content] of Object.entries(files)) await write(name, content);

  const isLabelled = Object.keys(files).some((name) => name.includes('labels/'));
  const labels = isLabelled ? { annotations: folder } : {};
  const asFolder = await uploaded('images_upload', { files: [folder], ...labels });
  const asZip = await uploaded('images_upload_zip', { path: folder });
  expect(asFolder.counts).toEqual({ splits, classes });
  expect(asZip.counts).toEqual({ splits, classes });
  expect(asFolder.text).toMatch(says);
  expect(asZip.text).toMatch(says);
});

async function uploaded(tool: string, args: Readonly<Record<string, unknown>>) {
  const name = `Set ${made} ${tool}`;
  const { id } = await fovea.ok('projects_create', {
    name,
    type: 'object-detection',
    annotation: 'things',
  });
  const project = String(id).split('/')[1] ?? '';
  const { text, data } = await fovea.call(tool, { project, ...args });
  const { taskId } = data;
  const waited = taskId === undefined ? undefined : await fovea.ok('tasks_wait', { taskId });
  const { project: found } = await fovea.ok('projects_get', { project });
  const { splits, classes } = membersOf(found);
  return { text: text + JSON.stringify(waited ?? ''), counts: { splits, classes } };
}
