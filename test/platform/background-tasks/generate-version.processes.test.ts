// Generation of versions: what a crash leaves, what others see meanwhile, and who does the work.

import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { images } from '../../../src/contract/images.ts';
import { projects } from '../../../src/contract/projects.ts';
import { tasks } from '../../../src/contract/tasks.ts';
import type { VersionSettings } from '../../../src/contract/version-settings.ts';
import { versionExtensions, versions } from '../../../src/contract/versions.ts';
import type { Client } from '../../../src/http-client/client.ts';
import { testImage } from '../../fixtures/images.ts';
import { killProcess } from '../../fixtures/kill-process.ts';
import {
  startPlatformProcess,
  startTestPlatform,
  type TestPlatform,
  withRowsInFolder,
} from '../../fixtures/platform.ts';
import { endOfLeases } from '../../fixtures/platform-rows.ts';
import { readZip } from '../../fixtures/read-zip.ts';

let folder: string;
// Each test has a project of its own there.
let platform: TestPlatform;
// With a plan of its own, and data that no other process touches.
let capped: TestPlatform;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fovea-version-job-'));
  [platform, capped] = await Promise.all([
    startTestPlatform(),
    startTestPlatform({ versionMultiplierMax: 4 }),
  ]);
});

afterAll(async () => {
  await Promise.all([platform.close(), capped.close()]);
  await rm(folder, { recursive: true, force: true });
});

const everything: VersionSettings = {
  preprocessing: {
    'auto-orient': true,
    'static-crop': { x_min: 5, x_max: 95, y_min: 0, y_max: 90 },
    tile: { rows: 1, columns: 2 },
    contrast: { type: 'Adaptive Equalization' },
    resize: { width: 160, height: 160, format: 'Fit (reflect edges) in' },
  },
  augmentation: {
    mosaic: true,
    bbflip: { horizontal: true, vertical: true },
    bbninety: { clockwise: true, 'upside-down': true },
    bbcrop: { min: 0, max: 20 },
    bbrotate: { degrees: 15 },
    bbshear: { horizontal: 5, vertical: 5 },
    bbbrightness: { brighten: true, darken: true, percent: 20 },
    bbexposure: { percent: 20 },
    bbblur: { pixels: 2 },
    bbnoise: { percent: 5 },
    flip: { horizontal: true, vertical: true },
    ninety: { clockwise: true, 'counter-clockwise': true, 'upside-down': true },
    crop: { min: 0, max: 20 },
    rotate: { degrees: 15 },
    shear: { horizontal: 10, vertical: 10 },
    hue: { degrees: 20 },
    saturation: { percent: 25 },
    brightness: { brighten: true, darken: true, percent: 20 },
    exposure: { percent: 20 },
    rgrayscale: { percent: 20 },
    blur: { pixels: 2 },
    noise: { percent: 2 },
    cutout: { count: 3, percent: 10 },
    image: { versions: 2 },
  },
};

const where = (project: string) => ({ workspace: 'acme', project });

/** Images with one box each, every third of them valid; the ids. */
async function createProject(client: Client, name: string, count: number): Promise<string[]> {
  await client.call(projects.projects_create, {
    workspace: 'acme',
    name,
    type: 'object-detection',
    annotation: 'squares',
  });
  const ids: string[] = [];
  for (let index = 0; index < count; index += 1) {
    const file = { name: `square-${index}.png`, content: await testImage(index) };
    const split = index % 3 === 2 ? 'valid' : 'train';
    const { body } = await client.call(images.images_upload, { project: name, file, split });
    await annotate(client, name, body.id, 'square');
    ids.push(body.id);
  }
  return ids;
}

async function annotate(client: Client, project: string, imageId: string, label: string) {
  await client.call(images.images_annotate, {
    project,
    imageId,
    name: 'box.txt',
    annotationFile: '0 0.5 0.5 0.5 0.5',
    labelmap: { 0: label },
    overwrite: true,
  });
}

async function generate(client: Client, project: string, settings: Partial<VersionSettings> = {}) {
  const { body } = await client.call(versions.versions_generate, {
    ...where(project),
    preprocessing: {},
    augmentation: {},
    ...settings,
  });
  return { version: Number(body.version), taskId: String(body.taskId) };
}

async function taskOf(client: Client, taskId: string) {
  return (await client.call(tasks.tasks_get, { workspace: 'acme', taskId })).body;
}

/** The end of a task, and every progress that it showed on its way. */
async function watch(client: Client, taskId: string) {
  const seen: number[] = [];
  for (;;) {
    const task = await taskOf(client, taskId);
    const current = Number(task.progress?.current ?? 0);
    if (current !== seen.at(-1)) seen.push(current);
    if (task.status === 'completed' || task.status === 'failed') return { task, seen };
    await delay(20);
  }
}

async function versionOf(client: Client, project: string, version: number) {
  return (await client.call(versions.versions_get, { ...where(project), version })).body.version;
}

/** What an export holds: each file by its SHA-256, labels as they are. */
async function contentOf(client: Client, project: string, version: number) {
  for (;;) {
    const wanted = { ...where(project), version, format: 'createml' };
    const { body } = await client.call(versions.versions_export, wanted);
    if (body.export) {
      const path = join(
        folder,
        `${createHash('sha256').update(body.export.link).digest('hex')}.zip`,
      );
      await client.download(body.export.link, path);
      const files = [...(await readZip(path))].filter(([name]) => !name.startsWith('README'));
      return Object.fromEntries(
        files.map(([name, bytes]) => [
          name,
          name.endsWith('.json')
            ? JSON.parse(String(bytes))
            : createHash('sha256').update(bytes).digest('hex'),
        ]),
      );
    }
    await delay(20);
  }
}

it('killed in the middle, goes on elsewhere, and comes to the same images', async () => {
  const { client } = platform;
  const { child, url } = await startPlatformProcess(platform.data);
  onTestFinished(() => killProcess(child));
  const [first = '', second = ''] = await createProject(client, 'cells', 24);
  // Sent to the process that will be killed, which starts to work at once.
  const answer = await fetch(`${url}/acme/cells/generate`, {
    method: 'POST',
    headers: { authorization: `Bearer ${platform.key}`, 'content-type': 'application/json' },
    body: JSON.stringify(everything),
  });
  const { taskId, version } = JSON.parse(await answer.text());
  await client.call(images.images_delete, { ...where('cells'), images: [first] });
  await annotate(client, 'cells', second, 'circle');
  let begun = 0;
  while (begun === 0) {
    await delay(5);
    begun = Number((await taskOf(client, taskId)).progress?.current ?? 0);
  }
  await killProcess(child);
  const left = (await taskOf(client, taskId)).progress?.current;
  expect(left).toBeGreaterThan(0);
  expect(left).toBeLessThan(24);
  expect(await versionOf(client, 'cells', version)).toMatchObject({
    generating: true,
    images: 0,
    splits: { train: 0, valid: 0, test: 0 },
    classes: [],
    exports: [],
  });
  const compared = { ...where('cells'), from: version, to: version };
  const { body: diff } = await client.call(versionExtensions.versions_diff, compared);
  expect(diff).toMatchObject({ to: { version, images: 0, state: 'generating' }, unchanged: 24 });
  const wanted = { ...where('cells'), version, format: 'coco' };
  await expect(client.call(versions.versions_export, wanted)).rejects.toMatchObject({
    upstream: { status: 409, message: `Version ${version} is still being generated.` },
  });

  await platform.query(`${endOfLeases} AND id = '${taskId}'`);
  const { task, seen } = await watch(client, taskId);
  expect(task).toMatchObject({ status: 'completed', progress: { current: 24, total: 24 } });
  expect(seen).toEqual(seen.toSorted((a, b) => a - b));
  expect(seen[0]).toBeGreaterThanOrEqual(Number(left));
  expect(await versionOf(client, 'cells', version)).toMatchObject({
    generating: false,
    progress: 1,
    images: 80,
    splits: { train: 64, valid: 16, test: 0 },
    classes: ['square'],
  });

  await createProject(capped.client, 'cells', 24);
  const undisturbed = await generate(capped.client, 'cells', everything);
  await watch(capped.client, undisturbed.taskId);
  const content = await contentOf(client, 'cells', version);
  expect(Object.keys(content).length).toBeGreaterThan(80);
  expect(content).toEqual(await contentOf(capped.client, 'cells', undisturbed.version));
}, 90_000);

it('goes on where another release has done other images of a batch', async () => {
  const data = join(folder, 'begun');
  const before = await startTestPlatform({ data, ...withRowsInFolder });
  await createProject(before.client, 'begun', 7);
  const augmentation = { mosaic: true, image: { versions: 3 } } as const;
  const { version, taskId } = await generate(before.client, 'begun', { augmentation });
  await watch(before.client, taskId);
  const content = await contentOf(before.client, 'begun', version);
  await before.close();

  const database = new DatabaseSync(join(data, 'platform.db'));
  database.exec(`UPDATE versions SET ready = 0, images = 0, splits = '{}', classes = '[]';
    DELETE FROM exports;
    DELETE FROM version_images WHERE ordinal IN (2, 4);
    UPDATE version_sources SET done = 0 WHERE ordinal IN (2, 4);
    UPDATE work SET status = 'created', current = 5 WHERE kind = 'version'`);
  database.close();
  const after = await startTestPlatform({ data });
  onTestFinished(() => after.close());
  const { task, seen } = await watch(after.client, taskId);
  expect(task).toMatchObject({ status: 'completed', progress: { current: 7, total: 7 } });
  expect(seen[0]).toBeGreaterThanOrEqual(5);
  expect(await contentOf(after.client, 'begun', version)).toEqual(content);
});

it('is shared by two platforms on one folder, each version once', async () => {
  const one = platform;
  const two = await startTestPlatform({ data: platform.data });
  onTestFinished(() => two.close());
  await createProject(one.client, 'shared', 12);
  const settings = {
    preprocessing: { resize: { width: 120, height: 120, format: 'Stretch to' } },
    augmentation: { mosaic: true, rotate: { degrees: 10 }, image: { versions: 3 } },
  } as const;
  const started = [];
  for (const { client } of [one, two, one, two]) {
    started.push(await generate(client, 'shared', settings));
  }
  expect(started.map(({ version }) => version)).toEqual([1, 2, 3, 4]);
  const ends = await Promise.all(started.map(({ taskId }) => watch(two.client, taskId)));
  for (const { task, seen } of ends) {
    expect(task).toMatchObject({
      status: 'completed',
      progress: { current: 12, total: 12 },
      result: { images: 28 },
    });
    expect(seen).toEqual(seen.toSorted((a, b) => a - b));
  }
  const contents = [];
  for (const { version } of started) contents.push(await contentOf(one.client, 'shared', version));
  expect(Object.keys(contents[0] ?? {}).filter((name) => name.endsWith('.jpg'))).toHaveLength(28);
  for (const content of contents) expect(content).toEqual(contents[0]);
});

it('an image that cannot be read fails the version by its name; others are made', async () => {
  const { client, data } = platform;
  const [, , , imageId = ''] = await createProject(client, 'damaged', 6);
  const { body } = await client.call(images.images_get, { ...where('damaged'), imageId });
  const hash = String(body.image.hash);
  await writeFile(join(data, 'blobs', hash.slice(0, 2), hash), 'damaged');
  const { version, taskId } = await generate(client, 'damaged', everything);
  const { task } = await watch(client, taskId);
  const error = expect.stringMatching(/^Image "square-3\.png": .* is damaged/);
  expect(task).toMatchObject({ status: 'failed', error });
  expect(await versionOf(client, 'damaged', version)).toMatchObject({
    generating: false,
    images: 0,
    exports: [],
    error,
  });
  await client.call(images.images_delete, { ...where('damaged'), images: [imageId] });
  const next = await generate(client, 'damaged');
  expect((await watch(client, next.taskId)).task).toMatchObject({ result: { images: 5 } });
});

it('settings that an image is too small for fail the version by its name', async () => {
  const { client } = platform;
  await createProject(client, 'small', 2);
  const tile = { rows: 49, columns: 1 };
  const { taskId } = await generate(client, 'small', { preprocessing: { tile } });
  expect((await watch(client, taskId)).task).toMatchObject({
    status: 'failed',
    error: expect.stringMatching(
      /^Image "square-\d\.png": .*preprocessing\.tile.* without a pixel of an image of 64 x 48/,
    ),
  });
});

it('isolate of images without boxes leaves nothing, and says so', async () => {
  const { client } = platform;
  const name = 'bare';
  await client.call(projects.projects_create, {
    workspace: 'acme',
    name,
    type: 'object-detection',
    annotation: 'squares',
  });
  const file = { name: 'bare.png', content: await testImage(1) };
  await client.call(images.images_upload, { project: name, file, split: 'train' });
  const { version, taskId } = await generate(client, name, { preprocessing: { isolate: true } });
  const error =
    'Version 1 would have no image: isolate makes one of each box, and there are no boxes.';
  expect((await watch(client, taskId)).task).toMatchObject({ status: 'failed', error });
  expect(await versionOf(client, name, version)).toMatchObject({ images: 0, error });
});

it('mosaic labels what it joins, also in an image that nobody annotated', async () => {
  const { client } = platform;
  const name = 'mixed';
  await createProject(client, name, 2);
  const file = { name: 'unseen.png', content: await testImage(99) };
  await client.call(images.images_upload, { project: name, file, split: 'train' });
  const augmentation = { mosaic: true, image: { versions: 20 } };
  const { version, taskId } = await generate(client, name, { augmentation });
  await watch(client, taskId);
  const content = await contentOf(client, name, version);
  const labels = Object.entries(content).flatMap(([path, rows]) =>
    path.endsWith('.json') && Array.isArray(rows) ? rows : [],
  );
  const copies = labels.filter(({ image }) => String(image).startsWith('unseen_copy'));
  const boxes = copies.flatMap(({ annotations }) => annotations);
  expect(boxes.length).toBeGreaterThan(10);
});

it('image.versions goes up to the cap of the plan', async () => {
  const counts: unknown[] = [];
  for (const [{ client }, most] of [
    [capped, 4],
    [platform, 50],
  ] as const) {
    await createProject(client, 'capped', 2);
    const settings = (count: number) => ({
      augmentation: { rotate: { degrees: 5 }, image: { versions: count } },
    });
    await expect(generate(client, 'capped', settings(most + 1))).rejects.toMatchObject({
      upstream: {
        status: 400,
        message: `augmentation.image.versions: the plan allows ${most} at most`,
      },
    });
    const { version, taskId } = await generate(client, 'capped', settings(most));
    expect(version).toBe(1);
    counts.push((await watch(client, taskId)).task.result);
  }
  expect(counts).toMatchObject([{ images: 8 }, { images: 100 }]);
});
