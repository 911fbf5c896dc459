// The platform with its files in an object store: the whole life of a file, from its upload to the
// sweep, and what callers are told while the store is away.

import { randomUUID } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { ListObjectsV2Command } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import { images } from '../../src/contract/images.ts';
import { previews } from '../../src/contract/previews.ts';
import { projects } from '../../src/contract/projects.ts';
import { search } from '../../src/contract/search.ts';
import { versions } from '../../src/contract/versions.ts';
import type { Client } from '../../src/http-client/client.ts';
import { limits } from '../../src/limits.ts';
import type { ObjectStorageSettings } from '../../src/object-storage-settings.ts';
import { testImage } from '../fixtures/images.ts';
import { readsContent, startGate } from '../fixtures/object-store-gate.ts';
import { startTestPlatform } from '../fixtures/platform.ts';
import { readZip } from '../fixtures/read-zip.ts';
import { hasS3Server, type S3Server, s3Credentials, startS3Server } from '../fixtures/s3-server.ts';
import { createProject, resultOf, upload } from './labelled-projects.ts';

const inProject = { workspace: 'acme', project: 'cells' };
const later = { ...systemClock, now: () => systemClock.now() + (30 * 24 + 2) * 60 * 60 * 1000 };
let server: S3Server;

/** Hashes of what is kept, by the keys of objects. */
async function hashesIn({ bucket, prefix }: ObjectStorageSettings): Promise<ReadonlySet<string>> {
  const list = new ListObjectsV2Command({ Bucket: bucket, Prefix: prefix });
  const { Contents = [] } = await server.client.send(list);
  return new Set(Contents.flatMap(({ Key = '' }) => /[0-9a-f]{64}/.exec(Key) ?? []));
}

async function shown(client: Client, imageId: string) {
  const { body } = await client.call(images.images_get, { ...inProject, imageId });
  return { hash: String(body.image.hash), link: String(body.image.urls?.original) };
}

async function exportLink(client: Client): Promise<string> {
  for (; ; await delay(20)) {
    const wanted = { ...inProject, version: 1, format: 'voc' };
    const { body } = await client.call(versions.versions_export, wanted);
    if (body.export) return body.export.link;
  }
}

/** How many files are in the export, as it is downloaded. */
async function exportedFiles(client: Client, folder: string): Promise<number> {
  const path = join(folder, `${randomUUID()}.zip`);
  await client.download(await exportLink(client), path);
  return (await readZip(path)).size;
}

async function newFolder(): Promise<string> {
  const data = await mkdtemp(join(tmpdir(), 'fovea-objects-'));
  onTestFinished(() => rm(data, { recursive: true, force: true }));
  return data;
}

describe.skipIf(!hasS3Server)('a platform with its files in an object store', () => {
  beforeAll(async () => {
    server = await startS3Server();
  }, 60_000);

  afterAll(() => server.stop());

  test('keeps, shows, exports, gives out and sweeps them', { timeout: 120_000 }, async () => {
    const data = await newFolder();
    const objects = await server.place('fovea/');
    const first = await startTestPlatform({ data, objects });
    await createProject(first.client, 'cells');
    const frozen = await upload(first.client, 'cells', 1);
    const kept = await upload(first.client, 'cells', 2);

    const settings = { preprocessing: { grayscale: true }, augmentation: {} };
    const preview = { ...inProject, ...settings, sources: 2 };
    expect((await first.client.call(previews.versions_preview, preview)).body.sheet).not.toBe('');
    const one = { ...inProject, ...settings };
    const { body } = await first.client.call(versions.versions_generate, one);
    await resultOf(first.client, String(body.taskId));
    expect(await exportedFiles(first.client, data)).toBe(5);
    const deleted = await upload(first.client, 'cells', 3);
    const all = [frozen, kept, deleted].map((id) => shown(first.client, id));
    const hashes = (await Promise.all(all)).map(({ hash }) => hash);
    expect([...(await hashesIn(objects))]).toEqual(expect.arrayContaining(hashes));
    await first.client.call(images.images_delete, { ...inProject, images: [frozen, deleted] });
    await first.close();
    // Nothing of them is here.
    expect(await readdir(join(data, 'outgoing'))).toEqual([]);
    expect(await readdir(data)).not.toContain('blobs');

    const second = await startTestPlatform({ data, objects });
    const { link } = await shown(second.client, kept);
    expect((await fetch(link)).status).toBe(200);
    const part = await fetch(link, { headers: { range: 'bytes=1-3' } });
    expect([part.status, await part.text()]).toEqual([206, 'PNG']);
    expect(await exportedFiles(second.client, data)).toBe(5);
    await second.close();

    const [ofFrozen, ofKept, ofDeleted = ''] = hashes;
    const third = await startTestPlatform({ data, objects, clock: later });
    while ((await hashesIn(objects)).has(ofDeleted)) await delay(50);
    expect([...(await hashesIn(objects))]).toEqual(expect.arrayContaining([ofFrozen, ofKept]));
    expect(await exportedFiles(third.client, data)).toBe(5);
    await third.close();
  });

  test('sends downloads on to the store, and images itself', async () => {
    const data = await newFolder();
    const objects = { ...(await server.place()), downloads: 'redirect' } as const;
    const platform = await startTestPlatform({ data, objects });
    onTestFinished(() => platform.close());
    await createProject(platform.client, 'cells');
    const id = await upload(platform.client, 'cells', 1);
    const settings = { preprocessing: {}, augmentation: {} };
    const { body } = await platform.client.call(versions.versions_generate, {
      ...inProject,
      ...settings,
    });
    await resultOf(platform.client, String(body.taskId));
    const { link } = await shown(platform.client, id);
    expect((await fetch(link, { redirect: 'manual' })).status).toBe(200);
    const zip = await exportLink(platform.client);
    const sent = await fetch(zip, { redirect: 'manual' });
    expect(sent.status).toBe(302);
    expect(sent.headers.get('cache-control')).toBe('no-store');
    expect(sent.headers.get('location')).toContain(`${server.endpoint}/${objects.bucket}/`);
    expect((await fetch(zip, { method: 'HEAD', redirect: 'manual' })).status).toBe(200);
    const followed = await fetch(zip);
    expect(followed.headers.get('content-disposition')).toContain('attachment; filename=');
    expect(
      Buffer.from(await followed.arrayBuffer())
        .subarray(0, 2)
        .toString(),
    ).toBe('PK');
    const other = zip.replace(/signature=[^&]+/, 'signature=x');
    expect((await fetch(other, { redirect: 'manual' })).status).toBe(403);
  });

  test('does not start on the files of another platform', async () => {
    const objects = await server.place();
    const platform = await startTestPlatform({ data: await newFolder(), objects });
    onTestFinished(() => platform.close());
    const other = startTestPlatform({ data: await newFolder(), objects, inSources: true });
    await expect(other).rejects.toMatchObject({ code: 'conflict' });
  });

  test('says while the store is away that it is, and for how long', async () => {
    const own = await startS3Server();
    const platform = await startTestPlatform({
      data: await newFolder(),
      objects: await own.place(),
    });
    onTestFinished(() => platform.close());
    await createProject(platform.client, 'cells');
    const { link } = await shown(platform.client, await upload(platform.client, 'cells', 1));
    const ready = `${platform.url}/health?ready=1`;
    expect((await fetch(ready)).status).toBe(200);
    await own.stop();
    Object.assign(process.env, s3Credentials);
    await vi.waitUntil(async () => (await fetch(ready)).status === 503, 10_000);
    expect(await (await fetch(ready)).json()).toEqual({
      status: 'degraded',
      ready: false,
      problems: [expect.stringMatching(/^The (object store cannot|place of the files does not)/)],
    });
    expect((await fetch(`${platform.url}/health`)).status).toBe(200);
    const read = await fetch(link);
    expect([read.status, read.headers.get('retry-after')]).toEqual([503, '1']);
    const body = new FormData();
    body.set('file', new Blob([Uint8Array.from(await testImage(2))]), '2.png');
    const written = await fetch(`${platform.url}/dataset/cells/upload?api_key=${platform.key}`, {
      method: 'POST',
      body,
    });
    expect([written.status, written.headers.get('retry-after')]).toEqual([503, '1']);
    expect(await written.text()).toMatch(/The object store cannot be reached \(ECONNREFUSED\)/);
  });

  test('takes no image for unreadable because the store was away', async () => {
    const data = await newFolder();
    const gate = await startGate(server.endpoint);
    onTestFinished(gate.close);
    const objects = { ...(await server.place()), endpoint: gate.url };
    const first = await startTestPlatform({ data, objects });
    await createProject(first.client, 'cells');
    gate.refuse(readsContent);
    const id = await upload(first.client, 'cells', 1);
    while (gate.refused() < limits.objectAttemptsMax) await delay(50);
    await first.close();
    gate.open();
    const second = await startTestPlatform({ data, objects });
    onTestFinished(() => second.close());
    const like = { ...inProject, like_image: id };
    const { body: found } = await second.client.call(search.images_search, like);
    expect(found.results).toMatchObject([{ id }]);
    const { body: health } = await second.client.call(projects.projects_health, inProject);
    expect(health.unreadable).toEqual({ total: 0, images: [] });
  });

  test('makes a version all the same if the store was away', { timeout: 120_000 }, async () => {
    const gate = await startGate(server.endpoint);
    onTestFinished(gate.close);
    const objects = { ...(await server.place()), endpoint: gate.url };
    const platform = await startTestPlatform({ data: await newFolder(), objects });
    onTestFinished(() => platform.close());
    await createProject(platform.client, 'cells');
    await upload(platform.client, 'cells', 1);
    gate.refuse(readsContent);
    const settings = { preprocessing: { grayscale: true }, augmentation: {} };
    const wanted = { ...inProject, ...settings };
    const { body } = await platform.client.call(versions.versions_generate, wanted);
    const task = String(body.taskId);
    const attempts = 2;
    while (gate.refused() < attempts * limits.objectAttemptsMax) await delay(50);
    gate.open();
    expect(await resultOf(platform.client, task)).toMatchObject({ images: 1 });
  });
});
