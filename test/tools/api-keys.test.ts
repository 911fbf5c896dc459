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

test('the secret of a new key stands before the data by others', async () => {
  const { text, data } = await fovea.call('api_keys_create', { name: 'robot', access: 'read' });
  const [first] = text.split('Data by others');
  expect(first).toContain(`Its secret, shown only now: ${String(data.key)}\n`);
});

test('rights are asked for in one way', async () => {
  const { text } = await fovea.call('api_keys_create', { access: 'read', fullAccess: true });
  expect(text).toContain('scopes: give one of scopes, access, fullAccess');
});
