// Lists of projects, versions and tasks as a model has them: over MCP, on a platform of its own.

import { resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildToolList } from '../../scripts/generate/build-tool-list.ts';
import { toolsListEntries } from '../../src/mcp/tools-list-entries.ts';
import { tools } from '../../tools/index.ts';
import { type Facts, type Fovea, launchFovea } from '../fixtures/fovea.ts';

let fovea: Fovea;

beforeAll(async () => {
  fovea = await launchFovea();
  const project = (name: string, type: string) =>
    fovea.ok('projects_create', { name, type, annotation: 'x' });
  await project('Cells', 'object-detection');
  await project('Moods', 'multi-label-classification');
  await project('Digits', 'single-label-classification');
  const files = [resolve('sample/blood-cells/JPEGImages/BloodImage_00040.jpg')];
  await fovea.ok('images_upload', { project: 'cells', files });
  for (const preprocessing of [{}, { 'auto-orient': true }]) {
    const settings = { project: 'cells', preprocessing, augmentation: {} };
    const { taskId } = await fovea.ok('versions_generate', settings);
    await fovea.ok('tasks_wait', { taskId });
  }
});

afterAll(() => fovea.close());

function rows(answer: Facts, name: string): readonly Facts[] {
  const list = answer[name];
  return Array.isArray(list) ? list : [];
}

describe('a workspace without projects', () => {
  it('says how many deleted ones can be restored', async () => {
    const empty = await launchFovea();
    try {
      expect((await empty.call('projects_list')).text).toContain('0 projects.');
      expect((await empty.call('workspace_get')).text).not.toContain('deleted');
      for (const name of ['One', 'Two']) {
        await empty.ok('projects_create', { name, type: 'object-detection', annotation: 'x' });
        await empty.ok('projects_delete', { project: name.toLowerCase() });
      }
      for (const tool of ['projects_list', 'workspace_get']) {
        const { text, data } = await empty.call(tool);
        expect(text).toContain('0 projects. 2 deleted projects can be restored: trash_list.');
        expect(data).toMatchObject({ next: [{ tool: 'trash_list' }] });
      }
      await empty.ok('projects_create', {
        name: 'Three',
        type: 'object-detection',
        annotation: 'x',
      });
      expect((await empty.call('projects_list')).text).not.toContain('deleted');
    } finally {
      await empty.close();
    }
  });
});

describe('projects_list', () => {
  const listed = async (args: Facts) =>
    rows(await fovea.ok('projects_list', args), 'projects').map(({ id }) => id);

  it('finds projects by letters of the name and by type', async () => {
    expect(await listed({ name: 'CELL' })).toEqual(['local/cells']);
    expect(await listed({ type: 'multi-label-classification' })).toEqual(['local/moods']);
    expect(await listed({ type: 'single-label-classification' })).toEqual(['local/digits']);
    expect(await listed({ name: 'nothing' })).toEqual([]);
  });

  it('gives a page, and says where the next one begins', async () => {
    const { data, text } = await fovea.call('projects_list', { limit: 2 });
    expect(rows(data, 'projects')).toHaveLength(2);
    expect(data).toMatchObject({ paging: { total: 3, shown: 2, truncated: true } });
    expect(text).toContain('3 projects');
    expect(await listed({ limit: 2, offset: 2 })).toHaveLength(1);
  });
});

it('versions_list tells of each version what was done, the newest first', async () => {
  const answer = await fovea.ok('versions_list', { project: 'cells' });
  expect(rows(answer, 'versions')).toMatchObject([
    { id: 'local/cells/2', images: 1, preprocessing: ['auto-orient'], augmentation: [] },
    { id: 'local/cells/1', images: 1, preprocessing: [], augmentation: [] },
  ]);
});

describe('tasks_list', () => {
  it('tells what each task does, the newest first', async () => {
    const { data, text } = await fovea.call('tasks_list');
    expect(rows(data, 'tasks')).toMatchObject([
      { kind: 'version', status: 'completed', updated: expect.any(String) },
      { kind: 'version', status: 'completed', created: expect.any(String) },
    ]);
    expect(text).toContain('2 tasks');
  });

  it('filters by state and kind, and refuses a state that there is not', async () => {
    expect(rows(await fovea.ok('tasks_list', { status: 'failed' }), 'tasks')).toEqual([]);
    expect(rows(await fovea.ok('tasks_list', { kind: 'version' }), 'tasks')).toHaveLength(2);
    expect(rows(await fovea.ok('tasks_list', { kind: 'zip' }), 'tasks')).toEqual([]);
    const wrong = await fovea.call('tasks_list', { status: 'done' });
    expect(wrong.isError).toBe(true);
    expect(wrong.text).toContain('completed');
  });

  it('is not listed beside a hosted platform, which has no such operation', () => {
    const settings = { workspace: undefined, project: undefined, toolsets: undefined };
    const named = (baseUrl: string | undefined) =>
      toolsListEntries(buildToolList(tools), {
        ...settings,
        readOnly: false,
        toolProfile: 'full',
        baseUrl,
      }).map(({ name }) => name);
    expect(named(undefined)).toContain('tasks_list');
    expect(named('https://api.example.com')).not.toContain('tasks_list');
    expect(named('https://api.example.com')).toContain('versions_list');
  });
});

it('versions_diff says in words what changed', async () => {
  const { text, data } = await fovea.call('versions_diff', { project: 'cells', from: 1, to: 2 });
  expect(text).toContain('From version 1 to 2: 1 setting changed; source images: 0 added');
  expect(data).toMatchObject({
    settings: [{ setting: 'preprocessing.auto-orient', to: true }],
    unchanged: 1,
  });
});

it('projects_get says of what it counts rows', async () => {
  const { text } = await fovea.call('projects_get', { project: 'moods' });
  expect(text).toContain('0 versions in all; 0 shown');
});

it('a project is restored by its slug, and the answer names it', async () => {
  await fovea.ok('projects_delete', { project: 'digits' });
  const { text } = await fovea.call('trash_restore', { type: 'project', id: 'digits' });
  expect(text).toMatch(/Restored the project .*Digits.* \(.*digits.*\)\./);
  expect(text).toContain('Next: projects_get {"workspace":"local","project":"digits"}');
});
