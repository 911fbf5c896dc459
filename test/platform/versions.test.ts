// Frozen versions on the platform: generation, exports, and what a crash leaves.

import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { images } from '../../src/contract/images.ts';
import { projects } from '../../src/contract/projects.ts';
import { tasks } from '../../src/contract/tasks.ts';
import { trash } from '../../src/contract/trash.ts';
import { versions } from '../../src/contract/versions.ts';
import type { Client } from '../../src/http-client/client.ts';
import { testImage } from '../fixtures/images.ts';
import { startTestPlatform, type TestPlatform } from '../fixtures/platform.ts';
import { readZip } from '../fixtures/read-zip.ts';

let platform: TestPlatform;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fovea-versions-'));
  platform = await startTestPlatform();
});

afterAll(async () => {
  await platform.close();
  await rm(folder, { recursive: true, force: true });
});

/** A project with `count` images, half of them train, each with one box. */
async function createProject(client: Client, name: string, count: number): Promise<string[]> {
  await client.call(projects.projects_create, {
    workspace: 'acme',
    name,
    type: 'object-detection',
    annotation: 'squares',
  });
  const ids: string[] = [];
  for (let index = 0; index < count; index += 1) {
    const content = await testImage(index);
    const split = index % 2 === 0 ? 'train' : 'valid';
    const { body } = await client.call(images.images_upload, {
      project: name,
      file: { name: `square-${index}.png`, content },
      split,
    });
    await client.call(images.images_annotate, {
      project: name,
      imageId: body.id,
      name: 'box.txt',
      annotationFile: '0 0.25 0.25 0.5 0.5',
      labelmap: { 0: 'square' },
    });
    ids.push(body.id);
  }
  return ids;
}

async function generate(client: Client, project: string, settings: object = {}) {
  const input = { workspace: 'acme', project, preprocessing: {}, augmentation: {}, ...settings };
  const { body } = await client.call(versions.versions_generate, input);
  return { version: Number(body.version), taskId: String(body.taskId) };
}

async function waitFor(client: Client, taskId: string) {
  for (;;) {
    const { body } = await client.call(tasks.tasks_get, { workspace: 'acme', taskId });
    if (body.status === 'completed' || body.status === 'failed') return body;
    await delay(50);
  }
}

async function exportZip(client: Client, project: string, version: number, format: string) {
  const input = { workspace: 'acme', project, version, format };
  for (;;) {
    const { body } = await client.call(versions.versions_export, input);
    if (body.export) {
      const path = join(folder, `${project}-${version}-${format}.zip`);
      await client.download(body.export.link, path);
      return readZip(path);
    }
    await delay(50);
  }
}

it('freezes images, augments train only, and exports every format with the same boxes', async () => {
  const { client } = platform;
  const [first = ''] = await createProject(client, 'frozen', 4);
  const { version, taskId } = await generate(client, 'frozen', {
    versionName: 'first',
    preprocessing: { 'auto-orient': true, resize: { width: 32, height: 32, format: 'Stretch to' } },
    augmentation: { flip: { horizontal: true, vertical: true }, image: { versions: 3 } },
  });
  await client.call(images.images_delete, {
    workspace: 'acme',
    project: 'frozen',
    images: [first],
  });
  expect(await waitFor(client, taskId)).toMatchObject({ status: 'completed' });
  const at = { workspace: 'acme', project: 'frozen', version };
  const { body } = await client.call(versions.versions_get, at);
  expect(body.version).toMatchObject({
    id: `acme/frozen/${version}`,
    name: 'first',
    generating: false,
    progress: 1,
    images: 8,
    splits: { train: 6, valid: 2, test: 0 },
    classes: ['square'],
    preprocessing: { resize: { width: 32, height: 32, format: 'Stretch to' } },
  });
  const coco = await exportZip(client, 'frozen', version, 'coco');
  const train = JSON.parse(String(coco.get('train/_annotations.coco.json')));
  expect(train.images).toHaveLength(6);
  expect(train.annotations).toHaveLength(6);
  for (const image of train.images) {
    const pixels = coco.get(`train/${image.file_name}`);
    expect(await sharp(pixels).metadata()).toMatchObject({ width: 32, height: 32 });
  }
  const yolo = await exportZip(client, 'frozen', version, 'yolov8');
  expect([...yolo.keys()].filter((path) => path.startsWith('train/labels/'))).toHaveLength(6);
  const voc = await exportZip(client, 'frozen', version, 'voc');
  expect([...voc.keys()].filter((path) => path.endsWith('.xml'))).toHaveLength(8);
});

it('numbers versions per project and takes one to the trash', async () => {
  const { client } = platform;
  const { version, taskId } = await generate(client, 'frozen');
  expect(version).toBe(2);
  await waitFor(client, taskId);
  const at = { workspace: 'acme', project: 'frozen', version };
  await client.call(versions.versions_delete, at);
  await expect(client.call(versions.versions_get, at)).rejects.toMatchObject({
    code: 'not_found',
    upstream: { hint: expect.stringContaining('1') },
  });
  expect((await generate(client, 'frozen')).version).toBe(3);
});

it('ends a version that goes to the trash while it waits, and makes it when it comes back', async () => {
  const { client } = platform;
  await createProject(client, 'restored', 3);
  const resize = { width: 1500, height: 1500, format: 'Stretch to' };
  await generate(client, 'restored', { preprocessing: { resize } });
  const { version, taskId } = await generate(client, 'restored');
  const at = { workspace: 'acme', project: 'restored', version };
  const { body: gone } = await client.call(versions.versions_delete, at);
  expect(await waitFor(client, taskId)).toMatchObject({
    status: 'failed',
    error: 'The version was deleted while it was generated.',
  });
  const { id = '', parentId } = gone;
  const inTrash = { workspace: 'acme', type: 'version', id, parentId: String(parentId) } as const;
  await client.call(trash.trash_restore, inTrash);
  expect(await waitFor(client, taskId)).toMatchObject({ status: 'completed' });
  const { body } = await client.call(versions.versions_get, at);
  expect(body.version).toMatchObject({ generating: false, progress: 1, images: 3 });
});

it('ends a version with its project, and makes it when that comes back', async () => {
  const { client } = platform;
  await createProject(client, 'both', 3);
  const resize = { width: 1500, height: 1500, format: 'Stretch to' };
  await generate(client, 'both', { preprocessing: { resize } });
  const { version, taskId } = await generate(client, 'both');
  const inProject = { workspace: 'acme', project: 'both' };
  const { body: gone } = await client.call(projects.projects_delete, inProject);
  expect(await waitFor(client, taskId)).toMatchObject({ status: 'failed' });
  const id = String(gone.id);
  await client.call(trash.trash_restore, { workspace: 'acme', type: 'project', id });
  expect(await waitFor(client, taskId)).toMatchObject({ status: 'completed' });
  const { body } = await client.call(versions.versions_get, { ...inProject, version });
  expect(body.version).toMatchObject({ generating: false, images: 3 });
});

it('fails a version with the name of the image that cannot be read', async () => {
  const { client } = platform;
  const [, imageId = ''] = await createProject(client, 'damaged', 3);
  const where = { workspace: 'acme', project: 'damaged' };
  const { body: shown } = await client.call(images.images_get, { ...where, imageId });
  const hash = String(shown.image.hash);
  const file = join(platform.data, 'blobs', hash.slice(0, 2), hash);
  await writeFile(file, 'damaged');
  const { version, taskId } = await generate(client, 'damaged');
  const error = expect.stringMatching(/^Image "square-1\.png": .* is damaged/);
  expect(await waitFor(client, taskId)).toMatchObject({ status: 'failed', error });
  const { body } = await client.call(versions.versions_get, { ...where, version });
  expect(body.version).toMatchObject({ generating: false, images: 0, error });
  const wanted = { ...where, version, format: 'coco' };
  await expect(client.call(versions.versions_export, wanted)).rejects.toMatchObject({
    upstream: { status: 409 },
  });
});

it('tells whoever waits for an export why it failed, and tries again when asked again', async () => {
  const { client } = platform;
  const [imageId = ''] = await createProject(client, 'spoilt', 2);
  const where = { workspace: 'acme', project: 'spoilt' };
  const { version, taskId } = await generate(client, 'spoilt');
  await waitFor(client, taskId);
  const { body: shown } = await client.call(images.images_get, { ...where, imageId });
  const hash = String(shown.image.hash);
  const file = join(platform.data, 'blobs', hash.slice(0, 2), hash);
  const whole = await readFile(file);
  await writeFile(file, 'damaged');
  await expect(exportZip(client, 'spoilt', version, 'coco')).rejects.toMatchObject({
    retry: 'never',
    upstream: {
      status: 409,
      message:
        'The export failed. The stored content of "train/square-0.png" is damaged or lost: ' +
        'upload the same image again, make another version if this one changed its pixels, ' +
        'or restore a backup.',
    },
  });
  await writeFile(file, whole);
  const files = await exportZip(client, 'spoilt', version, 'coco');
  expect(files.get('train/square-0.png')?.equals(whole)).toBe(true);
  expect(await readdir(join(platform.data, 'scratch'))).toEqual([]);
});

it('refuses what it cannot do before anything is kept', async () => {
  const { client } = platform;
  const refused: readonly [object, RegExp][] = [
    [{ augmentation: { image: { versions: 51 } } }, /augmentation\.image\.versions/],
    [{ augmentation: { mosaic: 4 } }, /augmentation\.mosaic/],
    [{ preprocessing: { tile: { rows: 2 } } }, /tile\.columns/],
    [{ augmentation: { fliip: {} } }, /augmentation\.fliip.*flip/],
    [{ preprocessing: { resize: { width: 0, height: 5, format: 'Stretch to' } } }, /resize\.width/],
  ];
  for (const [settings, message] of refused) {
    await expect(generate(client, 'frozen', settings)).rejects.toMatchObject({
      upstream: { message: expect.stringMatching(message) },
    });
  }
  await createProject(client, 'empty', 0);
  await expect(generate(client, 'empty')).rejects.toMatchObject({ code: 'invalid_input' });
  const { body } = await client.call(projects.projects_get, {
    workspace: 'acme',
    project: 'empty',
  });
  expect(body.versions).toEqual([]);
});

it('answers 404 for a task of nobody and 400 for a format that is not there', async () => {
  const { client } = platform;
  const at = { workspace: 'acme', taskId: 'nobody' };
  await expect(client.call(tasks.tasks_get, at)).rejects.toMatchObject({ code: 'not_found' });
  const wanted = { workspace: 'acme', project: 'frozen', version: 1, format: 'cocoa' };
  await expect(client.call(versions.versions_export, wanted)).rejects.toMatchObject({
    upstream: { status: 400, message: expect.stringContaining('coco') },
  });
});
