// Deleted images: nothing sees them for 30 days, and what comes back comes back whole.

import { afterAll, beforeAll, expect, it } from 'vitest';
import { activity } from '../../src/contract/activity.ts';
import { annotationExtensions, reviews } from '../../src/contract/annotation.ts';
import { images } from '../../src/contract/images.ts';
import { projects } from '../../src/contract/projects.ts';
import { search } from '../../src/contract/search.ts';
import { trash } from '../../src/contract/trash.ts';
import { versions } from '../../src/contract/versions.ts';
import { startTestPlatform, type TestPlatform } from '../fixtures/platform.ts';
import { createProject, refusal, resultOf, upload } from './labelled-projects.ts';

const workspace = 'acme';
const inCells = { workspace, project: 'cells' };
let platform: TestPlatform;
let imageId: string;

beforeAll(async () => {
  platform = await startTestPlatform();
  await createProject(platform.client, 'Cells');
  const wanted = { split: 'valid', batch: 'second', tag: ['rare'], classes: ['cell'] } as const;
  imageId = await upload(platform.client, 'cells', 1, wanted);
  await upload(platform.client, 'cells', 2);
  const settings = { ...inCells, preprocessing: {}, augmentation: {} };
  const { body } = await platform.client.call(versions.versions_generate, settings);
  await resultOf(platform.client, String(body.taskId));
});

afterAll(() => platform.close());

/** All that is shown of the image, without links that change with time. */
async function shown() {
  const { call } = platform.client;
  const { body } = await call(images.images_get, { ...inCells, imageId });
  const { urls: _, ...image } = body.image;
  const { body: health } = await call(projects.projects_health, inCells);
  const found = async (query: string) => {
    const { body } = await call(search.workspace_search, { workspace, query });
    return body.results.map(({ id }) => id);
  };
  return {
    image,
    health,
    batches: (await call(images.batches_list, inCells)).body,
    found: [await found('tag:rare'), await found('class:cell'), await found('split:valid')],
  };
}

async function deleted() {
  const { body } = await platform.client.call(trash.trash_list, { workspace });
  return body.items.filter(({ type }) => type === 'image');
}

const counts = async () => {
  const { body } = await platform.client.call(projects.projects_get, inCells);
  return body.project.images;
};

it('are in no search, count or batch, and come back as they were', async () => {
  const { call } = platform.client;
  const before = await shown();
  expect(before.found).toEqual([[imageId], [imageId], [imageId]]);
  // An id that stands twice is one image.
  await call(images.images_delete, { ...inCells, images: [imageId, imageId] });
  expect(await counts()).toBe(1);
  const { body } = await call(search.workspace_search, { workspace, query: 'tag:rare' });
  expect(body.results).toEqual([]);
  expect((await refusal(call(images.images_get, { ...inCells, imageId }))).status).toBe(404);
  const [item] = await deleted();
  expect(item).toMatchObject({
    name: '1 image: 1.png',
    parentName: 'Cells',
    parentUrl: 'cells',
    deletedBy: 'environment',
    images: 1,
    versions: [1],
  });
  await call(trash.trash_restore, { workspace, type: 'image', id: String(item?.id) });
  expect(await shown()).toEqual(before);
  expect(await deleted()).toEqual([]);
  const { body: log } = await call(activity.activity_list, { workspace, limit: 1 });
  expect(log.entries).toMatchObject([
    { action: 'trash_restore', verb: 'restored', kind: 'image', thing_id: imageId },
  ]);
});

it('uploaded again meanwhile are not restored, and nothing else of that deletion', async () => {
  const { call } = platform.client;
  await call(images.images_delete, { ...inCells, images: [imageId] });
  const again = await upload(platform.client, 'cells', 1);
  const [item] = await deleted();
  const restore = { workspace, type: 'image', id: String(item?.id) } as const;
  await expect(call(trash.trash_restore, restore)).rejects.toMatchObject({
    code: 'conflict',
    upstream: {
      message: `1 of these images was uploaded again meanwhile: "1.png" is now ${again}.`,
    },
  });
  expect(await counts()).toBe(2);
  await call(images.images_delete, { ...inCells, images: [again] });
  await call(trash.trash_restore, restore);
  expect((await call(images.images_get, { ...inCells, imageId })).body.image.id).toBe(imageId);
});

it('stand where they stood in the order in which images came', async () => {
  const { call } = platform.client;
  const order = async () => {
    const query = 'project:cells sort:created-desc';
    return (await call(search.workspace_search, { workspace, query })).body.results.map(
      ({ id }) => id,
    );
  };
  const before = await order();
  expect(before[0]).not.toBe(imageId);
  await call(images.images_delete, { ...inCells, images: [imageId] });
  const [item] = await deleted();
  await call(trash.trash_restore, { workspace, type: 'image', id: String(item?.id) });
  expect(await order()).toEqual(before);
});

it('stand where they stood in the order of a review', async () => {
  const { call } = platform.client;
  const added = [];
  for (const n of [7, 8, 9]) added.push(await upload(platform.client, 'cells', n));
  const wanted = added.toReversed();
  const asked = { ...inCells, instructions: 'Look.', images: wanted, ordered: true };
  const { body } = await call(reviews.annotation_review, asked);
  const order = async () => {
    const at = { ...inCells, jobId: String(body.jobId) };
    const { body: job } = await call(annotationExtensions.annotation_jobs_images, at);
    return job.images.map(({ id }) => id);
  };
  expect(await order()).toEqual(wanted);
  await call(images.images_delete, { ...inCells, images: wanted.slice(0, 1) });
  const [item] = await deleted();
  await call(trash.trash_restore, { workspace, type: 'image', id: String(item?.id) });
  expect(await order()).toEqual(wanted);
});

it('of a deleted project wait for it', async () => {
  const { call } = platform.client;
  const [item] = await deleted();
  const { body } = await call(projects.projects_delete, inCells);
  const restore = { workspace, type: 'image', id: String(item?.id) } as const;
  expect((await refusal(call(trash.trash_restore, restore))).status).toBe(409);
  await call(trash.trash_restore, { workspace, type: 'project', id: String(body.id) });
  const nobody = { workspace, type: 'image', id: 'nobody' } as const;
  expect((await refusal(call(trash.trash_restore, nobody))).status).toBe(404);
});
