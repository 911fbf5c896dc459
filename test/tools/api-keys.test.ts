// Keys whose rights are asked for in words.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Facts, type Fovea, launchFovea } from '../fixtures/fovea.ts';

let fovea: Fovea;

beforeAll(async () => {
  fovea = await launchFovea();
});

afterAll(() => fovea.close());

async function scopesOf(choice: Facts): Promise<readonly string[]> {
  const { keyId } = await fovea.ok('api_keys_create', { name: 'colleague', ...choice });
  const { apiKey } = await fovea.ok('api_keys_get', { keyId });
  return Object(apiKey).scopes;
}

test('a key that reads has no scope that writes, and none to see keys', async () => {
  const scopes = await scopesOf({ access: 'read' });
  expect(scopes).toContain('project:read');
  expect(scopes.filter((scope) => !scope.endsWith(':read'))).toEqual([]);
  expect(scopes).not.toContain('credentials:read');
  const both = await scopesOf({ access: 'read-write' });
  expect(both).toContain('image:create');
  expect(both.filter((scope) => scope.startsWith('credentials:'))).toEqual([]);
});

test.each([
  ['read', 'scopes that only read are workspace:read, project:read, image:read,'],
  ['workspace-and-project:read', 'those with :read are workspace:read, project:read,'],
  ['models:read', 'those with :read are workspace:read, project:read,'],
  ['images:read', String.raw`did you mean \"image:read\"?`],
  ['project:write', 'there are project:create, project:read, project:update'],
  ['imagess', String.raw`did you mean the section \"images\"?`],
])('the scope %s is refused, and never answered with a broader one', async (scope, words) => {
  const { isError, text } = await fovea.call('api_keys_create', { scopes: [scope] });
  expect(isError).toBe(true);
  expect(text).toContain(words);
});

test('beside a scope that is none stand all that there are, and what reading alone gives', async () => {
  const { keyId } = await fovea.ok('api_keys_create', { name: 'scopes', access: 'read' });
  const asked = { scopes: ['project:read', 'images'.repeat(3)] };
  for (const [tool, args] of [
    ['api_keys_create', asked],
    ['api_keys_update', { keyId, ...asked }],
  ] as const) {
    const { isError, text } = await fovea.call(tool, args);
    expect(isError).toBe(true);
    expect(text).toContain(
      'The scopes are openid, profile, email, workspace:read, project:create,',
    );
    expect(text).toContain(
      'batch:read, workspace-stats:read. access "read" in place of scopes gives',
    );
    expect(text).toContain(' gives workspace:read, project:read, image:read, model-eval:read,');
  }
  const { text } = await fovea.call('api_keys_update', { keyId: 'none', scopes: ['image:read'] });
  expect(text).not.toContain('The scopes are');
});

test('the secret of a new key stands before the data by others', async () => {
  const { text, data } = await fovea.call('api_keys_create', { name: 'robot', access: 'read' });
  const [first] = text.split('Data by others');
  expect(first).toContain(`Its secret, shown only now: ${String(data.key)}\n`);
});

test('rights are asked for in one way', async () => {
  const { text } = await fovea.call('api_keys_create', { access: 'read', fullAccess: true });
  expect(text).toContain('scopes: give one of scopes, access, fullAccess');
});

async function tried(choice: Facts): Promise<{ text: string; data: Facts }> {
  const { keyId } = await fovea.ok('api_keys_create', choice);
  return fovea.call('api_keys_try', { keyId });
}

test.each([
  ['label', 'image:annotate', 'image:create'],
  ['upload', 'image:create', 'project:update'],
  ['infer', 'model:infer', 'project:read'],
])('the role %s has %s, and not %s', async (access, has, lacks) => {
  const scopes = await scopesOf({ access });
  expect(scopes).toContain(has);
  expect(scopes).not.toContain(lacks);
});

test('a key is tried without its secret', async () => {
  const { text, data } = await tried({ name: 'reader', access: 'read' });
  expect(text).toMatch(/may call \d+ of \d+ operations, in all projects\./);
  expect(data).toMatchObject({
    reads: expect.arrayContaining(['projects_get', 'workspace_search', 'images_get']),
    removes: [],
    missing_scopes: { 'image:create': 3 },
    projects: 'all',
  });
  // API: the export of a search is read, and makes a file.
  expect(data.writes).toEqual(['search_export_start']);
  expect(data).not.toHaveProperty('key');
});

test('a key of folders sees the projects below them, and no others', async () => {
  for (const name of ['One', 'Two', 'Three']) {
    await fovea.ok('projects_create', { name, type: 'object-detection', annotation: 'cells' });
  }
  const { id } = await fovea.ok('folders_create', { name: 'Upper', projects: ['one'] });
  await fovea.ok('folders_create', { name: 'Lower', projects: ['two'], parent_id: id });
  const { text, data } = await tried({ access: 'read', folderIds: [id] });
  expect(text).toContain('in 2 projects. What concerns the whole workspace, such as keys,');
  expect(data.projects).toEqual(['one', 'two']);
});

test('a disabled key is said to be so; a key of full access may do everything', async () => {
  const { keyId } = await fovea.ok('api_keys_create', { fullAccess: true });
  await fovea.ok('api_keys_update', { keyId, disabled: true });
  const { text, data } = await fovea.call('api_keys_try', { keyId });
  expect(text).toContain('It is disabled: every call is refused until it is enabled.');
  expect(data).toMatchObject({ missing_scopes: {}, disabled: true });
});

test('a key that is not there is named so', async () => {
  const { text } = await fovea.call('api_keys_try', { keyId: 'none' });
  expect(text).toContain('There is no API key with this keyId.');
});
