// A zip upload whose process ends in the middle: the next one comes to the same figures.

import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../../src/clock.ts';
import { images } from '../../../src/contract/images.ts';
import { projects } from '../../../src/contract/projects.ts';
import { createClient } from '../../../src/http-client/create-client.ts';
import { Secret } from '../../../src/secret.ts';
import { bccdArchive } from '../../fixtures/bccd.ts';
import { testImage } from '../../fixtures/images.ts';
import { killProcess } from '../../fixtures/kill-process.ts';
import {
  startPlatformProcess,
  startTestPlatform,
  type TestPlatform,
} from '../../fixtures/platform.ts';
import { ended, newProject, plainZip, put, voc } from './zip-files.ts';

const isThere = existsSync(bccdArchive);
if (!isThere) process.stderr.write('DID NOT RUN: a kill in the middle of BCCD; no bccd.zip.\n');

async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'fovea-zip-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** The task once so many of its images are done. */
async function until(platform: Pick<TestPlatform, 'client'>, taskId: string, done: number) {
  for (;;) {
    const where = { workspace: 'acme', taskId };
    const { body } = await platform.client.call(images.images_upload_zip_status, where);
    if ((body.progress?.current ?? 0) >= done) return body;
    await new Promise((next) => setTimeout(next, 5));
  }
}

it('is done once, however often its service was closed in between', async () => {
  const data = await temporaryFolder();
  const files: Record<string, string | Uint8Array> = {};
  for (let n = 0; n < 24; n += 1) {
    files[`${n % 2 === 0 ? 'train' : 'test'}/${n}.png`] = await testImage(n);
    files[`labels/${n}.xml`] = voc(`${n}.png`, 'cat');
  }
  files['train/again.png'] = await testImage(3);
  files['odd.png'] = 'no image';
  let platform = await startTestPlatform({ data });
  const project = await newProject(platform);
  const input = { workspace: 'acme', project };
  const { body } = await platform.client.call(images.images_upload_zip, input);
  expect((await put(String(body.signedUrl), plainZip(files))).status).toBe(200);
  for (const done of [3, 9]) {
    expect((await until(platform, body.taskId, done)).status).toBe('running');
    await platform.close();
    platform = await startTestPlatform({ data });
  }
  onTestFinished(() => platform.close());
  const { status, result } = await ended(platform, body.taskId);
  expect(status).toBe('completed');
  expect(result).toMatchObject({
    images: 24,
    duplicates: 1,
    failed: 1,
    annotated: 24,
    boxes: 24,
    alreadyAnnotated: 0,
    unannotated: 1,
    splits: { train: 12, valid: 0, test: 12 },
  });
});

it.skipIf(!isThere)(
  'of BCCD, killed in the middle, has all images and boxes once',
  {
    timeout: 120_000,
  },
  async () => {
    const data = await temporaryFolder();
    const first = await startProcess(data);
    const { call } = first.client;
    await call(projects.projects_create, {
      workspace: 'acme',
      name: 'BCCD',
      type: 'object-detection',
      annotation: 'cells',
    });
    const { body } = await call(images.images_upload_zip, { workspace: 'acme', project: 'bccd' });
    expect((await put(String(body.signedUrl), await readFile(bccdArchive))).status).toBe(200);
    await until(first, body.taskId, 30);
    await killProcess(first.child);

    const next = await startProcess(data);
    const where = { workspace: 'acme', taskId: body.taskId };
    for (let status = ''; status !== 'completed'; ) {
      const { body: task } = await next.client.call(images.images_upload_zip_status, where);
      status = String(task.status);
      expect(['running', 'completed']).toContain(status);
      expect(task.progress?.current).toBeGreaterThanOrEqual(30);
      if (status === 'completed') {
        expect(task.result).toMatchObject({
          images: 364,
          duplicates: 0,
          failed: 0,
          annotated: 364,
          boxes: 4888,
          warnings: 2,
          splits: { train: 205, valid: 87, test: 72 },
        });
      }
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
    const at = { workspace: 'acme', project: 'bccd' };
    const { body: found } = await next.client.call(projects.projects_get, at);
    expect(found.project).toMatchObject({
      images: 364,
      classes: { RBC: 4155, WBC: 372, Platelets: 361 },
      splits: { train: 205, valid: 87, test: 72 },
    });
    const left = await readdir(join(data, 'uploads'));
    expect(left.sort()).toEqual(['.fovea-files', 'incoming']);
  },
);

async function startProcess(data: string) {
  const { child, url } = await startPlatformProcess(data);
  onTestFinished(() => killProcess(child));
  const upstream = async () => ({ url, credential: new Secret('a-key-for-tests') });
  const client = createClient({
    upstreams: { base: upstream, device: upstream },
    clock: systemClock,
    timeoutMs: 20_000,
  });
  onTestFinished(() => client.close());
  return { child, client };
}
