// search_export_get: says how far an export is, and saves it; replaces nothing.

import { writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Fixture, openScriptedService } from './scripted-service.ts';

let fixture: Fixture;

beforeEach(async () => {
  fixture = await openScriptedService();
});

afterEach(async () => {
  await fixture.close();
});

const route = 'GET /acme/search/export/e1';
const wanted = { workspace: 'acme', taskId: 'e1' };

function ready(): void {
  fixture.on(route, () => ({ json: { ready: true, link: `${fixture.url}/exports/1` } }));
  fixture.on('GET /exports/1', () => ({ bytes: 'zip bytes' }));
}

describe('search_export_get', () => {
  it('gives the link', async () => {
    ready();
    const { summary, data } = await fixture.call('search_export_get', wanted);
    expect(summary).toBe('The export is ready.');
    expect(data).toEqual({ ready: true, link: `${fixture.url}/exports/1` });
  });

  it('gives no link that ends with the call', async () => {
    ready();
    const { summary, data } = await fixture.call('search_export_get', wanted, { linksEnd: true });
    expect(summary).toContain('give save_to');
    expect(data).toEqual({ ready: true });
  });

  it('saves the file, and says no link', async () => {
    ready();
    const result = await fixture.call('search_export_get', { ...wanted, save_to: '.' });
    const path = join(fixture.folder, 'search-export.zip');
    expect(result.data).toEqual({ ready: true, path, bytes: 9 });
    expect(result.files).toMatchObject([{ path, mimeType: 'application/zip' }]);
    expect(await readFile(path, 'utf8')).toBe('zip bytes');
    expect(JSON.stringify(result)).not.toContain('/exports/1');
  });

  it('replaces no file', async () => {
    ready();
    writeFileSync(join(fixture.folder, 'old.zip'), 'mine');
    const call = fixture.call('search_export_get', { ...wanted, save_to: 'old.zip' });
    await expect(call).rejects.toMatchObject({ code: 'conflict' });
    expect(await readFile(join(fixture.folder, 'old.zip'), 'utf8')).toBe('mine');
  });

  it('says that it is not ready, and asks again with the same path', async () => {
    fixture.on(route, () => ({ json: { ready: false } }));
    const result = await fixture.call('search_export_get', { ...wanted, save_to: 'new.zip' });
    expect(result.summary).toBe('The export is not ready yet.');
    expect(result.next).toMatchObject([{ arguments: { ...wanted, save_to: 'new.zip' } }]);
  });

  it('says that it failed', async () => {
    fixture.on(route, () => ({ json: { ready: false, error: 'no room' } }));
    const { summary, data } = await fixture.call('search_export_get', wanted);
    expect(summary).toBe('The export failed: "error" says why.');
    expect(data).toMatchObject({ error: 'no room' });
  });
});
