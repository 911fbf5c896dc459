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
    await upload(where.project, [`${photos}/BloodImage_00040.jpg`, copy], 'train');
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
});
