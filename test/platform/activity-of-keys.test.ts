// The log of changes, about API keys and for keys of some folders.

import { afterAll, beforeAll, expect, it } from 'vitest';
import { activity } from '../../src/contract/activity.ts';
import { apiKeys } from '../../src/contract/api-keys.ts';
import { images } from '../../src/contract/images.ts';
import { startTestPlatform, type TestPlatform } from '../fixtures/platform.ts';
import { makeFolder, makeKey } from './api-key-requests.ts';
import { createProject, resultOf, upload } from './labelled-projects.ts';

const { activity_list } = activity;
const workspace = 'acme';

let platform: TestPlatform;

beforeAll(async () => {
  platform = await startTestPlatform();
  await createProject(platform.client, 'Cells');
  await createProject(platform.client, 'Night');
});

afterAll(() => platform.close());

async function newestOf(kind: string) {
  const { body } = await platform.client.call(activity_list, { workspace, kind, limit: 1 });
  return body.entries[0];
}

it('tells the folders and the scopes of a key, and what changed, as the API has them', async () => {
  const folder = await makeFolder(platform, { name: 'Lab', projects: ['cells'] });
  const { keyId } = await makeKey(platform, { scopes: ['image:read'], folderIds: [folder] });
  expect(await newestOf('api_key')).toMatchObject({
    after: { scopes: ['image:read'], folderIds: [folder], protected: false },
  });
  const change = { workspace, keyId, disabled: true };
  await platform.client.call(apiKeys.api_keys_update, change);
  expect(await newestOf('api_key')).toMatchObject({
    before: { scopes: ['image:read'], folderIds: [folder], disabled: false },
    after: { scopes: ['image:read'], folderIds: [folder], disabled: true },
  });
  expect(await newestOf('project')).toMatchObject({
    verb: 'changed',
    before: { name: 'Cells', public: false, folder_id: null },
    after: { name: 'Cells', public: false, folder_id: folder },
  });
});

it('shows a key of some folders what it did itself, and nothing of other projects', async () => {
  const folder = await makeFolder(platform, { name: 'Own', projects: ['cells', 'night'] });
  const { key } = await makeKey(platform, { folderIds: [folder] });
  const own = platform.clientWith(key);
  const ids = [await upload(own, 'cells', 1), await upload(own, 'night', 2)];
  const updates = ids.map((imageId) => ({ imageId, addTags: ['seen'] }));
  const { body } = await own.call(images.images_set_metadata_bulk, { workspace, updates });
  await resultOf(own, body.taskId);
  const { body: seen } = await own.call(activity_list, { workspace, limit: 3 });
  expect(seen.entries.map(({ action, kind, project }) => [action, kind, project])).toEqual([
    ['task:metadata', 'image', expect.any(String)],
    ['task:metadata', 'image', expect.any(String)],
    ['images_set_metadata_bulk', 'task', undefined],
  ]);
  const other = await makeFolder(platform, { name: 'Other' });
  const { key: foreign } = await makeKey(platform, { folderIds: [other] });
  const { body: none } = await platform
    .clientWith(foreign)
    .call(activity_list, { workspace, limit: 3 });
  expect(none).toMatchObject({ total: 0, entries: [] });
});

it('refuses an action that is neither an operation nor a task, with the nearest name', async () => {
  const asked = (action: string) => platform.client.call(activity_list, { workspace, action });
  await expect(asked('image_upload')).rejects.toMatchObject({
    upstream: { message: expect.stringContaining('did you mean "images_upload"?') },
  });
  await expect(asked('task:metdata')).rejects.toMatchObject({
    upstream: { message: expect.stringContaining('did you mean "task:metadata"?') },
  });
  await expect(asked('weather')).rejects.toMatchObject({
    upstream: { message: expect.stringContaining('action: is no operation') },
  });
  const { body } = await asked('task:metadata');
  expect(body.total).toBeGreaterThan(0);
  expect((await asked('platform')).body.total).toBeGreaterThanOrEqual(0);
});
