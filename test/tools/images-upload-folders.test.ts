// images_upload of datasets with a folder for each split, in which images have the same names.

import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Facts, type Fovea, launchFovea } from '../fixtures/fovea.ts';
import { testImage } from '../fixtures/images.ts';

let fovea: Fovea;
let projects = 0;

beforeAll(async () => {
  fovea = await launchFovea();
});

afterAll(() => fovea.close());

const splits = ['train', 'valid', 'test'] as const;
const labelmap = { 0: 'train', 1: 'valid', 2: 'test' };

async function write(folder: string, name: string, content: string | Buffer): Promise<void> {
  const path = join(folder, name);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, content);
}

/** A dataset in a folder of its own: 3 images of each split, by the same names. */
async function dataset(imageAt: (split: string, n: number) => string): Promise<string> {
  projects += 1;
  const folder = join(fovea.folder, `dataset-${projects}`);
  for (const [place, split] of splits.entries()) {
    for (let n = 0; n < 3; n += 1) {
      await write(folder, imageAt(split, n), await testImage(100 * projects + 10 * place + n));
    }
  }
  return folder;
}

/** Uploads into a new project; the answer, and how many labels of each class each split has. */
async function upload(args: Facts) {
  const name = `Cells ${projects}`;
  await fovea.ok('projects_create', { name, type: 'object-detection', annotation: 'cells' });
  const project = `cells-${projects}`;
  const { text, data } = await fovea.call('images_upload', { project, ...args });
  const found: Record<string, number> = {};
  for (const split of splits) {
    for (const label of splits) {
      const query = `project:${project} split:${split} class:${label}`;
      const { total } = await fovea.ok('workspace_search', { query });
      if (Number(total) > 0) found[`${split} with ${label}`] = Number(total);
    }
  }
  return { text, data, found };
}

const right = { 'train with train': 3, 'valid with valid': 3, 'test with test': 3 };

it('takes YOLO labels of the folder beside that of the image, and splits by folders', async () => {
  const folder = await dataset((split, n) => `${split}/images/${n}.png`);
  for (const [place, split] of splits.entries()) {
    for (let n = 0; n < 3; n += 1)
      await write(folder, `${split}/labels/${n}.txt`, `${place} .5 .5 .1 .1`);
  }
  const { text, found } = await upload({ files: [folder], annotations: folder, labelmap });
  expect(found).toEqual(right);
  expect(text).toContain('Splits as their folders are called: 3 train, 3 valid, 3 test.');

  projects += 1;
  const part = { files: [join(folder, 'valid/images')], annotations: folder, split: 'valid' };
  expect((await upload({ ...part, labelmap })).found).toEqual({ 'valid with valid': 3 });
});

it.each(['valid', 'valid/images'])('takes the split of a folder alone: %s', async (alone) => {
  const folder = await dataset((split, n) => `${split}/images/${n}.png`);
  const { text, data } = await upload({ files: [join(folder, alone)] });
  expect(data.uploaded).toBe(3);
  expect(text).toContain('Splits as their folders are called: 0 train, 3 valid, 0 test.');
  const { total } = await fovea.ok('workspace_search', {
    query: `project:cells-${projects} split:valid`,
  });
  expect(total).toBe(3);
});

it('takes VOC files of the split', async () => {
  const folder = await dataset((split, n) => `${split}/JPEGImages/${n}.png`);
  for (const split of splits) {
    const box = '<bndbox><xmin>1</xmin><ymin>1</ymin><xmax>9</xmax><ymax>9</ymax></bndbox>';
    const xml = `<annotation><object><name>${split}</name>${box}</object></annotation>`;
    for (let n = 0; n < 3; n += 1) await write(folder, `${split}/Annotations/${n}.xml`, xml);
  }
  expect((await upload({ files: [folder], annotations: folder })).found).toEqual(right);
});

function coco(names: readonly string[], categoryOf: (place: number) => number): string {
  const bbox = [1, 1, 8, 8];
  return JSON.stringify({
    images: names.map((file_name, id) => ({ id, file_name, width: 32, height: 32 })),
    categories: splits.map((name, id) => ({ id, name })),
    annotations: names.map((_, id) => ({ id, image_id: id, category_id: categoryOf(id), bbox })),
  });
}

it('takes what one COCO file says of the image in that folder', async () => {
  const folder = await dataset((split, n) => `${split}/${n}.png`);
  const names = splits.flatMap((split) => [0, 1, 2].map((n) => `${split}/${n}.png`));
  await write(
    folder,
    'all.json',
    coco(names, (place) => Math.floor(place / 3)),
  );
  const { found } = await upload({ files: [folder], annotations: join(folder, 'all.json') });
  expect(found).toEqual(right);

  projects += 1;
  const part = { files: [join(folder, 'valid')], annotations: join(folder, 'all.json') };
  const { data, found: ofPart } = await upload({ ...part, split: 'valid' });
  expect([ofPart, data.annotatedImagesWithoutFile]).toEqual([{ 'valid with valid': 3 }, 6]);
});

it('takes the COCO file of the folder, where each split has one', async () => {
  const folder = await dataset((split, n) => `${split}/${n}.png`);
  for (const [place, split] of splits.entries()) {
    const names = ['0.png', '1.png', '2.png'];
    await write(
      folder,
      `${split}/_annotations.coco.json`,
      coco(names, () => place),
    );
  }
  expect((await upload({ files: [folder], annotations: folder })).found).toEqual(right);
});

it('takes nothing where it is not clear whose labels they are, and says so', async () => {
  const folder = await dataset((split, n) => `images/${split}-rest/${n}.png`);
  await write(folder, 'labels/0.txt', '0 .5 .5 .1 .1');
  const { text, data, found } = await upload({
    files: [join(folder, 'images')],
    annotations: join(folder, 'labels'),
    labelmap,
  });
  expect(found).toEqual({});
  expect(text).toContain('is not clear of "labels/0.txt": nothing was taken of these.');
  expect(data).toMatchObject({ uploaded: 9, annotated: 0, withoutAnnotation: 9, unclearTotal: 1 });
});

it('says how images of class folders get their classes', async () => {
  const folder = await dataset((split, n) => `${split}-kind/${n}.png`);
  for (const type of ['single-label-classification', 'object-detection']) {
    const name = `Kinds ${type}`;
    const { id } = await fovea.ok('projects_create', { name, type, annotation: 'kinds' });
    const project = String(id).split('/')[1] ?? '';
    const { text } = await fovea.call('images_upload', { project, files: [folder] });
    const isSaid = text.includes('were not taken as classes: images_upload_zip does that.');
    expect([type, isSaid]).toEqual([type, type !== 'object-detection']);
    if (!isSaid) continue;
    const { taskId } = await fovea.ok('images_upload_zip', { project, path: folder });
    await fovea.ok('tasks_wait', { taskId });
    const { total } = await fovea.ok('workspace_search', {
      query: `project:${project} class:train-kind`,
    });
    expect(total).toBe(3);
  }
});

it('gives no image the labels of another one', async () => {
  const folder = await dataset((split, n) => `${split}/images/${n}.png`);
  await write(folder, 'train/labels/0.txt', '0 .5 .5 .1 .1');
  const { data, found } = await upload({ files: [folder], annotations: folder, labelmap });
  expect([data.annotated, found]).toEqual([1, { 'train with train': 1 }]);
});

/** Images of these names in a folder of its own. */
async function imagesAt(...names: readonly string[]): Promise<string> {
  projects += 1;
  const folder = join(fovea.folder, `dataset-${projects}`);
  for (const [n, name] of names.entries()) {
    await write(folder, name, await testImage(100 * projects + n));
  }
  return folder;
}

const flat = ['images/a.png', 'images/e\u0301.png', 'images/c.png'];

it('takes splits by the lists that trainers of YOLO read', async () => {
  const folder = await imagesAt(...flat);
  await write(folder, 'train.txt', 'data/images/a.png\n');
  await write(folder, 'val.txt', 'data/images/\u00e9.png\n');
  const { text } = await upload({ files: [folder] });
  expect(text).toContain(
    'Splits as in the lists beside them: 1 train, 1 valid, 0 test. 1 image in no list',
  );
});

it('says where lists or a data.yaml contradict the folders, which count', async () => {
  const folder = await imagesAt('train/a.png', 'train/b.png', 'valid/c.png', 'valid/d.png');
  await write(folder, 'train.txt', 'train/a.png\nvalid/c.png\n');
  await write(folder, 'val.txt', 'train/b.png\n');
  await write(folder, 'data.yaml', 'train: ./valid\nval: ./train\nnames: [cat]\n');
  expect((await upload({ files: [folder] })).text).toContain(
    'Splits as their folders are called: 2 train, 2 valid, 0 test.' +
      ' 2 images have another split in the lists beside them, such as "b.png": folders count.' +
      ' 4 images have another split in a data.yaml, such as "a.png": folders count.',
  );
  projects += 1;
  await write(folder, 'train.txt', 'train/a.png\ntrain/b.png\n');
  await write(folder, 'val.txt', 'valid/c.png\n');
  await write(folder, 'data.yaml', 'train: ./train\nval: ./valid\nnames: [cat]\n');
  expect((await upload({ files: [folder] })).text).not.toContain('another split');
});

it('takes splits by the folders in a data.yaml, or says that they cannot be told', async () => {
  const folder = await imagesAt('images/one/a.png', 'images/two/b.png');
  await write(folder, 'data.yaml', 'train: ./images/one\nval: "images/two"\nnames: [cat]\n');
  expect((await upload({ files: [folder] })).text).toMatch(
    /Splits as in "[^"]*data.yaml": 1 train, 1 valid, 0 test\./,
  );
  projects += 1;
  await write(folder, 'data.yaml', 'train: [a, b]\nval: c\nnames: [cat]\n');
  expect((await upload({ files: [folder] })).text).toContain(
    'names splits by which these images cannot be told: all go to train.',
  );
});

it('takes splits by the COCO files that are about the images', async () => {
  const folder = await imagesAt(...flat);
  await write(
    folder,
    'annotations/instances_train.json',
    coco(['a.png', '\u00e9.png'], () => 0),
  );
  await write(
    folder,
    'annotations/instances_val.json',
    coco(['c.png'], () => 1),
  );
  const { text, found } = await upload({ files: [folder], annotations: folder });
  expect(text).toContain('Splits as their annotation files are called: 2 train, 1 valid, 0 test.');
  expect(found).toEqual({ 'train with train': 2, 'valid with valid': 1 });
});

it('says which labels go before others, and which could be of two images', async () => {
  const folder = await imagesAt('a.png', 'b.png', 'c.png', 'c.webp');
  const box = '<bndbox><xmin>1</xmin><ymin>1</ymin><xmax>9</xmax><ymax>9</ymax></bndbox>';
  const xml = `<annotation><object><name>valid</name>${box}</object></annotation>`;
  for (const name of ['a', 'b']) await write(folder, `${name}.xml`, xml);
  for (const name of ['a', 'b', 'c']) await write(folder, `${name}.txt`, '0 .5 .5 .1 .1');
  const { text, found } = await upload({ files: [folder], annotations: folder, labelmap });
  expect(found).toEqual({ 'train with valid': 2 });
  expect(text).toContain('is not clear of "c.txt"');
  expect(text).toContain('Not taken: 2 annotation files ("a.txt", "b.txt"), as another one');
});

it('takes class names below the labels where there is one file, and names several', async () => {
  const folder = await imagesAt('x/a.png', 'x/b.png');
  for (const name of ['a', 'b']) await write(folder, `x/${name}.txt`, '0 .5 .5 .1 .1');
  await write(folder, 'y/data.yaml', 'names: [train]');
  const { text, found } = await upload({ files: [folder], annotations: folder });
  expect([found, text]).toEqual([
    { 'train with train': 2 },
    expect.stringMatching(/Class names from "[^"]*y\/data.yaml"/),
  ]);
  projects += 1;
  await write(folder, 'z/data.yaml', 'names: [valid]');
  expect((await upload({ files: [folder], annotations: folder })).text).toMatch(
    /2 files have other class names each \("[^"]*y\/data.yaml", "[^"]*z\/data.yaml"\): name one/,
  );
});

it('takes an image whose label file has what cannot be stored', async () => {
  const folder = await imagesAt('a.png');
  await write(folder, 'a.txt', '0 .5 .5 .1 .1\n\0');
  const { data } = await upload({ files: [folder], annotations: folder, labelmap });
  expect(data).toMatchObject({ uploaded: 1, annotated: 0, annotationsRefused: 1 });
});

it('names linked images by their links, and says what links leave out', async () => {
  const folder = await imagesAt('pool/1.png', 'pool/2.png', 'pool/3.png', 'set/train/4.png');
  await mkdir(join(folder, 'set/valid'), { recursive: true });
  await symlink(join(folder, 'pool/1.png'), join(folder, 'set/valid/first.png'));
  await symlink(join(folder, 'pool'), join(folder, 'set/test'));
  await symlink('/', join(folder, 'set/all'));
  await write(folder, 'set/valid/first.txt', '1 .5 .5 .1 .1');
  const set = join(folder, 'set');
  const { text, data, found } = await upload({ files: [set], annotations: set, labelmap });
  expect(found).toEqual({ 'valid with valid': 1 });
  expect(text).toContain('1 train, 1 valid, 0 test.');
  expect(text).toContain('1 left out, as a link leads out of the file roots');
  expect(text).toMatch(/1 folder behind links left out \(such as "[^"]*set\/test"\): name each/);
  expect(data.images).toMatchObject([{ file: '4.png' }, { file: 'first.png' }]);
  projects += 1;
  const linked = await upload({ files: [set, join(set, 'test')], split: undefined });
  expect(linked.text).toContain('1 train, 0 valid, 3 test.');
  expect(linked.text).not.toContain('behind links');
});

it('leads to images_upload_zip where a zip file is given', async () => {
  const path = join(fovea.folder, 'cells.zip');
  await writeFile(path, 'z');
  const { isError, text } = await fovea.call('images_upload', { project: 'cells', files: [path] });
  expect(isError).toBe(true);
  expect(text).toContain('what is there: 1 .zip');
  expect(text).toContain('images_upload_zip takes a .zip, with its annotations and splits.');
});
