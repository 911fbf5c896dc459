// The trash: what is in it cannot be reached, and what comes back comes back whole.

import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { images } from '../../src/contract/images.ts';
import { projects } from '../../src/contract/projects.ts';
import { trainingExtensions, trainings } from '../../src/contract/trainings.ts';
import { trash } from '../../src/contract/trash.ts';
import { versions } from '../../src/contract/versions.ts';
import { workspace } from '../../src/contract/workspace.ts';
import { testImage } from '../fixtures/images.ts';
import { startTestPlatform, type TestPlatform } from '../fixtures/platform.ts';
import { annotate, refusal, resultOf } from './labelled-projects.ts';

const inProject = { workspace: 'acme', project: 'cells' };
const inVersion = { ...inProject, version: 1 };
const wanted = { ...inVersion, format: 'coco' };
let platform: TestPlatform;
let imageId: string;
let link: string;

beforeAll(async () => {
  // It trains for as long as it is let.
  const args = ['-e', 'setInterval(() => {}, 1000)'];
  platform = await startTestPlatform({ trainer: { path: process.execPath, args, name: 'slow' } });
  const { call } = platform.client;
  await createProject();
  const file = { name: 'one.png', content: await testImage(1) };
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
  const file = { name: 'two.png', content: await testImage(2) };
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
    ...inProject,
    preprocessing: {},
    augmentation: {},
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

it('says of each thing what it belongs to, who deleted it, and when it goes for good', async () => {
  const { call } = platform.client;
  const { body: project } = await call(projects.projects_get, inProject);
  await call(versions.versions_delete, inVersion);
  const { body: gone } = await call(projects.projects_delete, inProject);
  const { body } = await call(trash.trash_list, { workspace: 'acme' });
  const [first, second] = body.items;
  expect(first).toMatchObject({
    type: 'project',
    id: gone.id,
    name: 'Cells',
    url: 'cells',
    deletedBy: 'environment',
  });
  expect(second).toMatchObject({
    type: 'version',
    id: '1',
    name: project.versions.at(-1)?.name,
    url: 'cells/1',
    deletedBy: 'environment',
    parentId: gone.id,
    parentName: 'Cells',
    parentUrl: 'cells',
  });
  expect(body.sections).toEqual({
    projects: [first],
    versions: [second],
    trainings: [],
    workflows: [],
    images: [],
  });
  const time = (text: unknown) => Date.parse(String(text));
  const days = (time(first?.scheduledCleanupAt) - time(first?.deletedAt)) / 86_400_000;
  expect(days).toBe(30);
  await call(trash.trash_restore, { workspace: 'acme', type: 'project', id: gone.id ?? '' });
  const version = { workspace: 'acme', type: 'version', id: '1', parentId: gone.id ?? '' } as const;
  await call(trash.trash_restore, version);
  expect((await call(trash.trash_list, { workspace: 'acme' })).body.items).toEqual([]);
});

it('gives a training back once its project and its version are back', async () => {
  const { call } = platform.client;
  await annotate(platform.client, 'cells', imageId, ['cat']);
  const { body: made } = await call(versions.versions_generate, {
    ...inProject,
    preprocessing: {},
    augmentation: {},
  });
  await resultOf(platform.client, String(made.taskId));
  const version = Number(made.version);
  const ofVersion = { ...inProject, version };
  const { body: started } = await call(trainingExtensions.trainings_start, ofVersion);
  const { trainingId } = started;
  await call(trainings.trainings_delete, { ...ofVersion, trainingId });
  const restore = { workspace: 'acme', type: 'training', id: trainingId } as const;
  await call(versions.versions_delete, ofVersion);
  const { body: gone } = await call(projects.projects_delete, inProject);
  const parentId = gone.id ?? '';

  expect(await refusal(call(trash.trash_restore, restore))).toEqual({
    status: 409,
    message: 'Its project is in the trash too.',
    hint: `Restore the project ${parentId} first.`,
  });
  await call(trash.trash_restore, { workspace: 'acme', type: 'project', id: parentId });
  expect(await refusal(call(trash.trash_restore, restore))).toEqual({
    status: 409,
    message: 'Its version is in the trash too.',
    hint: `Restore the version ${version} of the project ${parentId} first.`,
  });
  const id = String(version);
  await call(trash.trash_restore, { workspace: 'acme', type: 'version', id, parentId });
  const listed = async () =>
    (await call(trainingExtensions.trainings_list, ofVersion)).body.trainings;
  expect(await listed()).toEqual([]);
  expect((await call(trash.trash_list, { workspace: 'acme' })).body.items).toMatchObject([
    { type: 'training', id: trainingId, parentId, parentName: `Cells, version ${version}` },
  ]);
  await call(trash.trash_restore, { ...restore, parentId });
  expect((await listed()).map((training) => training.trainingId)).toEqual([trainingId]);
});

it('ends the trainings of a project that goes to the trash', async () => {
  const { call } = platform.client;
  const { body: shown } = await call(projects.projects_get, inProject);
  const [newest] = shown.versions;
  const version = Number(String(newest?.id).split('/').at(-1));
  const { body: started } = await call(trainingExtensions.trainings_start, {
    ...inProject,
    version,
  });
  const { body: gone } = await call(projects.projects_delete, inProject);
  await call(trash.trash_restore, { workspace: 'acme', type: 'project', id: gone.id ?? '' });
  const { body } = await call(trainingExtensions.trainings_list, { ...inProject, version });
  const run = body.trainings.find(({ trainingId }) => trainingId === started.trainingId);
  expect(run?.status).toBe('cancelled');
});

it('shows nothing of another workspace, and gives nothing back to it', async () => {
  const other = await platform.otherWorkspace();
  const { call } = platform.client;
  const { body: gone } = await call(projects.projects_delete, inProject);
  const theirs = { workspace: other.slug };
  const { body } = await other.client.call(trash.trash_list, theirs);
  expect(body.items).toEqual([]);
  const restore = { type: 'project', id: gone.id ?? '' } as const;
  const refused = other.client.call(trash.trash_restore, { ...theirs, ...restore });
  expect((await refusal(refused)).status).toBe(404);
  const foreign = other.client.call(trash.trash_restore, { workspace: 'acme', ...restore });
  expect((await refusal(foreign)).status).toBe(403);
  await call(trash.trash_restore, { workspace: 'acme', ...restore });
});

it('does not take one kind for another, or a version of another project', async () => {
  const { call } = platform.client;
  await call(versions.versions_delete, inVersion);
  const { body } = await call(trash.trash_list, { workspace: 'acme' });
  const [version] = body.items;
  const wrong = [
    { type: 'project', id: '1' },
    { type: 'training', id: '1' },
    { type: 'workflow', id: '1' },
    { type: 'version', id: '1', parentId: 'somewhere' },
    { type: 'version', id: '01', parentId: String(version?.parentId) },
    { type: 'project', id: String(version?.parentId) },
  ] as const;
  for (const item of wrong) {
    const answer = await refusal(call(trash.trash_restore, { workspace: 'acme', ...item }));
    expect(answer.status).toBe(404);
  }
});
