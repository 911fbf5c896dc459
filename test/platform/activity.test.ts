// The log of changes: what was done, by whom, when, and what the time of a project says.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { activity } from '../../src/contract/activity.ts';
import { apiKeys } from '../../src/contract/api-keys.ts';
import { folders } from '../../src/contract/folders.ts';
import { images } from '../../src/contract/images.ts';
import type { Input } from '../../src/contract/operation.ts';
import { projects } from '../../src/contract/projects.ts';
import { trash } from '../../src/contract/trash.ts';
import { versions } from '../../src/contract/versions.ts';
import { startTestPlatform, type TestPlatform } from '../fixtures/platform.ts';
import { annotate, createProject, resultOf, upload } from './labelled-projects.ts';

const { activity_list } = activity;
const workspace = 'acme';
const inCells = { workspace, project: 'cells' };

let platform: TestPlatform;

beforeAll(async () => {
  platform = await startTestPlatform();
  await createProject(platform.client, 'Cells');
});

afterAll(() => platform.close());

type Asked = Omit<Input<typeof activity_list>, 'workspace'>;

async function listed(asked: Asked = {}) {
  const { body } = await platform.client.call(activity_list, { workspace, ...asked });
  return body;
}

/** The newest entry. */
async function newest(asked: Asked = {}) {
  const { entries } = await listed({ ...asked, limit: 1 });
  return entries[0];
}

async function updated(): Promise<number> {
  const { body } = await platform.client.call(projects.projects_get, inCells);
  return body.project.updated ?? 0;
}

it('says who made a project, by which call', async () => {
  expect(await newest({ kind: 'project' })).toMatchObject({
    who: 'environment',
    action: 'projects_create',
    verb: 'added',
    kind: 'project',
    names: ['Cells'],
    project: 'cells',
    after: { type: 'object-detection' },
  });
});

describe('images', () => {
  const ids: string[] = [];

  it('that come one by one are one entry, which counts them and names the first five', async () => {
    const before = await updated();
    for (let shade = 1; shade <= 7; shade += 1) {
      ids.push(await upload(platform.client, 'cells', shade, { tag: ['new'] }));
    }
    expect(await newest()).toMatchObject({
      action: 'images_upload',
      verb: 'added',
      kind: 'image',
      count: 7,
      names: ['1.png', '2.png', '3.png', '4.png', '5.png'],
    });
    expect(await updated()).toBeGreaterThan(before);
  });

  it('that are labelled, tagged and described move the time of their project', async () => {
    const { call } = platform.client;
    const [imageId = ''] = ids;
    const steps = [
      () => annotate(platform.client, 'cells', imageId, ['cell']),
      () => call(images.images_tag, { ...inCells, imageId, operation: 'add', tags: ['good'] }),
      () => call(images.images_set_metadata, { workspace, imageId, metadata: { camera: 'left' } }),
    ];
    for (const step of steps) {
      const before = await updated();
      await step();
      expect(await updated()).toBeGreaterThan(before);
    }
    const { entries } = await listed({ limit: 3 });
    expect(entries).toMatchObject([
      {
        action: 'images_set_metadata',
        verb: 'changed',
        thing_id: imageId,
        before: { metadata: {} },
        after: { metadata: { camera: 'left' } },
      },
      { action: 'images_tag', verb: 'changed', after: { tags: { good: true } } },
      { action: 'images_annotate', verb: 'annotated', after: { objects: 1 } },
    ]);
  });

  it('that lose a tag are told apart from those that got one, and named when asked for', async () => {
    const { call } = platform.client;
    const tag = async (operation: 'add' | 'remove', tags: string[], those: readonly string[]) => {
      for (const imageId of those) {
        await call(images.images_tag, { ...inCells, imageId, operation, tags });
      }
    };
    await tag('add', ['lab', 'new'], ids);
    await tag('remove', ['lab'], ids.slice(1, 7));
    const { entries } = await listed({ limit: 2 });
    expect(entries).toMatchObject([
      { action: 'images_tag', count: 6, after: { tags: { lab: false } } },
      { action: 'images_tag', count: 7, after: { tags: { lab: true } } },
    ]);
    expect(entries[0]?.images).toBeUndefined();
    const about = async (thing = '') => (await listed({ thing })).entries[0]?.id;
    expect(await about(ids[3])).toBe(entries[0]?.id);
    expect(await about(ids[0])).toBe(entries[1]?.id);
    expect((await listed({ thing: 'nothing' })).total).toBe(0);
    await tag('add', ['lab'], ids.slice(1, 3));
    expect((await listed({ limit: 2 })).entries[0]?.images).toHaveLength(2);
    const alone = await newest({ before: Number(entries[0]?.id) + 1 });
    expect(alone?.images?.map(({ id }) => id)).toEqual(ids.slice(1, 7));
    expect(alone?.images?.map(({ name }) => name)).toContain('7.png');
  });

  it('that change in one request, each otherwise, are counted; alike, it is said how', async () => {
    const { call } = platform.client;
    const bulk = async (metadata: (at: number) => Record<string, number>) => {
      const updates = ids.map((imageId, at) => ({ imageId, metadata: metadata(at) }));
      const { body } = await call(images.images_set_metadata_bulk, { workspace, updates });
      await resultOf(platform.client, String(body.taskId));
    };
    await bulk(() => ({ lens: 40 }));
    const alike = await listed({ action: 'task:metadata', limit: 10 });
    // One image has other metadata already.
    expect(alike.entries.map(({ count }) => count).sort()).toEqual([1, 6]);
    expect(alike.entries[0]?.after).toMatchObject({ metadata: { lens: 40 } });
    const more = await Promise.all(
      Array.from({ length: 21 }, (_, at) => upload(platform.client, 'cells', 50 + at)),
    );
    const updates = more.map((imageId, at) => ({ imageId, metadata: { at } }));
    const { body } = await call(images.images_set_metadata_bulk, { workspace, updates });
    await resultOf(platform.client, String(body.taskId));
    const each = await newest({ action: 'task:metadata' });
    expect(each).toMatchObject({ count: 21 });
    expect(each?.after).toBeUndefined();
    expect(each?.images).toHaveLength(21);
  });

  it('that are deleted are named; a refused call leaves no trace', async () => {
    const { call } = platform.client;
    const gone = ids.splice(-2);
    await call(images.images_delete, { ...inCells, images: gone });
    const { total } = await listed();
    await expect(call(images.images_delete, { ...inCells, images: gone })).rejects.toThrow();
    expect(await newest()).toMatchObject({
      action: 'images_delete',
      verb: 'deleted',
      count: 2,
      names: ['6.png', '7.png'],
    });
    expect((await listed()).total).toBe(total);
  });
});

it('follows a version from its call through its task to its trash and back', async () => {
  const { call } = platform.client;
  const settings = { ...inCells, preprocessing: { 'auto-orient': true }, augmentation: {} };
  const { body } = await call(versions.versions_generate, settings);
  await resultOf(platform.client, String(body.taskId));
  await call(versions.versions_delete, { ...inCells, version: 1 });
  const { body: bin } = await call(trash.trash_list, { workspace });
  const [item] = bin.items.filter(({ type }) => type === 'version');
  const restored = { workspace, type: 'version', id: '1', parentId: item?.parentId } as const;
  await call(trash.trash_restore, restored);
  const { entries } = await listed({ kind: 'version' });
  expect(entries.map(({ action, verb, who }) => [action, verb, who])).toEqual([
    ['trash_restore', 'restored', 'environment'],
    ['versions_delete', 'deleted', 'environment'],
    ['task:version', 'finished', 'environment'],
    ['versions_generate', 'added', 'environment'],
  ]);
  expect(entries[3]).toMatchObject({
    thing_id: '1',
    after: { preprocessing: { 'auto-orient': true } },
  });
});

it('keeps names and scopes of keys and no secret; tells what a name was before', async () => {
  const { call } = platform.client;
  const { body: made } = await call(apiKeys.api_keys_create, { workspace, name: 'camera' });
  const { body: folder } = await call(folders.folders_create, { workspace, name: 'Old' });
  const { id } = Object(folder.folder ?? folder.group ?? folder);
  await call(folders.folders_update, { workspace, folderId: id, name: 'New' });
  expect(await newest({ kind: 'folder' })).toMatchObject({
    verb: 'changed',
    before: { name: 'Old' },
    after: { name: 'New' },
  });
  await call(folders.folders_delete, { workspace, folderId: id });
  expect(await newest({ kind: 'folder' })).toMatchObject({ verb: 'deleted', names: ['New'] });
  expect(await newest({ kind: 'api_key' })).toMatchObject({ verb: 'added', names: ['camera'] });
  expect(JSON.stringify(await listed({ limit: 100 }))).not.toContain(String(made.key));
});

describe('its filters and pages', () => {
  it('choose by time, tool, project and credential', async () => {
    const future = '2126-01-01T00:00:00Z';
    expect(await listed({ since: future })).toMatchObject({ total: 0, entries: [] });
    const { total } = await listed();
    expect((await listed({ until: future })).total).toBe(total);
    expect((await listed({ action: 'projects_create' })).total).toBe(1);
    expect((await listed({ project: 'cells', kind: 'folder' })).total).toBe(0);
    expect((await listed({ who: 'key:nobody' })).total).toBe(0);
    await expect(listed({ kind: 'picture' })).rejects.toMatchObject({
      upstream: { message: expect.stringContaining('the kinds are project, version, image') },
    });
    await expect(listed({ project: 'sells' })).rejects.toMatchObject({ code: 'not_found' });
  });

  it('go on behind an entry until there are no more', async () => {
    const { total } = await listed();
    const found: number[] = [];
    for (let before: number | undefined; ; ) {
      const page = await listed({ limit: 3, ...(before !== undefined && { before }) });
      found.push(...page.entries.map(({ id }) => id));
      before = page.next;
      if (before === undefined) break;
    }
    expect(found).toHaveLength(total);
    expect(found).toEqual([...new Set(found)].toSorted((a, b) => b - a));
  });
});
