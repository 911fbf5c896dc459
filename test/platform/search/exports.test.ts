// Exports of what a search finds, over HTTP.

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { images } from '../../../src/contract/images.ts';
import { projects } from '../../../src/contract/projects.ts';
import { search } from '../../../src/contract/search.ts';
import { tasks } from '../../../src/contract/tasks.ts';
import { FoveaError } from '../../../src/errors.ts';
import { startTestPlatform, type TestPlatform } from '../../fixtures/platform.ts';
import { readZip } from '../../fixtures/read-zip.ts';
import { scene } from './distinct-images.ts';

let platform: TestPlatform;
const workspace = 'acme';

beforeAll(async () => {
  platform = await startTestPlatform();
  for (const [name, type] of [
    ['Cells', 'object-detection'],
    ['More cells', 'object-detection'],
    ['Kinds', 'single-label-classification'],
  ] as const) {
    const annotation = name === 'Kinds' ? 'mixed' : 'cells';
    await platform.client.call(projects.projects_create, { workspace, name, type, annotation });
  }
  await platform.client.call(projects.projects_create, {
    workspace,
    name: 'Mixed',
    type: 'object-detection',
    annotation: 'mixed',
  });
  await upload('cells', 1, ['night'], 2);
  await upload('cells', 2, ['night'], 1);
  await upload('cells', 3, [], 4);
  await upload('more-cells', 4, ['night'], 3);
  await upload('kinds', 5, ['night'], undefined);
});

afterAll(() => platform.close());

async function upload(project: string, number: number, tag: string[], boxes: number | undefined) {
  const file = { name: `scene-${number}.png`, content: await scene(number) };
  const { body } = await platform.client.call(images.images_upload, { project, file, tag });
  if (boxes === undefined) return;
  const annotations = Array.from({ length: boxes }, (_, at) => ({
    label: 'RBC',
    coordinates: { x: 10 + at, y: 10, width: 4, height: 4 },
  }));
  await platform.client.call(images.images_annotate, {
    project,
    imageId: body.id ?? '',
    name: 'a.json',
    annotationFile: JSON.stringify([{ image: file.name, annotations }]),
  });
}

function start(input: object) {
  const operation = search.search_export_start;
  return platform.client.call(operation, { workspace, query: '*', format: 'coco', ...input });
}

async function get(taskId: string) {
  const { body } = await platform.client.call(search.search_export_get, { workspace, taskId });
  return body;
}

async function finished(taskId: string) {
  await vi.waitFor(async () => expect((await get(taskId)).ready).toBe(true), { timeout: 20_000 });
  return get(taskId);
}

async function refused(call: Promise<unknown>) {
  const thrown: unknown = await call.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (!(thrown instanceof FoveaError)) throw new Error('was not refused');
  return { code: thrown.code, text: `${thrown.upstream?.message} ${thrown.upstream?.hint}` };
}

/** The files of an export, by their paths. */
async function download(link: string) {
  const path = join(platform.data, 'export.zip');
  await writeFile(path, Buffer.from(await (await fetch(link)).arrayBuffer()));
  return readZip(path);
}

it('exports what a query finds in one project, and counts are those of the search', async () => {
  const { body, status } = await start({ query: 'tag:night', dataset: 'cells', name: 'Nights' });
  expect(status).toBe(202);
  expect(body).toEqual({
    link: body.taskId,
    taskId: expect.any(String),
    url: `${platform.url}/acme/asynctasks/${body.taskId}`,
  });
  const { link } = await finished(body.taskId ?? '');
  expect(new URL(String(link)).searchParams.get('name')).toBe('Nights.zip');
  const files = await download(String(link));
  const coco = JSON.parse(String(files.get('train/_annotations.coco.json')));
  expect(coco.images).toHaveLength(2);
  expect(coco.annotations).toHaveLength(3);
  expect([...files.keys()].filter((name) => name.endsWith('.png'))).toHaveLength(2);
  const task = await platform.client.call(tasks.tasks_get, {
    workspace,
    taskId: body.taskId ?? '',
  });
  expect(task.body).toMatchObject({ status: 'completed', result: { format: 'coco', images: 2 } });
});

it('exports all projects of an annotation group', async () => {
  const { body } = await start({
    query: 'class:RBC>=3',
    annotationGroup: 'cells',
    format: 'yolov8',
  });
  const files = await download(String((await finished(body.taskId ?? '')).link));
  const texts = [...files.keys()].filter((name) => name.startsWith('train/labels/'));
  expect(texts.toSorted().map((name) => name.replace(/^.*\//, ''))).toEqual([
    'scene-3.txt',
    'scene-4.txt',
  ]);
});

it('exports what matches in all projects where all of it is of one type', async () => {
  const { body } = await start({ query: 'class:RBC>=3', format: 'yolov8' });
  const files = await download(String((await finished(body.taskId ?? '')).link));
  const texts = [...files.keys()].filter((name) => name.startsWith('train/labels/'));
  expect(texts.toSorted().map((name) => name.replace(/^.*\//, ''))).toEqual([
    'scene-3.txt',
    'scene-4.txt',
  ]);
});

it('refuses before it starts what cannot be exported', async () => {
  for (const [input, message] of [
    [{ dataset: 'cells', annotationGroup: 'cells' }, 'give either dataset or annotationGroup'],
    [{}, 'query: has images of projects of several types'],
    [{ dataset: 'cells', format: 'cocoo' }, 'did you mean "coco"?'],
    [{ dataset: 'kinds', format: 'coco' }, 'cannot hold single-label-classification'],
    [{ annotationGroup: 'mixed' }, 'has images of projects of several types'],
    [{ annotationGroup: 'other' }, 'no project has the annotation group "other"'],
    [{ dataset: 'cells', query: 'tag:none' }, 'query: finds no image there'],
    [{ dataset: 'cells', query: 'like-image:x' }, 'no search by likeness in exports'],
    [{ dataset: 'cells', query: '(' }, 'query: at character 2'],
  ] as const) {
    const { code, text } = await refused(start(input));
    expect(code).toBe('invalid_input');
    expect(text).toContain(message);
  }
  expect((await refused(start({ dataset: 'none' }))).code).toBe('not_found');
});

it('says each time why an export failed', async () => {
  const { body } = await start({ dataset: 'kinds', format: 'folder' });
  const taskId = body.taskId ?? '';
  // Nobody gave the picture a class, which folders are made of.
  await vi.waitFor(async () => expect((await refused(get(taskId))).code).toBe('invalid_input'), {
    timeout: 20_000,
  });
  expect((await refused(get(taskId))).text).toContain('The export failed.');
});

it('is nobody else’s', async () => {
  const { body } = await start({ dataset: 'cells' });
  const taskId = body.taskId ?? '';
  await finished(taskId);
  const other = await platform.otherWorkspace();
  const foreign = { workspace: other.slug, taskId };
  const asked = other.client.call(search.search_export_get, foreign);
  expect((await refused(asked)).code).toBe('not_found');
  expect((await refused(get('none'))).code).toBe('not_found');
});
