// Keys and folders over HTTP: a member that is not known could have been a restriction, so nothing
// is made or changed by a request that has one.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestPlatform, type TestPlatform } from '../fixtures/platform.ts';
import { makeFolder, makeKey, messageOf, send, typeOf } from './api-key-requests.ts';

let platform: TestPlatform;

beforeAll(async () => {
  platform = await startTestPlatform();
});

afterAll(() => platform.close());

const admin = (line: string, body?: unknown) => send(platform, platform.key, line, body);

test.each([
  [{ access: 'read' }, 'access: is not known; did you mean "scopes"?'],
  [{ role: 'label' }, 'role: is not known; did you mean "scopes"?'],
  [{ scope: [] }, 'scope: is not known; did you mean "scopes"?'],
  [{ folder_ids: [] }, 'folder_ids: is not known; did you mean "folderIds"?'],
  [
    { expires: '2026-12-01' },
    'expires: is not known; known are name, scopes, folderIds, customMetadata, protected',
  ],
])('no key is made by %j', async (body, message) => {
  const before = await admin('GET /acme/api-keys');
  const answer = await admin('POST /acme/api-keys', { name: 'camera', ...body });
  expect(answer.status).toBe(400);
  expect(typeOf(answer)).toBe('invalid_input');
  expect(messageOf(answer)).toBe(message);
  expect((await admin('GET /acme/api-keys')).body).toEqual(before.body);
});

test('no key is changed', async () => {
  const { keyId } = await makeKey(platform, { scopes: [] });
  const line = `PATCH /acme/api-keys/${keyId}`;
  expect(messageOf(await admin(line, { name: 'x', access: 'read' }))).toBe(
    'access: is not known; did you mean "scopes"?',
  );
  expect(messageOf(await admin(line, { name: 'x', folderIds: ['x'] }))).toBe(
    'folderIds: is not known; known are name, scopes, customMetadata, protected, disabled',
  );
  const { body } = await admin(`GET /acme/api-keys/${keyId}`);
  expect(body).toMatchObject({ apiKey: { name: null, scopes: [] } });
});

test('no folder is made, changed, filled or emptied', async () => {
  const id = await makeFolder(platform, { name: 'Strict' });
  const known = 'known are name, projects, parent_id, external_id, auth_groups';
  for (const [line, body, message] of [
    ['POST /acme/groups', { name: 'Other', authGroups: {} }, 'authGroups: is not known; did you'],
    [`POST /acme/groups/${id}`, { name: 'Other', readers: [] }, `readers: is not known; ${known}`],
    [
      `PATCH /acme/groups/${id}/projects`,
      { projects: [], action: 'remove' },
      'action: is not known; known are projects, operation',
    ],
    [
      `DELETE /acme/groups/${id}/projects`,
      { projects: [], all: true },
      'all: is not known; known are projects',
    ],
  ] as const) {
    const answer = await admin(line, body);
    expect(answer.status).toBe(400);
    expect(messageOf(answer)).toContain(message);
  }
  const { body } = await admin('GET /acme/groups');
  expect(body).toMatchObject({ data: [{ id, name: 'Strict' }] });
});
