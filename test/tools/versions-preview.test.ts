// versions_preview as a host has it: an image in the result, a file, and words that go with it.

import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Facts, type Fovea, launchFovea } from '../fixtures/fovea.ts';
import { testImage } from '../fixtures/images.ts';

const sample = resolve('sample/blood-cells');
const augmentation = {
  flip: { horizontal: true },
  rotate: { degrees: 10 },
  image: { versions: 3 },
};

let fovea: Fovea;

beforeAll(async () => {
  fovea = await launchFovea();
  await fovea.ok('projects_create', { name: 'Cells', type: 'object-detection', annotation: 'x' });
  const annotations = join(sample, 'Annotations');
  await fovea.ok('images_upload', {
    project: 'cells',
    files: [join(sample, 'JPEGImages/*4*.jpg')],
    annotations,
  });
});

afterAll(() => fovea.close());

/** The image of a result, as bytes. */
async function imageOf(name: string, args: Facts): Promise<Buffer> {
  const { content } = await fovea.client.callTool({ name, arguments: args });
  const image = content.find((block) => block.type === 'image');
  expect(image).toMatchObject({ mimeType: 'image/jpeg' });
  return Buffer.from(image?.type === 'image' ? image.data : '', 'base64');
}

async function refused(args: Facts, from = fovea): Promise<string> {
  const { isError, text } = await from.call('versions_preview', args);
  expect(isError).toBe(true);
  return text;
}

describe('a preview of a project', () => {
  test('is an image, a file and words', async () => {
    const { data, text } = await fovea.call('versions_preview', { project: 'cells', augmentation });
    expect(text).toMatch(
      /^Preview of "cells": 3 images, 9 samples, seed 0(, \d+ box(es)? dropped)?\. Saved to "/,
    );
    expect(data).toMatchObject({ seed: 0, classes: { RBC: expect.any(Number) } });
    expect(data).not.toHaveProperty('sheet');
    const shown = Object(data.images);
    expect(shown).toHaveLength(3);
    expect(shown[0].samples).toHaveLength(3);
    expect(data.next).toEqual([
      {
        tool: 'versions_generate',
        arguments: {
          workspace: 'local',
          project: 'cells',
          preprocessing: {},
          augmentation,
          dry_run: true,
        },
        why: expect.any(String),
      },
      {
        tool: 'versions_preview',
        arguments: { project: 'cells', preprocessing: {}, augmentation, seed: 1 },
        why: expect.any(String),
      },
    ]);
    const file = await readFile(String(data.path));
    expect(await sharp(file).metadata()).toMatchObject({ width: data.width, height: data.height });
    expect(await imageOf('versions_preview', { project: 'cells', augmentation })).toEqual(file);
  });

  test('stays beside those of other settings in the data folder, the same ones once', async () => {
    const folder = join(fovea.home, 'previews');
    const asked = { project: 'cells', sources: 1, samples: 1, seed: 3 };
    const first = await fovea.ok('versions_preview', { ...asked, augmentation });
    const again = await fovea.ok('versions_preview', { ...asked, augmentation });
    const other = await fovea.ok('versions_preview', { ...asked, augmentation: { mosaic: true } });
    expect(again.path).toBe(first.path);
    expect(other.path).not.toBe(first.path);
    const names = (await readdir(folder)).filter((name) => name.includes('seed3'));
    expect(names).toHaveLength(2);
    expect(names[0]).toMatch(/^preview-cells-seed3-[0-9a-f]{8}\.jpg$/);
  });

  test('goes where it is asked to, and replaces a file only where it may', async () => {
    const path = join(fovea.folder, 'sheets', 'one.jpg');
    const asked = { project: 'cells', sources: 1, augmentation, save_to: path };
    const sheet = await fovea.ok('versions_preview', asked);
    expect(sheet).toMatchObject({ path });
    const beside = { save_to: join(fovea.folder, 'sheets', 'one-seed1.jpg') };
    expect(sheet.next).toMatchObject([{}, { tool: 'versions_preview', arguments: beside }]);
    expect(await refused(asked)).toContain('exists already');
    await writeFile(path, 'old');
    await fovea.ok('versions_preview', { ...asked, overwrite: true });
    expect((await sharp(await readFile(path)).metadata()).format).toBe('jpeg');
    const folder = join(fovea.folder, 'sheets');
    const { path: inFolder } = await fovea.ok('versions_preview', { ...asked, save_to: folder });
    expect(inFolder).toBe(join(folder, 'preview-cells-seed0.jpg'));
    expect(await readdir(folder)).toEqual(['one.jpg', 'preview-cells-seed0.jpg']);
  });

  test.each<[string, Facts, RegExp]>([
    ['nothing to show', {}, /project: give a project, or files/],
    ['both', { project: 'cells', files: ['a.jpg'] }, /files: give either project or files/],
    ['annotations alone', { project: 'cells', annotations: 'a' }, /annotations: goes with files/],
    [
      'settings with mistakes',
      { project: 'cells', augmentation: { rotate: { degree: 5 } } },
      /augmentation\.rotate\.degree/,
    ],
    ['many mistakes', { project: 'cells', seed: -1, samples: 99 }, /seed[\s\S]*samples/],
    ['a project that is not there', { project: 'nothing' }, /There is no project/],
    [
      'a path outside',
      { project: 'cells', save_to: '/etc/sheet.jpg' },
      /save_to: .*FOVEA_FILE_ROOTS|save_to: .*outside/,
    ],
    [
      'another kind of file',
      { project: 'cells', save_to: 'sheet.png' },
      /save_to: must end in \.jpg/,
    ],
  ])('is refused for %s', async (_name, args, message) => {
    expect(await refused(args)).toMatch(message);
  });
});

describe('a preview of local images', () => {
  test('takes globs and annotations as an upload does, and stores nothing', async () => {
    const asked = {
      files: [join(sample, 'JPEGImages')],
      annotations: join(sample, 'Annotations'),
      preprocessing: { resize: { width: 416, height: 416, format: 'Stretch to' } },
      augmentation,
      sources: 4,
      samples: 2,
    };
    const data = await fovea.ok('versions_preview', asked);
    const shown = Object(data.images);
    expect(shown).toHaveLength(4);
    expect(shown.every(({ boxes }: { boxes: number }) => boxes > 0)).toBe(true);
    const again = await fovea.ok('versions_preview', asked);
    expect(again).toEqual(data);
    const other = await fovea.ok('versions_preview', { ...asked, seed: 1 });
    const names = (facts: Facts) => Object(facts.images).map(({ name }: Facts) => name);
    expect(names(other)).not.toEqual(names(data));
    const health = await fovea.ok('projects_health', { project: 'cells' });
    expect(health).toMatchObject({ stats: { numImages: 4 } });
  });

  test('takes those with annotations first, with YOLO classes from a data.yaml', async () => {
    const folder = join(fovea.folder, 'yolo');
    await mkdir(folder);
    for (const index of [0, 1, 2, 3]) {
      await writeFile(join(folder, `${index}.png`), await testImage(index));
    }
    await writeFile(join(folder, '2.txt'), '1 0.5 0.5 0.5 0.5');
    await writeFile(join(folder, 'data.yaml'), 'names: [cat, dog]');
    const asked = { files: [join(folder, '*.png')], annotations: folder, sources: 1 };
    const labelmap_file = join(folder, 'data.yaml');
    const { images, classes } = await fovea.ok('versions_preview', { ...asked, labelmap_file });
    expect(Object(images).map(({ name }: Facts) => name)).toEqual(['2.png']);
    expect(classes).toEqual({ dog: 1 });
    expect(await refused(asked)).toContain('needs a labelmap');
  });

  test('says which file is no image', async () => {
    const file = join(fovea.folder, 'fake.jpg');
    await writeFile(file, 'no pixels');
    expect(await refused({ files: [file] })).toMatch(
      /images\[0\] \\"fake\.jpg\\": is not an image/,
    );
    expect(await refused({ files: [join(fovea.folder, '*.gif')] })).toContain('stands for no file');
    expect(await refused({ files: ['/etc/passwd'] })).toContain('FOVEA_FILE_ROOTS');
  });
});

describe('with a hosted platform', () => {
  test('local images are previewed here, projects are not', async () => {
    const hosted = await launchFovea({
      FOVEA_BASE_URL: 'http://127.0.0.1:9',
      FOVEA_API_KEY: 'key',
      FOVEA_WORKSPACE: 'acme',
    });
    const file = join(hosted.folder, 'one.png');
    await writeFile(file, await testImage(1));
    const data = await hosted.ok('versions_preview', { files: [file], augmentation });
    expect(Object(data.images)).toHaveLength(1);
    const text = await refused({ project: 'cells' }, hosted);
    expect(text).toContain('A hosted platform has no previews of projects.');
    await hosted.close();
  });
});
