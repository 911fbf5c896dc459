// What goes with a deleted image: its file, once nothing points at it. What is frozen stays.

import { access, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { systemClock } from '../../../src/clock.ts';
import { images } from '../../../src/contract/images.ts';
import { projects } from '../../../src/contract/projects.ts';
import { versions } from '../../../src/contract/versions.ts';
import type { Client } from '../../../src/http-client/client.ts';
import { testImage } from '../../fixtures/images.ts';
import { startTestPlatform } from '../../fixtures/platform.ts';
import { readZip } from '../../fixtures/read-zip.ts';

const inProject = { workspace: 'acme', project: 'cells' };
const later = { ...systemClock, now: () => systemClock.now() + (30 * 24 + 2) * 60 * 60 * 1000 };
let data: string;

beforeAll(async () => {
  data = await mkdtemp(join(tmpdir(), 'fovea-sweep-'));
});

afterAll(() => rm(data, { recursive: true, force: true }));

/** Uploads an image of this shade; tells its id and where its file is. */
async function upload(client: Client, shade: number) {
  const file = { name: `${shade}.png`, content: await testImage(shade) };
  const { body } = await client.call(images.images_upload, { project: 'cells', file });
  const at = { ...inProject, imageId: body.id };
  const { body: shown } = await client.call(images.images_get, at);
  const hash = String(shown.image.hash);
  return { id: body.id, path: join(data, 'blobs', hash.slice(0, 2), hash) };
}

async function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

async function isGenerating(client: Client): Promise<unknown> {
  const { body } = await client.call(versions.versions_get, { ...inProject, version: 1 });
  return body.version.generating;
}

async function exportFiles(client: Client, format: string) {
  for (;;) {
    const wanted = { ...inProject, version: 1, format };
    const { body } = await client.call(versions.versions_export, wanted);
    if (body.export) {
      const path = join(data, `${format}.zip`);
      await client.download(body.export.link, path);
      return readZip(path);
    }
    await delay(20);
  }
}

it('removes what nothing points at any more, and no file of a version', async () => {
  const first = await startTestPlatform({ data });
  const { client } = first;
  await client.call(projects.projects_create, {
    workspace: 'acme',
    name: 'Cells',
    type: 'object-detection',
    annotation: 'cells',
  });
  const frozen = await upload(client, 1);
  const resize = { width: 20, height: 20, format: 'Stretch to' } as const;
  const settings = { preprocessing: { resize }, augmentation: {} };
  await client.call(versions.versions_generate, { ...inProject, ...settings });
  const kept = await upload(client, 2);
  const deleted = await upload(client, 3);
  const gone = [frozen.id, deleted.id];
  expect(await isThere(deleted.path)).toBe(true);
  await client.call(images.images_delete, { ...inProject, images: gone });
  await first.close();

  const second = await startTestPlatform({ data, clock: later });
  while (await isThere(deleted.path)) await delay(20);
  expect([await isThere(frozen.path), await isThere(kept.path)]).toEqual([true, true]);
  while (await isGenerating(second.client)) await delay(20);
  const names = [...(await exportFiles(second.client, 'voc')).keys()];
  expect(names.sort()).toEqual(['README.dataset.txt', 'train/1.jpg', 'train/1.xml']);
  await second.close();
});
