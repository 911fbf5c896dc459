// Projects on the platform, through its HTTP API.

import { afterAll, beforeAll, expect, it } from 'vitest';
import { projects } from '../../src/contract/projects.ts';
import { trash } from '../../src/contract/trash.ts';
import { workspace } from '../../src/contract/workspace.ts';
import { startTestPlatform, type TestPlatform } from '../fixtures/platform.ts';

let platform: TestPlatform;

beforeAll(async () => {
  platform = await startTestPlatform();
});

afterAll(() => platform.close());

const cells = {
  workspace: 'acme',
  name: 'Blood cells',
  type: 'object-detection',
  annotation: 'cells',
} as const;

it('creates a project; a second one of the same name gets a slug of its own', async () => {
  const { call } = platform.client;
  const first = await call(projects.projects_create, cells);
  const second = await call(projects.projects_create, { ...cells, license: 'MIT' });
  expect(first.status).toBe(201);
  expect(first.body).toMatchObject({ id: 'acme/blood-cells', name: 'Blood cells', images: 0 });
  expect(first.body).not.toHaveProperty('slug_taken');
  expect(second.body).toMatchObject({
    id: 'acme/blood-cells-2',
    license: 'MIT',
    slug_taken: 'blood-cells',
  });
  const { body } = await call(workspace.workspace_get, { workspace: 'acme' });
  expect(body.workspace).toMatchObject({
    url: 'acme',
    projects: [{ id: 'acme/blood-cells' }, { id: 'acme/blood-cells-2' }],
  });
});

it.each([
  ['images_search', '/acme/none-yet/search', {}],
  ['workspace_search', '/acme/search/v1', { query: 'project:none-yet (*)' }],
  ['workspace_search', '/acme/search/v1', { query: 'project:none-yet' }],
])('says that a project is empty: %s %s %j', async (_name, path, body) => {
  const known = await fetch(`${platform.url}/acme/none-yet?api_key=${platform.key}`);
  if (known.status === 404) {
    await platform.client.call(projects.projects_create, { ...cells, name: 'None yet' });
  }
  const answer = await fetch(`${platform.url}${path}?api_key=${platform.key}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  expect(await answer.json()).toMatchObject({ notes: ['There is no image in this project yet.'] });
});

it('gives a name that would hide the project another slug, and refuses one without letters', async () => {
  const { call } = platform.client;
  const { body } = await call(projects.projects_create, { ...cells, name: 'Trash' });
  expect(body.id).toBe('acme/trash-project');
  await expect(call(projects.projects_create, { ...cells, name: '???' })).rejects.toMatchObject({
    upstream: { status: 400, message: expect.stringContaining('name') },
  });
});

it('refuses a type that there is not, and says which there are', async () => {
  const answer = await fetch(`${platform.url}/acme/projects?api_key=${platform.key}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'x', type: 'object-detektion', annotation: 'x' }),
  });
  expect(answer.status).toBe(400);
  expect(await answer.text()).toMatch(/type.*object-detection/);
});

it('names the projects that are there when one is not', async () => {
  const missing = platform.client.call(projects.projects_get, { workspace: 'acme', project: 'x' });
  await expect(missing).rejects.toMatchObject({
    code: 'not_found',
    upstream: { status: 404, hint: expect.stringContaining('blood-cells') },
  });
});

it('shows the health of an empty project without dividing by nothing', async () => {
  const at = { workspace: 'acme', project: 'blood-cells-2' };
  const { body } = await platform.client.call(projects.projects_health, at);
  expect(body.stats).toEqual({
    numImages: 0,
    numAnnotations: 0,
    avgImageSize: [0, 0],
    medianImageRatio: 0,
    missingAnnotations: 0,
    nullAnnotations: 0,
    classDistribution: {},
  });
});

it('moves a project to the trash and back', async () => {
  const { call } = platform.client;
  const at = { workspace: 'acme', project: 'blood-cells-2' };
  const { body: gone } = await call(projects.projects_delete, at);
  expect(gone).toMatchObject({ deleted: true, type: 'project' });
  await expect(call(projects.projects_get, at)).rejects.toMatchObject({ code: 'not_found' });
  await expect(call(projects.projects_delete, at)).rejects.toMatchObject({ code: 'not_found' });
  const { body: bin } = await call(trash.trash_list, { workspace: 'acme' });
  expect(bin.sections?.projects).toMatchObject([{ type: 'project', name: 'Blood cells' }]);
  const id = gone.id ?? '';
  await call(trash.trash_restore, { workspace: 'acme', type: 'project', id });
  expect((await call(projects.projects_get, at)).body.project.id).toBe('acme/blood-cells-2');
});
