// Folders over HTTP: a tree of projects, changed all at once or not at all.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { folderExtensions, folders } from '../../src/contract/folders.ts';
import type { Input } from '../../src/contract/operation.ts';
import { projects } from '../../src/contract/projects.ts';
import { trash } from '../../src/contract/trash.ts';
import { startTestPlatform, type TestPlatform } from '../fixtures/platform.ts';
import { createProject, refusal } from './labelled-projects.ts';

const workspace = 'acme';
let platform: TestPlatform;

beforeAll(async () => {
  platform = await startTestPlatform();
});

afterAll(() => platform.close());

type NewFolder = Pick<
  Input<typeof folders.folders_create>,
  'name' | 'projects' | 'parent_id' | 'external_id' | 'auth_groups'
>;

async function create(input: NewFolder): Promise<string> {
  const { call } = platform.client;
  const { status, body } = await call(folders.folders_create, { workspace, ...input });
  expect(status).toBe(201);
  return body.id;
}

async function show(folderId: string) {
  const { call } = platform.client;
  const { body } = await call(folders.folders_list, { workspace, groupId: folderId });
  return body.data[0];
}

async function change(folderId: string, input: object) {
  const { call } = platform.client;
  const { body } = await call(folders.folders_update, {
    workspace,
    folderId,
    returnUpdated: true,
    ...input,
  });
  return body.data?.[0];
}

it('keeps all that it is given, and what is left out of a change', async () => {
  const slug = await createProject(platform.client, 'Cells');
  const parent = await create({ name: 'Microscopy' });
  const id = await create({
    name: 'Blood',
    projects: [slug],
    parent_id: parent,
    external_id: 'lims-7',
    auth_groups: { read: ['lab'], write: [] },
  });
  const shown = {
    id,
    name: 'Blood',
    projects: [slug],
    parent_id: parent,
    external_id: 'lims-7',
    auth_groups: { read: ['lab'], write: [] },
    created: expect.stringMatching(/^\d{4}-/),
    updated: expect.stringMatching(/^\d{4}-/),
  };
  expect(await show(id)).toEqual(shown);
  expect(await change(id, { name: 'Smears' })).toEqual({ ...shown, name: 'Smears' });
  expect(await change(id, { parent_id: null })).toMatchObject({ parent_id: null, name: 'Smears' });
  const { call } = platform.client;
  const silent = await call(folders.folders_update, { workspace, folderId: id, name: 'Blood' });
  expect([silent.status, silent.body]).toEqual([200, {}]);
  const { body } = await call(folders.folders_list, { workspace });
  expect(body.data.map(({ name }) => name)).toEqual(['Blood', 'Microscopy']);
});

it('has a project in one folder at most', async () => {
  const { call } = platform.client;
  const slug = await createProject(platform.client, 'Wanderer');
  const other = await createProject(platform.client, 'Stayer');
  const first = await create({ name: 'From', projects: [slug, other] });
  const second = await create({ name: 'To' });
  const put = { workspace, folderId: second, projects: [slug] };
  expect((await call(folders.folders_set_projects, put)).status).toBe(204);
  expect(await show(first)).toMatchObject({ projects: [other] });
  expect(await show(second)).toMatchObject({ projects: [slug] });
  const out = { ...put, operation: 'remove' } as const;
  await call(folders.folders_set_projects, out);
  expect(await show(second)).toMatchObject({ projects: [] });
  const again = await refusal(call(folders.folders_set_projects, out));
  expect(again).toMatchObject({ status: 400 });
  expect(again.message).toContain('"wanderer" is not in this folder');
  const last = { workspace, folderId: first, projects: [other] };
  expect((await call(folderExtensions.folders_remove_projects, last)).status).toBe(204);
  expect(await show(first)).toMatchObject({ projects: [] });
});

it('replaces the projects of a folder when a change names them', async () => {
  const [one, two, three] = await Promise.all(
    ['Uno', 'Due', 'Tre'].map((name) => createProject(platform.client, name)),
  );
  const id = await create({ name: 'Numbers', projects: [one ?? '', two ?? ''] });
  expect(await change(id, { projects: [two, three] })).toMatchObject({ projects: ['due', 'tre'] });
});

it('puts all of the projects, or none', async () => {
  const { call } = platform.client;
  const slug = await createProject(platform.client, 'Whole');
  const folderId = await create({ name: 'Half' });
  const input = { workspace, folderId, projects: [slug, 'whol'] };
  const { status, message } = await refusal(call(folders.folders_set_projects, input));
  expect(status).toBe(400);
  expect(message).toBe('projects[1]: there is no project "whol"; did you mean "whole"?');
  expect(await show(folderId)).toMatchObject({ projects: [] });
  const { message: refused } = await refusal(
    call(folders.folders_create, { workspace, name: 'New', projects: ['nowhere'] }),
  );
  expect(refused).toContain('projects[0]');
  const { body } = await call(folders.folders_list, { workspace });
  expect(body.data.map(({ name }) => name)).not.toContain('New');
});

it('gives what a deleted folder held to the one above', async () => {
  const { call } = platform.client;
  const slug = await createProject(platform.client, 'Orphan');
  const gone = await createProject(platform.client, 'Trashed');
  const top = await create({ name: 'Top' });
  const middle = await create({ name: 'Middle', parent_id: top, projects: [slug, gone] });
  const bottom = await create({ name: 'Bottom', parent_id: middle });
  const { body } = await call(projects.projects_delete, { workspace, project: gone });
  expect(await show(middle)).toMatchObject({ projects: [slug] });
  const { status } = await call(folders.folders_delete, { workspace, folderId: middle });
  expect(status).toBe(204);
  expect(await show(top)).toMatchObject({ projects: [slug] });
  expect(await show(bottom)).toMatchObject({ parent_id: top });
  await call(trash.trash_restore, { workspace, type: 'project', id: body.id ?? '' });
  expect(await show(top)).toMatchObject({ projects: [slug, gone] });
  await call(folders.folders_delete, { workspace, folderId: top });
  expect(await show(bottom)).toMatchObject({ parent_id: null });
  expect((await call(projects.projects_get, { workspace, project: slug })).status).toBe(200);
});

describe('refuses', () => {
  it('a second folder of one name at one place, and no other', async () => {
    const { call } = platform.client;
    const id = await create({ name: 'Twin' });
    const again = await refusal(call(folders.folders_create, { workspace, name: 'Twin' }));
    expect(again).toMatchObject({ status: 409, hint: expect.stringContaining(id) });
    const below = await create({ name: 'Twin', parent_id: id });
    const up = await refusal(
      call(folders.folders_update, { workspace, folderId: below, parent_id: null }),
    );
    expect(up.status).toBe(409);
    const remove = await refusal(call(folders.folders_delete, { workspace, folderId: id }));
    // Its one folder takes its place, and its name is free then.
    expect(remove.status).toBe(200);
    expect(await show(below)).toMatchObject({ name: 'Twin', parent_id: null });
  });

  it('a deletion that would put two of one name side by side', async () => {
    const { call } = platform.client;
    const id = await create({ name: 'Outer' });
    await create({ name: 'Same', parent_id: id });
    await create({ name: 'Same' });
    const answer = await refusal(call(folders.folders_delete, { workspace, folderId: id }));
    expect(answer.status).toBe(409);
    expect(await show(id)).toMatchObject({ name: 'Outer' });
  });

  it('folders in a circle, below themselves, or too deep', async () => {
    const { call } = platform.client;
    const ids = [await create({ name: 'Level 1' })];
    for (let level = 2; level <= 10; level += 1) {
      ids.push(await create({ name: `Level ${level}`, parent_id: ids.at(-1) ?? '' }));
    }
    const [first = ''] = ids;
    const last = ids.at(-1) ?? '';
    const deeper = { workspace, name: 'Level 11', parent_id: last };
    const refused = [
      await refusal(call(folders.folders_create, deeper)),
      await refusal(call(folders.folders_update, { workspace, folderId: first, parent_id: last })),
      await refusal(call(folders.folders_update, { workspace, folderId: first, parent_id: first })),
    ];
    expect(refused.map(({ status }) => status)).toEqual([400, 400, 400]);
    expect(refused.map(({ message }) => message)).toEqual([
      'parent_id: folders go 10 deep at most',
      'parent_id: a folder cannot be below itself',
      'parent_id: a folder cannot be below itself',
    ]);
    const tall = await create({ name: 'Tower' });
    const short = { workspace, folderId: first, parent_id: tall };
    expect((await refusal(call(folders.folders_update, short))).status).toBe(400);
    expect(await show(first)).toMatchObject({ parent_id: null });
  });

  it('what is not there', async () => {
    const { call } = platform.client;
    const at = { workspace, folderId: 'nowhere' };
    const answers = [
      call(folders.folders_list, { workspace, groupId: 'nowhere' }),
      call(folders.folders_update, { ...at, name: 'x' }),
      call(folders.folders_delete, at),
      call(folders.folders_set_projects, { ...at, projects: [] }),
      call(folderExtensions.folders_remove_projects, { ...at, projects: [] }),
    ];
    const statuses = await Promise.all(
      answers.map(async (answer) => (await refusal(answer)).status),
    );
    expect(statuses).toEqual([404, 404, 404, 404, 404]);
    const parent = { workspace, name: 'Child', parent_id: 'nowhere' };
    expect(await refusal(call(folders.folders_create, parent))).toMatchObject({
      status: 400,
      message: 'parent_id: there is no folder "nowhere"',
    });
  });
});

it('keeps the folders and projects of another workspace out of sight and reach', async () => {
  const { call } = platform.client;
  const other = await platform.otherWorkspace();
  const theirs = { workspace: other.slug };
  const { body } = await other.client.call(folders.folders_create, { ...theirs, name: 'Theirs' });
  const folderId = body.id;
  const { body: made } = await other.client.call(projects.projects_create, {
    ...theirs,
    name: 'Secret',
    type: 'object-detection',
    annotation: 'things',
  });
  expect(made.id).toBe('globex/secret');
  const answers = [
    call(folders.folders_list, { workspace, groupId: folderId }),
    call(folders.folders_update, { workspace, folderId, name: 'Ours' }),
    call(folders.folders_delete, { workspace, folderId }),
    call(folders.folders_set_projects, { workspace, folderId, projects: [] }),
  ];
  const statuses = await Promise.all(answers.map(async (answer) => (await refusal(answer)).status));
  expect(statuses).toEqual([404, 404, 404, 404]);
  const stolen = { workspace, name: 'Stolen', projects: ['secret'] };
  expect((await refusal(call(folders.folders_create, stolen))).status).toBe(400);
  const below = { workspace, name: 'Below', parent_id: folderId };
  expect((await refusal(call(folders.folders_create, below))).status).toBe(400);
  const { body: list } = await other.client.call(folders.folders_list, theirs);
  expect(list.data).toMatchObject([{ name: 'Theirs', projects: [] }]);
});
