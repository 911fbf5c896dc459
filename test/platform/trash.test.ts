// The trash: what is in it cannot be reached, and what comes back comes back whole.

import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { images } from '../../src/contract/images.ts';
import { projects } from '../../src/contract/projects.ts';
import { trash } from '../../src/contract/trash.ts';
import { versions } from '../../src/contract/versions.ts';
import { workspace } from '../../src/contract/workspace.ts';
import { picture } from '../fixtures/pictures.ts';
import { startTestPlatform, type TestPlatform } from '../fixtures/platform.ts';

const inProject = { workspace: 'acme', project: 'cells' };
const inVersion = { ...inProject, version: 1 };
const wanted = { ...inVersion, format: 'coco' };
let platform: TestPlatform;
let imageId: string;
let link: string;

beforeAll(async () => {
  platform = await startTestPlatform();
  const { call } = platform.client;
  await createProject();
  const file = { name: 'one.png', content: await picture(1) };
  const { body } = await call(images.images_upload, { project: 'cells', file, tag: ['a'] });
  imageId = body.id;
  await call(versions.versions_generate, { ...inProject, preprocessing: {}, augmentation: {} });
  link = await exportLink();
});

afterAll(() => platform.close());

async function createProject() {
  const { body } = await platform.client.call(projects.projects_create, {
    workspace: 'acme',
    name: 'Cells',
    type: 'object-detection',
    annotation: 'cells',
  });
  return body.id;
}

async function exportLink(): Promise<string> {
  for (;;) {
    const answer = await platform.client
      .call(versions.versions_export, wanted)
      .catch(({ code }) => ({ body: { export: undefined }, code }));
    if (answer.body.export) return answer.body.export.link;
    await delay(20);
  }
}

async function codeOf(answer: Promise<unknown>): Promise<unknown> {
  return answer.then(
    () => 'answered',
    ({ code }) => code,
  );
}

it('hides all of a project, keeps its slug, and gives all of it back', async () => {
  const { call } = platform.client;
  const everything = async () => [
    (await call(projects.projects_get, inProject)).body,
    (await call(projects.projects_health, inProject)).body,
    (await call(versions.versions_get, inVersion)).body,
    (await call(images.batches_list, inProject)).body,
    (await call(images.images_get, { ...inProject, imageId })).body.image.tags,
  ];
  const before = await everything();
  const { body: gone } = await call(projects.projects_delete, inProject);
  const file = { name: 'two.png', content: await picture(2) };
  const metadata = { a: 1 };
  const calls = [
    call(projects.projects_get, inProject),
    call(projects.projects_health, inProject),
    call(versions.versions_get, inVersion),
    call(versions.versions_export, wanted),
    call(versions.versions_generate, { ...inProject, preprocessing: {}, augmentation: {} }),
    call(versions.versions_delete, inVersion),
    call(images.images_get, { ...inProject, imageId }),
    call(images.images_upload, { project: 'cells', file }),
    call(images.images_set_metadata, { workspace: 'acme', imageId, metadata }),
    call(images.images_delete, { ...inProject, images: [imageId] }),
    call(images.batches_list, inProject),
  ];
  expect(await Promise.all(calls.map(codeOf))).toEqual(calls.map(() => 'not_found'));
  const { body: shown } = await call(workspace.workspace_get, { workspace: 'acme' });
  expect(shown.workspace).toMatchObject({ projects: [] });
  expect(await createProject()).toBe('acme/cells-2');

  const restore = { workspace: 'acme', type: 'project', id: gone.id ?? '' } as const;
  await call(trash.trash_restore, restore);
  expect(await everything()).toEqual(before);
  expect((await fetch(link)).status).toBe(200);
  expect(await codeOf(call(trash.trash_restore, restore))).toBe('not_found');
});

it('gives a version back only into a project that is there, and no number twice', async () => {
  const { call } = platform.client;
  const { body: gone } = await call(versions.versions_delete, inVersion);
  const { id = '' } = gone;
  const parentId = String(gone.parentId);
  const restore = { workspace: 'acme', type: 'version', id, parentId } as const;
  const { body: next } = await call(versions.versions_generate, {
    ...{ ...inProject, preprocessing: {}, augmentation: {} },
  });
  expect(next.version).toBe(2);
  await call(projects.projects_delete, inProject);
  await expect(call(trash.trash_restore, restore)).rejects.toMatchObject({
    upstream: { status: 409, hint: expect.stringContaining(parentId) },
  });
  await call(trash.trash_restore, { workspace: 'acme', type: 'project', id: parentId });
  await call(trash.trash_restore, restore);
  expect((await call(versions.versions_get, inVersion)).body.version.images).toBe(1);
  const without = { workspace: 'acme', type: 'version', id } as const;
  await expect(call(trash.trash_restore, without)).rejects.toMatchObject({
    upstream: { status: 400, message: expect.stringContaining('parentId') },
  });
});
