// images_upload_zip with a path: a folder or a zip file of this machine, sent and waited for.

import { mkdir, symlink, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openFileRoots } from '../../src/file-access/file-roots.ts';
import { openToSend } from '../../tools/zip-upload/pack-folder.ts';
import { type Fovea, launchFovea } from '../fixtures/fovea.ts';
import { testImage } from '../fixtures/images.ts';
import { plainZip, voc } from '../platform/zip-import/zip-files.ts';

let fovea: Fovea;

beforeAll(async () => {
  fovea = await launchFovea();
  await fovea.ok('projects_create', {
    name: 'Cells',
    type: 'object-detection',
    annotation: 'cells',
  });
});

afterAll(() => fovea.close());

async function write(path: string, content: string | Uint8Array): Promise<string> {
  const whole = join(fovea.folder, path);
  await mkdir(join(whole, '..'), { recursive: true });
  await writeFile(whole, content);
  return whole;
}

it('knows the size of a folder of many files before it reads one', async () => {
  const folder = join(fovea.folder, 'many');
  for (let n = 0; n < 900; n += 1) await write(`many/a-name-of-some-length-${n}.txt`, String(n));
  const files = openFileRoots([fovea.folder], fovea.folder);
  const source = await openToSend(folder, { files });
  let bytes = 0;
  for await (const piece of source.open()) bytes += piece.length;
  expect([source.files, bytes]).toEqual([900, source.bytes]);
});

describe('images_upload_zip', () => {
  it('sends a folder as it is, waits for it, and says what became of it', async () => {
    await write('set/train/images/a.png', await testImage(1));
    await write('set/train/labels/a.txt', '0 0.5 0.5 0.25 0.25\n');
    await write('set/valid/images/b.png', await testImage(2));
    await write('set/valid/labels/b.txt', '1 0.5 0.5 0.25 0.25\n0 0.2 0.2 0.1 0.1\n');
    await write('set/data.yaml', 'names: [cat, dog]\n');
    await write('set/.git/config', 'a secret');
    await symlink('/etc/hostname', join(fovea.folder, 'set/outside.png'));
    const messages: string[] = [];
    const path = join(fovea.folder, 'set');
    const { isError, data, text } = await fovea.call(
      'images_upload_zip',
      { project: 'cells', path },
      (message) => messages.push(message),
    );
    expect(isError).toBe(false);
    expect(text).toContain('5 files went to "cells": 2 images added, 2 annotated with 3 labels.');
    expect(data).toMatchObject({
      status: 'completed',
      images: 2,
      annotated: 2,
      boxes: 3,
      failed: 0,
      files: [],
      splits: { train: 1, valid: 1, test: 0 },
    });
    expect(messages.some((message) => message.startsWith('Sending'))).toBe(true);
    const health = await fovea.ok('projects_health', { project: 'cells' });
    expect(health.stats).toMatchObject({ numImages: 2, numAnnotations: 3 });
  });

  it('sends a zip file as it is', async () => {
    const zip = plainZip({ 'c.png': await testImage(3), 'c.xml': voc('c.png', 'bird') });
    const path = await write('more.ZIP', zip);
    const data = await fovea.ok('images_upload_zip', { project: 'cells', path, split: 'test' });
    expect(data).toMatchObject({
      status: 'completed',
      images: 1,
      boxes: 1,
      sentBytes: zip.length,
      splits: { train: 0, valid: 0, test: 1 },
    });
  });

  it('says of a file that is no zip file why nothing was taken', async () => {
    const path = await write('wrong.zip', 'not a zip file at all');
    const data = await fovea.ok('images_upload_zip', { project: 'cells', path });
    expect(data).toMatchObject({
      status: 'failed',
      error: 'The file is not a zip file, or the list of its files is damaged.',
    });
  });

  it('gives the address where it has no path', async () => {
    const data = await fovea.ok('images_upload_zip', { project: 'cells' });
    expect(data.signedUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/uploads\/[0-9a-f-]{36}\?expires=/);
    const next = await fovea.ok('images_upload_zip_status', { taskId: data.taskId });
    expect(next).toMatchObject({ status: 'created' });
  });

  it.each([
    ['outside of the file roots', '/etc', /lies outside the folders/],
    ['that is not there', 'nothing', /does not exist/],
    ['of another kind', 'set/data.yaml', /is neither a folder nor a \.zip file/],
    ['that is empty', 'empty', /has no files to send|stands for no file/],
    ['larger than a zip upload takes', 'huge.zip', /at most 2\.1 GB are taken/],
  ])('refuses a path %s before anything is started', async (_what, name, message) => {
    await mkdir(join(fovea.folder, 'empty'), { recursive: true });
    await truncate(await write('huge.zip', ''), 2 * 1024 ** 3 + 1);
    const path = name.startsWith('/') ? name : join(fovea.folder, name);
    const { isError, text } = await fovea.call('images_upload_zip', { project: 'cells', path });
    expect(isError).toBe(true);
    expect(text).toMatch(message);
  });
});
