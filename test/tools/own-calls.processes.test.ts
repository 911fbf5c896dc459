// activity_list beside a hosted platform: what this machine's calls did, by its own records.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { asRecord } from '../../src/json-object.ts';
import { type Facts, type Fovea, launchFovea } from '../fixtures/fovea.ts';
import { startTestPlatform, type TestPlatform } from '../fixtures/platform.ts';

let platform: TestPlatform;
let fovea: Fovea;

beforeAll(async () => {
  platform = await startTestPlatform();
  fovea = await launchFovea({ FOVEA_BASE_URL: platform.url, FOVEA_API_KEY: platform.key });
  for (const name of ['Cells', 'Night']) {
    await fovea.ok('projects_create', { name, type: 'object-detection', annotation: 'x' });
  }
  await fovea.call('projects_delete', { project: 'nowhere' });
  await fovea.ok('images_set_metadata_bulk', {
    query: 'project:cells',
    updates: [{ addTags: ['a'] }],
    dry_run: true,
  });
  await fovea.ok('projects_delete', { project: 'night' });
  await fovea.ok('api_keys_create', { name: 'intern', access: 'read' });
});

afterAll(async () => {
  await fovea.close();
  await platform.close();
});

async function listed(args: Facts = {}): Promise<readonly Facts[]> {
  const { entries } = await fovea.ok('activity_list', args);
  return Array.isArray(entries) ? entries.map(asRecord) : [];
}

describe('activity_list on a hosted platform', () => {
  it('names calls that changed something, the newest first, and says whose they are', async () => {
    const { text, data } = await fovea.call('activity_list');
    expect(text).toContain('4 calls from this machine in 7 days');
    expect(data).toMatchObject({
      source: 'this machine',
      total: 4,
      entries: [
        { action: 'api_keys_create', state: 'done' },
        { action: 'projects_delete', project: 'night', state: 'done' },
        { action: 'projects_create', did: expect.stringContaining('night') },
        { action: 'projects_create', did: expect.stringContaining('cells') },
      ],
    });
  });

  it('keeps no word of an answer that had a secret', async () => {
    expect((await listed({ action: 'api_keys_create' }))[0]).not.toHaveProperty('did');
  });

  it('chooses by tool, project and time, page by page', async () => {
    expect(await listed({ project: 'night' })).toHaveLength(1);
    expect(await listed({ until: '2020-01-01T00:00:00Z' })).toEqual([]);
    const { paging, entries } = await fovea.ok('activity_list', { limit: 3 });
    expect(paging).toMatchObject({ total: 4, shown: 3, truncated: true });
    const last = Array.isArray(entries) ? asRecord(entries.at(-1)).id : undefined;
    expect(await listed({ before: last })).toMatchObject([{ action: 'projects_create' }]);
  });

  it('refuses what only a log of the platform could tell', async () => {
    const { isError, text } = await fovea.call('activity_list', { kind: 'image' });
    expect(isError).toBe(true);
    expect(text).toContain('kind: is known on the embedded platform alone');
  });

  it('refuses an action that is no tool, with the nearest name', async () => {
    const { isError, text } = await fovea.call('activity_list', { action: 'project_delete' });
    expect(isError).toBe(true);
    expect(text).toContain('action: is not known; did you mean "projects_delete"?');
    expect(await listed({ action: 'images_delete' })).toEqual([]);
  });

  it('refuses a project that is none, with those that are', async () => {
    const { isError, text } = await fovea.call('activity_list', { project: 'cels' });
    expect(isError).toBe(true);
    expect(text).toContain('project: no project of this workspace has this slug');
    expect(text).toContain('has this slug; there are "cells"');
    const never = { project: 'cells', until: '2020-01-01T00:00:00Z' };
    expect(await listed(never)).toEqual([]);
  });

  it('has nothing of what another credential did', async () => {
    const settings = { FOVEA_HOME: fovea.home, FOVEA_API_KEY: 'another-key' };
    const other = await launchFovea({ FOVEA_BASE_URL: platform.url, ...settings });
    try {
      const { text } = await other.call('activity_list', { workspace: 'acme' });
      expect(text).toContain('0 calls from this machine');
    } finally {
      await other.close();
    }
  });
});
