// Exports through the front door: labels that were uploaded come back from the download.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { images } from '../../src/contract/images.ts';
import { projects } from '../../src/contract/projects.ts';
import { tasks } from '../../src/contract/tasks.ts';
import { versions } from '../../src/contract/versions.ts';
import { testImage } from '../fixtures/images.ts';
import { startTestPlatform, type TestPlatform } from '../fixtures/platform.ts';
import { readZip } from '../fixtures/read-zip.ts';

let platform: TestPlatform;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fovea-exports-'));
  platform = await startTestPlatform();
});

afterAll(async () => {
  await platform.close();
  await rm(folder, { recursive: true, force: true });
});

type ProjectType =
  | 'object-detection'
  | 'single-label-classification'
  | 'multi-label-classification';

/** A project with an image for each annotation file, all in train, and a version of it. */
async function createVersion(
  project: string,
  type: ProjectType,
  annotations: readonly (string | undefined)[],
  settings: object = {},
): Promise<number> {
  const { client } = platform;
  const workspace = 'acme';
  const annotation = project;
  await client.call(projects.projects_create, { workspace, name: project, type, annotation });
  for (const [index, annotationFile] of annotations.entries()) {
    const file = { name: `${index}.png`, content: await testImage(index) };
    const { body } = await client.call(images.images_upload, { project, file, split: 'train' });
    if (annotationFile === undefined) continue;
    const labelmap = { 0: 'cat', 1: 'dog' };
    const about = { project, imageId: body.id, name: 'label.txt', annotationFile, labelmap };
    await client.call(images.images_annotate, about);
  }
  const input = { workspace, project, preprocessing: {}, augmentation: {}, ...settings };
  const { body } = await client.call(versions.versions_generate, input);
  for (const taskId = String(body.taskId); ; await delay(50)) {
    const { body: task } = await client.call(tasks.tasks_get, { workspace, taskId });
    expect(task.status).not.toBe('failed');
    if (task.status === 'completed') return Number(body.version);
  }
}

async function exportFiles(project: string, version: number, format: string) {
  const { client } = platform;
  for (; ; await delay(50)) {
    const input = { workspace: 'acme', project, version, format };
    const { body } = await client.call(versions.versions_export, input);
    if (!body.export) continue;
    const path = join(folder, `${project}-${format}.zip`);
    await client.download(body.export.link, path);
    return readZip(path);
  }
}

it('has the classes of a classification project', async () => {
  const labels = ['cat', 'dog', '[]', undefined];
  const version = await createVersion('pets', 'single-label-classification', labels);
  const inFolders = await exportFiles('pets', version, 'folder');
  expect([...inFolders.keys()]).toEqual([
    'README.dataset.txt',
    'train/cat/0.png',
    'train/dog/1.png',
  ]);
  expect(inFolders.get('train/dog/1.png')).toEqual(await testImage(1));
  const table = await exportFiles('pets', version, 'multiclass');
  expect(String(table.get('train/_classes.csv'))).toBe(
    'filename, cat, dog\n0.png, 1, 0\n1.png, 0, 1\n2.png, 0, 0\n3.png, 0, 0\n',
  );
  await expect(exportFiles('pets', version, 'coco')).rejects.toMatchObject({
    upstream: { status: 400, message: expect.stringContaining('use "multiclass", "folder"') },
  });
});

it('has several classes of an image', async () => {
  const labels = ['["dog", "cat"]', '["dog"]'];
  const version = await createVersion('walks', 'multi-label-classification', labels);
  const table = await exportFiles('walks', version, 'multiclass');
  expect(String(table.get('train/_classes.csv'))).toBe(
    'filename, cat, dog\n0.png, 1, 1\n1.png, 0, 1\n',
  );
});

it('has the boxes of a detection project, also by another name of the format', async () => {
  const rows = ['0 0.5 0.5 0.25 0.5\n1 0.25 0.25 0.5 0.5\n', '1 0.5 0.5 1 1\n'];
  const version = await createVersion('boxes', 'object-detection', rows);
  const yolo = await exportFiles('boxes', version, 'yolov5');
  expect(String(yolo.get('train/labels/0.txt'))).toBe(rows[0]);
  const records = await exportFiles('boxes', version, 'tfrecord');
  expect([...records.keys()]).toEqual([
    'README.dataset.txt',
    'train/boxes_label_map.pbtxt',
    'train/boxes.tfrecord',
  ]);
  await expect(exportFiles('boxes', version, 'folder')).rejects.toMatchObject({
    code: 'invalid_input',
    upstream: { status: 400, message: expect.stringContaining('1 of 2 have several') },
  });
});

it('has an image in the folder of its class for each box of an isolated version', async () => {
  const rows = ['0 0.5 0.5 0.25 0.5\n1 0.25 0.25 0.5 0.5\n', '1 0.5 0.5 1 1\n'];
  const preprocessing = { isolate: true };
  const version = await createVersion('alone', 'object-detection', rows, { preprocessing });
  for (const format of ['folder', 'clip']) {
    const paths = [...(await exportFiles('alone', version, format)).keys()];
    expect(paths.filter((path) => path.startsWith('train/cat/'))).toHaveLength(1);
    expect(paths.filter((path) => path.startsWith('train/dog/'))).toHaveLength(2);
  }
});
