// What changed from one version to another, as the platform tells it.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { imageExtensions, images } from '../../src/contract/images.ts';
import { versionExtensions, versions } from '../../src/contract/versions.ts';
import { startTestPlatform, type TestPlatform } from '../fixtures/platform.ts';
import { annotate, createProject, resultOf, upload } from './labelled-projects.ts';

const inCells = { workspace: 'acme', project: 'cells' };
const { versions_diff } = versionExtensions;
let platform: TestPlatform;

beforeAll(async () => {
  platform = await startTestPlatform();
  const { client } = platform;
  await createProject(client, 'Cells');
  const [relabelled, moved, removed, sameLabels, sentAnew] = [
    await upload(client, 'cells', 1, { classes: ['red'] }),
    await upload(client, 'cells', 2),
    await upload(client, 'cells', 3, { split: 'valid' }),
    await upload(client, 'cells', 4, { classes: ['red', 'white'] }),
    await upload(client, 'cells', 5),
  ];
  await freeze({ preprocessing: {}, augmentation: {} });
  await client.call(images.images_delete, { ...inCells, images: [removed, sentAnew] });
  await client.call(imageExtensions.images_set_split, {
    ...inCells,
    images: [moved],
    split: 'test',
  });
  await annotate(client, 'cells', relabelled, ['red', 'white']);
  await annotate(client, 'cells', sameLabels, ['white', 'red']);
  await upload(client, 'cells', 5);
  await upload(client, 'cells', 6);
  await upload(client, 'cells', 7);
  const resize = { width: 32, height: 32, format: 'Stretch to' } as const;
  await freeze({ preprocessing: { resize }, augmentation: { image: { versions: 2 } } });
});

afterAll(() => platform.close());

async function freeze(settings: { preprocessing: object; augmentation: object }) {
  const { body } = await platform.client.call(versions.versions_generate, {
    ...inCells,
    ...settings,
  });
  await resultOf(platform.client, body.taskId ?? '');
}

async function diff(wanted: { from: number; to: number; limit?: number; offset?: number }) {
  const { body } = await platform.client.call(versions_diff, { ...inCells, ...wanted });
  return body;
}

describe('versions_diff', () => {
  it('names images that were added, removed, moved and labelled anew', async () => {
    expect(await diff({ from: 1, to: 2 })).toMatchObject({
      unchanged: 2,
      added: {
        count: 2,
        images: [
          { name: '6.png', split: 'train' },
          { name: '7.png', split: 'train' },
        ],
      },
      removed: { count: 1, images: [{ name: '3.png', split: 'valid' }] },
      moved: { count: 1, images: [{ name: '2.png', from: 'train', to: 'test' }] },
      relabelled: {
        count: 1,
        images: [{ name: '1.png', from: { red: 1 }, to: { red: 1, white: 1 } }],
      },
    });
  });

  it('says which settings differ, each by its path', async () => {
    expect((await diff({ from: 1, to: 2 })).settings).toEqual([
      { setting: 'augmentation.image.versions', to: 2 },
      { setting: 'preprocessing.resize.format', to: 'Stretch to' },
      { setting: 'preprocessing.resize.height', to: 32 },
      { setting: 'preprocessing.resize.width', to: 32 },
    ]);
  });

  it('goes the other way', async () => {
    const back = await diff({ from: 2, to: 1 });
    expect(back).toMatchObject({ unchanged: 2, added: { count: 1 }, removed: { count: 2 } });
    expect(back.moved.images).toMatchObject([{ from: 'test', to: 'train' }]);
  });

  it('finds nothing between a version and itself', async () => {
    const none = { count: 0, images: [] };
    expect(await diff({ from: 2, to: 2 })).toMatchObject({
      settings: [],
      unchanged: 6,
      added: none,
      removed: none,
      moved: none,
      relabelled: none,
    });
  });

  it('counts all and names those of the page', async () => {
    const { added } = await diff({ from: 1, to: 2, limit: 1, offset: 1 });
    expect(added).toMatchObject({ count: 2, images: [{ name: '7.png' }] });
    expect(added.images).toHaveLength(1);
  });

  it('is not found where a version is not there', async () => {
    await expect(diff({ from: 1, to: 9 })).rejects.toMatchObject({ code: 'not_found' });
  });
});
