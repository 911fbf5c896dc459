// Jobs about folders and API keys.

import assert from 'node:assert/strict';
import { at, type Job, listAt, nothing } from '../job.ts';
import { emptyProject } from './blood-cells.ts';

export const sharingJobs: readonly Job[] = [
  {
    name: 'make-folder',
    prompt: 'Put my projects "Knees" and "Hips" into a folder named "Clinic".',
    seed: async ({ setUp }) => {
      for (const name of ['Knees', 'Hips', 'Cars']) await emptyProject(setUp, name);
    },
    solve: async (call) => {
      await call('folders_create', { name: 'Clinic', projects: ['knees', 'hips'] });
    },
    check: async ({ get }) => {
      const folders = listAt(await get('/groups'), 'data');
      assert.deepEqual(
        folders.map((folder) => [at(folder, 'name'), listAt(folder, 'projects').toSorted()]),
        [['Clinic', ['hips', 'knees']]],
      );
    },
  },
  {
    name: 'move-out-of-folder',
    prompt: 'Take "Cars" out of the folder "Clinic", and call the folder "Hospital".',
    seed: async ({ setUp }) => {
      for (const name of ['Knees', 'Cars']) await emptyProject(setUp, name);
      await setUp('folders_create', { name: 'Clinic', projects: ['knees', 'cars'] });
    },
    solve: async (call) => {
      const [folder] = listAt(await call('folders_list'), 'data');
      const folderId = at(folder, 'id');
      await call('folders_set_projects', { folderId, projects: ['cars'], operation: 'remove' });
      await call('folders_update', { folderId, name: 'Hospital' });
    },
    check: async ({ get }) => {
      const folders = listAt(await get('/groups'), 'data');
      assert.deepEqual(
        folders.map((folder) => [at(folder, 'name'), listAt(folder, 'projects')]),
        [['Hospital', ['knees']]],
      );
    },
  },
  {
    name: 'delete-folder',
    prompt: 'Delete the folder "Old stuff". I am sure. The projects in it stay.',
    seed: async ({ setUp }) => {
      await emptyProject(setUp, 'Knees');
      await setUp('folders_create', { name: 'Old stuff', projects: ['knees'] });
      await setUp('folders_create', { name: 'Clinic' });
    },
    solve: async (call) => {
      const folder = listAt(await call('folders_list'), 'data').find(
        (one) => at(one, 'name') === 'Old stuff',
      );
      const folderId = at(folder, 'id');
      await call('folders_delete', { folderId, confirm: folderId });
    },
    check: async ({ get }) => {
      const folders = listAt(await get('/groups'), 'data');
      assert.deepEqual(
        folders.map((folder) => at(folder, 'name')),
        ['Clinic'],
      );
      assert.equal(listAt(await get(''), 'workspace.projects').length, 1);
    },
  },
  {
    name: 'read-only-key',
    prompt:
      'Make an API key named "viewer" that can look at the workspace, its projects and images, ' +
      'and do nothing else.',
    seed: nothing,
    solve: async (call) => {
      const scopes = ['workspace:read', 'project:read', 'image:read'];
      await call('api_keys_create', { name: 'viewer', scopes });
    },
    check: async ({ get }) => {
      const keys = listAt(await get('/api-keys'), 'apiKeys');
      const made = keys.filter((key) => at(key, 'name') === 'viewer');
      assert.equal(made.length, 1);
      assert.deepEqual(listAt(made[0], 'scopes').toSorted(), [
        'image:read',
        'project:read',
        'workspace:read',
      ]);
    },
  },
  {
    name: 'revoke-key',
    prompt: 'My laptop was stolen. Revoke the API key "old laptop" for good; I am sure.',
    seed: async ({ setUp }) => {
      await setUp('api_keys_create', { name: 'old laptop', fullAccess: true });
      await setUp('api_keys_create', { name: 'new laptop', fullAccess: true });
    },
    solve: async (call) => {
      const key = listAt(await call('api_keys_list'), 'apiKeys').find(
        (one) => at(one, 'name') === 'old laptop',
      );
      const keyId = at(key, 'keyId');
      await call('api_keys_revoke', { keyId, confirm: keyId });
    },
    check: async ({ get }) => {
      const names = listAt(await get('/api-keys'), 'apiKeys').map((key) => at(key, 'name'));
      assert.ok(names.includes('new laptop'));
      assert.ok(!names.includes('old laptop'));
    },
  },
];
