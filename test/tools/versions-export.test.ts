// versions_export: waits, saves, and replaces nothing unasked.

import { writeFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Fixture, openScriptedService, steppingClock } from './scripted-service.ts';

let fixture: Fixture;

beforeEach(async () => {
  fixture = await openScriptedService();
  fixture.on('GET /exports/1', () => ({ bytes: 'zip bytes' }));
});

afterEach(async () => {
  await fixture.close();
});

const route = 'GET /acme/cells/3/coco';
const wanted = { workspace: 'acme', project: 'cells', version: 3, format: 'coco' };

function readyAfter(questions: number): void {
  fixture.on(route, (_request, n) =>
    n < questions
      ? { status: 202, json: { progress: 0.25 } }
      : { json: { export: { link: `${fixture.url}/exports/1`, format: 'coco', size: 9 } } },
  );
}

describe('versions_export', () => {
  it('waits for the file and saves it under a name of its own', async () => {
    readyAfter(1);
    const result = await fixture.call('versions_export', { ...wanted, save_to: '.' });
    const path = join(fixture.folder, 'cells-v3-coco.zip');
    expect(result.data).toEqual({ ready: true, path, bytes: 9, format: 'coco' });
    expect(result.files).toMatchObject([{ path, mimeType: 'application/zip' }]);
    expect(await readFile(path, 'utf8')).toBe('zip bytes');
    expect(JSON.stringify(result)).not.toContain('/exports/1');
    expect(fixture.progress).toContain('0.25/1 Exporting');
  });

  it('gives the link where no file was asked for', async () => {
    readyAfter(0);
    const { data, files } = await fixture.call('versions_export', wanted);
    const link = `${fixture.url}/exports/1`;
    expect(data).toEqual({ ready: true, format: 'coco', size: 9, link });
    expect(files).toBeUndefined();
  });

  it('gives the same call as the next one when the time is up', async () => {
    readyAfter(99);
    const args = { ...wanted, save_to: 'out.zip' };
    const result = await fixture.call('versions_export', args, { clock: steppingClock(50_000) });
    expect(result.data).toEqual({ ready: false, progress: 0.25 });
    expect(result.next).toMatchObject([{ tool: 'versions_export', arguments: args }]);
    expect(await readdir(fixture.folder)).toEqual([]);
  });

  it('says what to wait for while the version is being generated', async () => {
    fixture.on(route, () => ({ status: 409, json: { error: 'still being generated' } }));
    fixture.on('GET /acme/cells/3', () => ({ json: { version: { id: 'a', generating: true } } }));
    const args = { ...wanted, save_to: 'out.zip', overwrite: true };
    const result = await fixture.call('versions_export', args);
    expect(result.data).toEqual({ ready: false, generating: true });
    const { workspace, project, version } = wanted;
    expect(result.next).toMatchObject([
      { tool: 'tasks_wait', arguments: { workspace, project, version } },
      { tool: 'versions_export', arguments: args },
    ]);
  });

  it('passes on why a version that is no longer being generated has no export', async () => {
    fixture.on(route, () => ({ status: 409, json: { error: 'could not be generated' } }));
    fixture.on('GET /acme/cells/3', () => ({ json: { version: { id: 'a', generating: false } } }));
    const error = await fixture.refused('versions_export', wanted);
    expect(error).toMatchObject({ code: 'conflict', upstream: { status: 409 } });
  });

  it('replaces a file only on overwrite', async () => {
    readyAfter(0);
    const path = await fixture.write('out.zip', 'mine');
    const args = { ...wanted, save_to: 'out.zip' };
    const error = await fixture.refused('versions_export', args);
    expect(error).toMatchObject({
      code: 'conflict',
      message: `save_to: "${path}" exists already.`,
    });
    expect(fixture.requests).toEqual([]);
    expect(await readFile(path, 'utf8')).toBe('mine');
    await fixture.call('versions_export', { ...args, overwrite: true });
    expect(await readFile(path, 'utf8')).toBe('zip bytes');
    expect(await readdir(fixture.folder)).toEqual(['out.zip']);
  });

  it('makes a folder that is not there yet', async () => {
    readyAfter(0);
    await fixture.call('versions_export', { ...wanted, save_to: 'new/exports/' });
    expect(await readdir(join(fixture.folder, 'new/exports'))).toHaveLength(1);
  });

  it('names its own argument for a file that somebody makes meanwhile', async () => {
    readyAfter(0);
    fixture.on('GET /exports/1', () => {
      writeFileSync(join(fixture.folder, 'out.zip'), 'theirs');
      return { bytes: 'zip bytes' };
    });
    const error = await fixture.refused('versions_export', { ...wanted, save_to: 'out.zip' });
    expect(error.message).toBe('save_to: is there already: give the path of a new file');
    expect(await readFile(join(fixture.folder, 'out.zip'), 'utf8')).toBe('theirs');
    expect(await readdir(fixture.folder)).toEqual(['out.zip']);
  });

  it('keeps the old file when the download fails', async () => {
    readyAfter(0);
    fixture.on('GET /exports/1', () => ({ status: 404, json: {} }));
    const path = await fixture.write('out.zip', 'mine');
    const args = { ...wanted, save_to: 'out.zip', overwrite: true };
    expect(await fixture.refused('versions_export', args)).toMatchObject({ code: 'not_found' });
    expect(await readFile(path, 'utf8')).toBe('mine');
    expect(await readdir(fixture.folder)).toEqual(['out.zip']);
  });

  it.each([
    ['../out.zip', /^save_to: "\.\.\/out\.zip" lies outside/],
    ['out.tar', 'save_to: must end in .zip, or be a folder'],
  ])('refuses to save to %s and asks for nothing', async (save_to, message) => {
    const error = await fixture.refused('versions_export', { ...wanted, save_to });
    expect(error.message).toMatch(message);
    expect(fixture.requests).toEqual([]);
  });
});
