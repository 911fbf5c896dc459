// Metadata of many images: all of a call is taken or nothing of it, and missing images are told.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { images } from '../../../src/contract/images.ts';
import { startTestPlatform, type TestPlatform } from '../../fixtures/platform.ts';
import { createProject, refusal, resultOf, upload } from '../labelled-projects.ts';

const workspace = 'acme';
const bulk = images.images_set_metadata_bulk;
let platform: TestPlatform;
let ids: readonly string[];

beforeAll(async () => {
  platform = await startTestPlatform();
  const project = await createProject(platform.client, 'Cells');
  ids = [
    await upload(platform.client, project, 1, { tag: ['old'] }),
    await upload(platform.client, project, 2),
  ];
});

afterAll(() => platform.close());

async function shown(imageId = '') {
  const at = { workspace, project: 'cells', imageId };
  const { image } = (await platform.client.call(images.images_get, at)).body;
  return { metadata: image.metadata, tags: image.tags };
}

it('changes each image, and says which ones there are not', async () => {
  const { client } = platform;
  const [one = '', two = ''] = ids;
  const { status, body } = await client.call(bulk, {
    workspace,
    updates: [
      { imageId: one, metadata: { lamp: 'on', gain: 2, ok: true }, removeTags: ['old'] },
      { imageId: 'nobody', addTags: ['new'] },
      { imageId: two, addTags: ['new', 'more'] },
    ],
  });
  expect(status).toBe(202);
  expect(await resultOf(client, body.taskId)).toEqual({
    succeeded: 2,
    failed: 1,
    failedItems: [{ imageId: 'nobody', error: 'There is no such image.' }],
  });
  expect(await shown(one)).toEqual({ metadata: { lamp: 'on', gain: 2, ok: true }, tags: [] });
  expect(await shown(two)).toEqual({ metadata: {}, tags: ['more', 'new'] });
});

it('leaves the images of another workspace alone', async () => {
  const { client } = platform;
  const other = await platform.otherWorkspace();
  const [one = ''] = ids;
  const before = await shown(one);
  const { body } = await other.client.call(bulk, {
    workspace: other.slug,
    updates: [{ imageId: one, addTags: ['stolen'] }],
  });
  const at = { workspace: other.slug, taskId: body.taskId };
  const foreign = await refusal(resultOf(client, body.taskId));
  expect(foreign.status).toBe(404);
  const { tasks } = await import('../../../src/contract/tasks.ts');
  await expect
    .poll(async () => (await other.client.call(tasks.tasks_get, at)).body)
    .toMatchObject({ status: 'completed', result: { succeeded: 0, failed: 1 } });
  expect(await shown(one)).toEqual(before);
});

describe('refuses all for', () => {
  const good = { imageId: 'x', addTags: ['fine'] };
  it.each([
    ['no update', [], 'updates'],
    ['too many', Array.from({ length: 1001 }, (_, n) => ({ ...good, imageId: `${n}` })), 'updates'],
    ['an image twice', [good, { imageId: 'y', addTags: ['a'] }, good], 'updates[2].imageId'],
    ['nothing to change', [good, { imageId: 'y' }], 'updates[1]'],
    ['a tag that is none', [good, { imageId: 'y', addTags: ['a b'] }], 'updates[1].addTags'],
    ['deep metadata', [good, { imageId: 'y', metadata: { a: {} } }], 'updates[1].metadata'],
    [
      'a key set and removed',
      [good, { imageId: 'y', metadata: { a: 1 }, removeMetadata: ['a'] }],
      'updates[1].removeMetadata',
    ],
    [
      'a tag added and removed',
      [good, { imageId: 'y', addTags: ['a'], removeTags: ['a'] }],
      'updates[1].removeTags',
    ],
  ])('%s', async (_what, updates, place) => {
    const [one = ''] = ids;
    const before = await shown(one);
    const answer = await fetch(`${platform.url}/acme/images/metadata`, {
      method: 'POST',
      headers: { authorization: `Bearer ${platform.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ updates: updates.map((update) => ({ ...update })) }),
    });
    expect(answer.status).toBe(400);
    expect(JSON.stringify(await answer.json())).toContain(place);
    expect(await shown(one)).toEqual(before);
  });
});
