// What is wrong with the images of a dataset is named by its health, through MCP.

import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Fovea, launchFovea } from '../fixtures/fovea.ts';

const photos = 'sample/blood-cells/JPEGImages';

describe('the health of a dataset', () => {
  let fovea: Fovea;

  beforeAll(async () => {
    fovea = await launchFovea();
  });

  afterAll(async () => {
    await fovea.close();
  });

  async function newProject(name: string) {
    await fovea.ok('projects_create', { name, type: 'object-detection', annotation: 'cells' });
    return { project: name.toLowerCase() };
  }

  async function upload(project: string, files: readonly string[], split: string) {
    const sent = await fovea.ok('images_upload', { project, files, split });
    expect(sent).toMatchObject({ uploaded: files.length, failed: [] });
  }

  /** The same photo, smaller and compressed anew. */
  async function copyOf(number: number) {
    const folder = join(fovea.folder, 'smaller');
    await mkdir(folder, { recursive: true });
    const path = join(folder, `copy-${number}.jpg`);
    const small = sharp(await readFile(`${photos}/BloodImage_000${number}.jpg`)).resize(400);
    await writeFile(path, await small.jpeg({ quality: 60 }).toBuffer());
    return path;
  }

  it('finds no near-duplicates where there are none', async () => {
    const where = await newProject('Different');
    await upload(where.project, [`${photos}/BloodImage_00040.jpg`], 'train');
    await upload(where.project, [`${photos}/BloodImage_00055.jpg`], 'valid');
    const { text, data } = await fovea.call('projects_health', where);
    expect(data).toMatchObject({
      nearDuplicates: { groups: 0, images: 0, examples: [], compared: 2, plain: 0, complete: true },
      leaks: { groups: 0, images: 0, examples: [] },
    });
    expect(text).not.toMatch(/Near-duplicates:|too even|were compared/);
  });

  it('names near-duplicates of one split, which are no leak', async () => {
    const where = await newProject('Twice');
    const copy = await copyOf(40);
    // One after the other, since they are named in the order in which they came.
    await upload(where.project, [`${photos}/BloodImage_00040.jpg`], 'train');
    await upload(where.project, [copy], 'train');
    await upload(where.project, [`${photos}/BloodImage_00055.jpg`], 'valid');
    const { text, data } = await fovea.call('projects_health', where);
    expect(data).toMatchObject({
      nearDuplicates: { groups: 1, images: 2, compared: 3 },
      leaks: { groups: 0 },
    });
    expect(text).toContain(
      'Near-duplicates: 1 group of 2 images ("BloodImage_00040.jpg" train, "copy-40.jpg" train).',
    );
  });

  it('names a leak: near-duplicates in train and valid', async () => {
    const where = await newProject('Leaking');
    const original = `${photos}/BloodImage_00040.jpg`;
    await upload(where.project, [original, `${photos}/BloodImage_00055.jpg`], 'train');
    await upload(where.project, [await copyOf(40)], 'valid');
    const { text, data } = await fovea.call('projects_health', where);
    const images = [
      { id: expect.any(String), name: 'BloodImage_00040.jpg', split: 'train' },
      { id: expect.any(String), name: 'copy-40.jpg', split: 'valid' },
    ];
    const examples = [{ images: expect.arrayContaining(images), total: 2 }];
    expect(data).toMatchObject({
      nearDuplicates: { groups: 1, images: 2, examples },
      leaks: { groups: 1, images: 2, examples },
    });
    expect(text).toContain('leaks between splits: 1 group of 2 images (');
  });

  it('names a truncated file that an upload refused, until the whole one is there', async () => {
    const where = await newProject('Truncated');
    const folder = join(fovea.folder, 'cut');
    await mkdir(folder);
    const whole = await readFile(`${photos}/BloodImage_00040.jpg`);
    const cut = join(folder, 'cut.jpg');
    await writeFile(cut, whole.subarray(0, whole.length / 2));
    const files = [`${photos}/BloodImage_00055.jpg`, cut];
    expect(await fovea.ok('images_upload', { ...where, files })).toMatchObject({
      uploaded: 1,
      failedTotal: 1,
      failed: [{ file: 'cut.jpg', problem: expect.stringContaining('truncated or corrupt jpeg') }],
    });
    // Refused twice, it is still one file.
    expect((await fovea.call('images_upload', { ...where, files: [cut] })).isError).toBe(true);
    const { text, data } = await fovea.call('projects_health', where);
    expect(data).toMatchObject({
      stats: { numImages: 1 },
      refused: {
        total: 1,
        files: [
          {
            file: 'cut.jpg',
            reason: 'is a truncated or corrupt jpeg image: it ends within its pixels',
            time: expect.stringMatching(/^20\d\d-/),
            who: 'environment',
          },
        ],
      },
    });
    expect(text).toContain('1 file was refused at upload: "cut.jpg" (');

    await writeFile(cut, whole);
    await upload(where.project, [cut], 'train');
    const mended = await fovea.call('projects_health', where);
    expect(mended.data).toMatchObject({ refused: { total: 0, files: [] } });
    expect(mended.text).not.toContain('refused at upload');
  });

  it('names the files of a zip that were refused, with their paths', async () => {
    const where = await newProject('Packed');
    const whole = await readFile(`${photos}/BloodImage_00040.jpg`);
    const folder = join(fovea.folder, 'packed');
    await mkdir(join(folder, 'train'), { recursive: true });
    await writeFile(join(folder, 'train', 'a.jpg'), whole);
    await writeFile(join(folder, 'train', 'b.jpg'), whole.subarray(0, whole.length / 2));
    await writeFile(join(folder, 'train', 'c.jpg'), 'no image');
    const sent = await fovea.ok('images_upload_zip', { ...where, path: folder });
    expect(sent).toMatchObject({ images: 1, failed: 2 });
    const { text, data } = await fovea.call('projects_health', where);
    expect(data).toMatchObject({
      refused: {
        total: 2,
        files: [
          expect.objectContaining({
            file: 'packed/train/b.jpg',
            reason: expect.stringContaining('truncated or corrupt jpeg'),
            who: 'environment',
          }),
          expect.objectContaining({
            file: 'packed/train/c.jpg',
            reason: expect.stringContaining('is not an image'),
          }),
        ],
      },
    });
    expect(text).toMatch(/2 files were refused at upload: .*packed\/train\/b\.jpg.* and 1 more\./);
  });

  it('keeps nothing of what was refused for another reason than the file', async () => {
    const where = await newProject('Quiet');
    const files = [`${photos}/BloodImage_00040.jpg`];
    const wrong = await fovea.call('images_upload', {
      ...where,
      files,
      metadata: { a: 'x'.repeat(2_000) },
    });
    expect(wrong.isError).toBe(true);
    expect(await fovea.ok('projects_health', where)).toMatchObject({ refused: { total: 0 } });
  });
});

describe('projects_findings', () => {
  let fovea: Fovea;

  beforeAll(async () => {
    fovea = await launchFovea();
    await fovea.ok('projects_create', {
      name: 'Cells',
      type: 'object-detection',
      annotation: 'cells',
    });
    const labels = join(fovea.folder, 'labels');
    await mkdir(labels);
    const odd = '0 .5 .5 .005 .1\n0 0 .5 .1 .1\n0 .2 .2 .004 .1\n0 0 .5 .1 .1001\n';
    await writeFile(join(labels, 'BloodImage_00055.txt'), odd);
    await writeFile(join(labels, 'BloodImage_00065.txt'), '0 .5 .5 .005 .1\n');
    await writeFile(join(labels, 'BloodImage_00040.txt'), '0 .5 .5 .1 .1\n');
    const numbers = ['40', '55', '65'];
    const files = numbers.map((number) => `${photos}/BloodImage_000${number}.jpg`);
    const labelmap = { 0: 'RBC' };
    // One after the other: they are listed in the order in which they came.
    for (const file of files) {
      const labelled = { files: [file], annotations: labels, labelmap, split: 'train' };
      await fovea.ok('images_upload', { project: 'cells', ...labelled });
    }
    const copies = await Promise.all(
      numbers.slice(0, 2).map(async (number) => {
        const path = join(fovea.folder, `copy-${number}.jpg`);
        const photo = sharp(await readFile(`${photos}/BloodImage_000${number}.jpg`));
        await writeFile(path, await photo.resize(320).jpeg().toBuffer());
        return path;
      }),
    );
    const [one = '', two = ''] = copies;
    await fovea.ok('images_upload', { project: 'cells', files: [one], split: 'valid' });
    await fovea.ok('images_upload', { project: 'cells', files: [two] });
    const broken = join(fovea.folder, 'broken.png');
    await writeFile(broken, 'no image');
    await fovea.call('images_upload', { project: 'cells', files: [broken] });
  });

  afterAll(async () => {
    await fovea.close();
  });

  async function findings(args: Readonly<Record<string, unknown>>) {
    const wanted = { name: 'projects_findings', arguments: { project: 'cells', ...args } };
    const { content, isError } = await fovea.client.callTool(wanted);
    const { text, data } = await fovea.call(wanted.name, wanted.arguments);
    return { content, isError: isError === true, text, data };
  }

  it('is what the health offers, beside the worst finding', async () => {
    const { next } = await fovea.ok('projects_health', { project: 'cells' });
    expect(next).toMatchObject([
      { tool: 'projects_findings', arguments: { finding: 'leaks', picture: true } },
      { tool: 'workspace_search' },
    ]);
  });

  it('tells the host that images are compared', async () => {
    const told: string[] = [];
    const wanted = { project: 'cells', finding: 'outliers' };
    await fovea.call('projects_findings', wanted, (message) => told.push(message));
    expect(told).toEqual(['Comparing images']);
  });

  it('lists groups by page, and draws them', async () => {
    const { data, text } = await findings({ finding: 'near-duplicates', limit: 1 });
    expect(data).toMatchObject({
      total: 2,
      complete: true,
      groups: [{ total: 2, images: expect.any(Array) }],
    });
    expect(text).toContain('2 groups');
    const { groups = [] } = Object(
      (await findings({ finding: 'near-duplicates', offset: 1 })).data,
    );
    expect(groups).toHaveLength(1);
    const { content, data: leaks } = await findings({ finding: 'leaks', picture: true });
    expect(leaks).toMatchObject({
      total: 1,
      groups: [
        {
          images: expect.arrayContaining([
            expect.objectContaining({ name: 'copy-40.jpg', split: 'valid' }),
            expect.objectContaining({ name: 'BloodImage_00040.jpg', split: 'train' }),
          ]),
        },
      ],
    });
    expect(leaks).not.toHaveProperty('sheet');
    // The shares of now: others would move images that nobody asked to move.
    expect(leaks).toMatchObject({
      splits: { train: 4, valid: 1, test: 0 },
      next: [
        {
          tool: 'projects_rebalance_splits',
          arguments: { splits: { train: 4, valid: 1, test: 0 } },
        },
        { tool: 'images_delete' },
      ],
    });
    expect(content).toMatchObject([
      { type: 'text' },
      { type: 'image', mimeType: 'image/jpeg', data: expect.stringMatching(/^\/9j\//) },
    ]);
  });

  it('lists images with their odd boxes alone', async () => {
    const { data, content } = await findings({ finding: 'tiny-boxes', picture: true });
    expect(data).toMatchObject({ total: 2, images: [{ total: 2 }, { total: 1 }] });
    const { images } = Object(data);
    expect(images[0].boxes).toMatchObject([
      { label: 'RBC', x: 320, y: 240 },
      { label: 'RBC', x: 128, y: 96 },
    ]);
    expect(content).toHaveLength(2);
    const second = await findings({ finding: 'tiny-boxes', limit: 1, offset: 1 });
    expect(second.data).toMatchObject({
      total: 2,
      images: [{ name: 'BloodImage_00065.jpg', total: 1, boxes: [{ x: 320, y: 240 }] }],
    });
    const none = await findings({ finding: 'boxes-without-area', picture: true });
    expect(none.data).toMatchObject({ total: 0, images: [] });
    expect(none.text).toContain('There is nothing to show in a picture.');
    expect(none.content).toHaveLength(1);
  });

  it('lists boxes that are there twice', async () => {
    const { data, text } = await findings({ finding: 'duplicate-boxes' });
    expect(data).toMatchObject({
      total: 1,
      images: [{ name: 'BloodImage_00055.jpg', total: 1, boxes: [{ label: 'RBC', x: 0 }] }],
    });
    expect(text).toContain('duplicate-boxes in "cells": 1 image.');
    const health = await fovea.call('projects_health', { project: 'cells' });
    expect(health.text).toContain('1 there twice (in "BloodImage_00055.jpg")');
  });

  it('lists copies of a picture that are labelled in different ways', async () => {
    const none = await findings({ finding: 'conflicting-labels' });
    expect(none.data).toMatchObject({ total: 0, groups: [] });
    const [path, labels] = [join(fovea.folder, 'other-55.jpg'), join(fovea.folder, 'other-55.txt')];
    const photo = sharp(await readFile(`${photos}/BloodImage_00055.jpg`));
    await writeFile(path, await photo.resize(400).jpeg().toBuffer());
    await writeFile(labels, '0 .7 .7 .1 .1\n');
    const labelled = { files: [path], annotations: labels, labelmap: { 0: 'RBC' } };
    await fovea.ok('images_upload', { project: 'cells', ...labelled });
    const { data } = await findings({ finding: 'conflicting-labels' });
    expect(data).toMatchObject({ total: 1, groups: [{ total: 3 }] });
    const health = await fovea.call('projects_health', { project: 'cells' });
    expect(health.text).toContain('labelled in different ways: 1 group of 3 images');
  });

  it('lists refused files', async () => {
    const { data } = await findings({ finding: 'refused-files' });
    expect(data).toMatchObject({
      total: 1,
      files: [{ file: 'broken.png', reason: expect.stringContaining('is not an image') }],
    });
  });

  it('tells the images apart by how they look, and draws clusters as a map', async () => {
    const { data, text, content } = await findings({ finding: 'clusters', picture: true });
    const { groups = [] } = Object(data);
    const members = groups.map(({ total }: { readonly total: number }) => total);
    expect(members.reduce((sum: number, total: number) => sum + total, 0)).toBe(6);
    expect(data).toMatchObject({ total: groups.length, complete: true, by: 'looks' });
    expect(text).toContain('Told apart by how they look.');
    expect(content).toMatchObject([
      { type: 'text' },
      { type: 'image', mimeType: 'image/jpeg', data: expect.stringMatching(/^\/9j\//) },
    ]);
  });

  it('lists images that are far from all others, for a person to look at', async () => {
    // Of so few images none is.
    const outliers = await findings({ finding: 'outliers', picture: true });
    expect(outliers.data).toMatchObject({ total: 0, images: [], by: 'looks' });
    expect(outliers.text).toContain('There is nothing to show in a picture.');
    expect(outliers.text).toContain('Sharpness tells outliers of 20 images or more.');
    await fovea.ok('projects_create', {
      name: 'Odd one',
      type: 'object-detection',
      annotation: 'cells',
    });
    const black = join(fovea.folder, 'lens-cap.png');
    const create = { width: 640, height: 480, channels: 3, background: '#000' } as const;
    await sharp({ create }).png().toFile(black);
    // It has the pattern of the others, and is told by its light alone.
    const negative = join(fovea.folder, 'negative.png');
    const photo = await readFile(join(photos, 'BloodImage_00040.jpg'));
    await sharp(photo).negate().png().toFile(negative);
    const files = [`${photos}/*.jpg`, black, negative];
    await fovea.ok('images_upload', { project: 'odd-one', files });
    const found = await fovea.ok('projects_findings', { project: 'odd-one', finding: 'outliers' });
    expect(found).toMatchObject({
      total: 2,
      images: [
        { name: 'lens-cap.png', reason: expect.stringMatching(/^2\.\d times as far/) },
        { name: 'negative.png' },
      ],
    });
    const { images = [] } = Object(found);
    const ids = images.map(({ id }: { readonly id: string }) => id);
    expect(found).toMatchObject({
      next: [{ tool: 'annotation_review', arguments: { images: ids } }],
    });
  });

  it('names the findings that there are, where another one is asked for', async () => {
    const { isError, text } = await findings({ finding: 'blurry' });
    expect(isError).toBe(true);
    expect(text).toContain('near-duplicates');
  });
});
