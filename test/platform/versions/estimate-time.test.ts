// How long a version would take: from some of its images, of which none is kept.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { expect, it, vi } from 'vitest';
import { systemClock } from '../../../src/clock.ts';
import type { Renderers } from '../../../src/dataset-versions/render-threads.ts';
import { openTemporaryFiles } from '../../../src/platform/background-tasks/temporary-files.ts';
import { createSqliteStore } from '../../../src/platform/database/create-store.ts';
import { estimateTime } from '../../../src/platform/versions/estimate-time.ts';
import { scaleUp } from '../../../src/platform/versions/scale-estimate.ts';
import { createTaskQueue } from '../../../src/storage/task-queue.ts';
import { redAt, sharedLabelling } from '../platform-with-model.ts';
import { seedImages } from '../seed-images.ts';

const labelling = sharedLabelling();
const plain = { preprocessing: {}, augmentation: {} };

async function withImages(count: number): Promise<string> {
  const { newProject, upload } = labelling();
  const project = await newProject();
  for (let place = 0; place < count; place += 1) await upload(project, await redAt(place));
  return project;
}

/** All files below the data folder, but those of the database. */
async function filesKept(): Promise<readonly string[]> {
  const { data } = labelling().platform;
  const found = await readdir(data, { recursive: true, withFileTypes: true });
  const files = found.filter((entry) => entry.isFile() && !entry.name.startsWith('platform.db'));
  return files.map(({ parentPath, name }) => join(parentPath, name)).sort();
}

it('is told as a range with what it rests on, and nothing is kept', async () => {
  const { tell } = labelling();
  const project = await withImages(6);
  const before = await filesKept();
  const settings = {
    preprocessing: { resize: { width: 32, height: 32, format: 'Stretch to' } },
    augmentation: { rotate: { degrees: 10 }, image: { versions: 3 } },
  };
  // Its time may be over early where the machine is busy.
  const { least, most } = await vi.waitFor(async () => {
    const { status, body } = await tell('POST', `/acme/${project}/estimate`, settings);
    expect([status, body]).toEqual([200, expect.objectContaining({ images: 6, measured: 6 })]);
    return Object(body.seconds);
  }, 30_000);
  expect(least).toBeLessThan(most);
  expect(await filesKept()).toEqual(before);
});

it('counts what the filters leave', async () => {
  const project = await withImages(3);
  const settings = { ...plain, preprocessing: { 'filter-tags': { missing: true } } };
  const { body } = await labelling().tell('POST', `/acme/${project}/estimate`, settings);
  expect(body).toMatchObject({ images: 0, measured: 0 });
  expect(body).not.toHaveProperty('seconds');
});

it('refuses what a generation refuses', async () => {
  const project = await withImages(1);
  const settings = { ...plain, augmentation: { image: { versions: 1_000 } } };
  const { status } = await labelling().tell('POST', `/acme/${project}/estimate`, settings);
  expect(status).toBe(400);
});

it('scales by split and by threads: only train images have copies', () => {
  const timed = [
    { isTrain: true, images: 4, ms: 400 },
    { isTrain: false, images: 2, ms: 20 },
  ];
  // 100 train images of 100 ms, 50 others of 10 ms, on two threads: 5.25 s.
  const { least, most } = scaleUp(timed, { train: 100, all: 150 }, 2) ?? { least: 0, most: 0 };
  expect(least).toBeCloseTo(5.25 * 0.7, 1);
  expect(most).toBeCloseTo(5.25 * 1.6 + 0.5, 1);
});

it('takes the one kind for the other where only one was timed', () => {
  const timed = [{ isTrain: true, images: 0.5, ms: 100 }];
  expect(scaleUp(timed, { train: 1, all: 2 }, 4)).toEqual(
    scaleUp([...timed, { isTrain: false, images: 1, ms: 200 }], { train: 1, all: 2 }, 4),
  );
  expect(scaleUp([], { train: 1, all: 2 }, 4)).toBeUndefined();
});

it('refuses what makes too much of an image', async () => {
  const { newProject, upload, tell } = labelling();
  const project = await newProject();
  const background = { r: 9, g: 9, b: 9 };
  const wide = sharp({ create: { width: 200, height: 100, channels: 3, background } });
  await upload(project, await wide.png().toBuffer());
  const edges = { mode: 'fixed_size', overlap: 0, padding: 'black' };
  const tile = { ...edges, tileWidth: 1, tileHeight: 1 };
  const settings = { ...plain, preprocessing: { tile } };
  const { status, body } = await tell('POST', `/acme/${project}/estimate`, settings);
  expect([status, Object(body.error).type]).toEqual([400, 'invalid_input']);
});

it('ends only after its threads, and leaves nothing behind', async () => {
  const { shared, data } = await seedImages(1);
  const store = createSqliteStore(
    shared,
    createTaskQueue(shared, { clock: systemClock, owner: 'test' }),
  );
  const { id } = await store.workspaces.ensure('acme', 1);
  const [project] = await store.projects.list(id);
  assert(project);
  const controller = new AbortController();
  const ended = Promise.withResolvers<void>();
  const renderFiles: Renderers['renderFiles'] = async (job) => {
    if (job.piecesMax !== undefined) return;
    controller.abort(new Error('gone'));
    await ended.promise;
    controller.signal.throwIfAborted();
  };
  const scratch = join(data, 'scratch');
  const dependencies = {
    store,
    blobs: { get: () => redAt(1) },
    renderers: { count: 1, renderFiles },
    temporaryFiles: await openTemporaryFiles(scratch, systemClock),
    clock: systemClock,
  };
  const estimate = estimateTime(dependencies, project, plain, controller.signal);
  await once(controller.signal, 'abort');
  // Long enough to remove the folder under the write.
  for (let looks = 0; looks < 200; looks += 1) expect(await readdir(scratch)).toHaveLength(1);
  ended.resolve();
  await expect(estimate).rejects.toThrow('gone');
  expect(await readdir(scratch)).toEqual([]);
});
