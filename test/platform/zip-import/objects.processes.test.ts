// Imports from an object store: what a prefix has comes with its annotations, once, from allowed
// places alone.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PutObjectCommand } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { imageExtensions, images } from '../../../src/contract/images.ts';
import { search } from '../../../src/contract/search.ts';
import type { ObjectImports, ObjectStorageSettings } from '../../../src/object-storage-settings.ts';
import { launchFovea } from '../../fixtures/fovea.ts';
import { testImage } from '../../fixtures/images.ts';
import { startTestPlatform, type TestPlatform } from '../../fixtures/platform.ts';
import {
  hasS3Server,
  type S3Server,
  s3Credentials,
  startS3Server,
} from '../../fixtures/s3-server.ts';
import { coco, ended, newProject, voc } from './zip-files.ts';

const { images_import_objects: importObjects } = imageExtensions;
let server: S3Server;

type Files = Readonly<Record<string, string | Uint8Array>>;

async function bucketOf(files: Files): Promise<ObjectStorageSettings> {
  const place = await server.place();
  for (const [Key, Body] of Object.entries(files)) {
    await server.client.send(new PutObjectCommand({ Bucket: place.bucket, Key, Body }));
  }
  return place;
}

function allowing(place: ObjectStorageSettings, own?: ObjectStorageSettings): ObjectImports {
  return { allowed: [place], own, endpoint: server.endpoint, region: undefined };
}

async function dataset(): Promise<Files> {
  return {
    'line/train/a.png': await testImage(1),
    'line/train/a.xml': voc('a.png', 'cat'),
    'line/train/b.png': await testImage(2),
    'line/train/_annotations.coco.json': coco('dog', 'b.png'),
    'line/test/again.png': await testImage(1),
    'line/test/c.png': await testImage(3),
    'line/odd.png': 'no image',
    'line/notes.md': 'nothing',
    'line/.DS_Store': 'nothing',
    [`line/${'deep/'.repeat(40)}e.png`]: 'nothing',
    'lines/d.png': await testImage(4),
  };
}

const figures = {
  images: 3,
  duplicates: 1,
  failed: 2,
  annotated: 2,
  boxes: 2,
  unannotated: 2,
  splits: { train: 1, valid: 0, test: 2 },
};

async function refusal(platform: TestPlatform, project: string, from: string) {
  const call = platform.client.call(importObjects, { project, from });
  const thrown: unknown = await call.catch((error: unknown) => error);
  const { status, message } = Object(Object(thrown).upstream);
  return [status, message];
}

describe.skipIf(!hasS3Server)('an import from an object store', () => {
  beforeAll(async () => {
    server = await startS3Server();
  }, 60_000);

  afterAll(() => server.stop());

  test('takes what is below the prefix, with annotations, and says what it did not take', async () => {
    const place = await bucketOf(await dataset());
    const platform = await startTestPlatform({ objectImports: allowing(place) });
    onTestFinished(() => platform.close());
    const project = await newProject(platform);
    const from = `s3://${place.bucket}/line`;
    const input = { project, from, batchName: 'May', tags: ['night'] };
    const { body, status } = await platform.client.call(importObjects, input);
    expect(status).toBe(202);
    expect(body).toMatchObject({ workspace: 'acme' });
    const first = await ended(platform, body.taskId);
    expect(first.status).toBe('completed');
    const where = { workspace: 'acme', taskId: body.taskId };
    const shown = await platform.client.call(images.images_upload_zip_status, where);
    expect(shown.body.progress).toEqual({ current: 5, total: 5 });
    expect(first.result).toMatchObject({ ...figures, batch: 'May' });
    expect(first.result?.files).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ file: 'odd.png', outcome: 'failed' }),
        expect.objectContaining({ file: 'notes.md', outcome: 'passed over' }),
        expect.objectContaining({ outcome: 'refused' }),
      ]),
    );
    const query = `project:${project} tag:night class:dog split:train`;
    const found = await platform.client.call(search.workspace_search, { workspace: 'acme', query });
    expect(found.body.total).toBe(1);
    const again = await platform.client.call(importObjects, input);
    const { result } = await ended(platform, again.body.taskId);
    expect(result).toMatchObject({ images: 0, duplicates: 4, failed: 2, annotated: 0 });
  });

  test('comes to the same figures where its service was closed in between', async () => {
    const files: Record<string, string | Uint8Array> = {};
    for (let n = 0; n < 24; n += 1) {
      files[`many/${n}.png`] = await testImage(n);
      files[`many/${n}.xml`] = voc(`${n}.png`, 'cat');
    }
    const place = await bucketOf(files);
    const data = await mkdtemp(join(tmpdir(), 'fovea-objects-'));
    onTestFinished(() => rm(data, { recursive: true, force: true }));
    const open = () => startTestPlatform({ data, objectImports: allowing(place) });
    let platform = await open();
    const project = await newProject(platform);
    const from = `s3://${place.bucket}/many/`;
    const { taskId } = (await platform.client.call(importObjects, { project, from })).body;
    const where = { workspace: 'acme', taskId };
    const progress = async () =>
      (await platform.client.call(images.images_upload_zip_status, where)).body.progress?.current;
    await expect.poll(progress, { interval: 5, timeout: 30_000 }).toBeGreaterThan(2);
    await platform.close();
    platform = await open();
    onTestFinished(() => platform.close());
    const { status, result } = await ended(platform, taskId);
    expect(status).toBe('completed');
    expect(result).toMatchObject({
      images: 24,
      duplicates: 0,
      failed: 0,
      annotated: 24,
      boxes: 24,
    });
  });

  test('reads allowed places alone, and never where the platform has its own files', async () => {
    const place = { ...(await bucketOf(await dataset())), prefix: 'line/' };
    const own = { ...place, prefix: 'line/own/' };
    const platform = await startTestPlatform({ objectImports: allowing(place, own) });
    onTestFinished(() => platform.close());
    const project = await newProject(platform);
    const { bucket } = place;
    for (const path of ['', 'lines', 'lin', 'line/own', 'line/own/deep', 'line']) {
      const [status, message] = await refusal(platform, project, `s3://${bucket}/${path}`);
      expect([path, status]).toEqual([path, 403]);
      expect(message).toMatch(/^This platform may not read images from s3:/);
    }
    expect(await refusal(platform, project, 's3://elsewhere/line')).toEqual([
      403,
      expect.any(String),
    ]);
    expect(await refusal(platform, project, 's3://x')).toEqual([
      400,
      'from: must be s3://bucket/prefix, without control characters and parts of dots',
    ]);
    const train = { project, from: `s3://${bucket}/line/train` };
    const { taskId } = (await platform.client.call(importObjects, train)).body;
    expect(await ended(platform, taskId)).toMatchObject({ status: 'completed' });
    const nothing = { project, from: `s3://${bucket}/line/nothing` };
    const none = await platform.client.call(importObjects, nothing);
    expect(await ended(platform, none.body.taskId)).toMatchObject({
      status: 'failed',
      error: expect.stringContaining(`There is no object below s3://${bucket}/line/nothing/`),
    });
    const plain = await startTestPlatform();
    onTestFinished(() => plain.close());
    for (const path of ['line//own', 'line/own//deep', '/line', 'line/../x', 'line/./train']) {
      const [status] = await refusal(platform, project, `s3://${bucket}/${path}`);
      expect([path, status]).toEqual([path, /\.\//.test(path) ? 400 : 403]);
    }
    const denied = await refusal(plain, await newProject(plain), `s3://${bucket}/line`);
    expect(denied).toEqual([403, expect.any(String)]);
  });

  test('takes prefixes of any characters, exactly as they are', async () => {
    const place = await bucketOf({
      'dt=2026-11-27/line 3/é/a.png': await testImage(1),
      '/slash/b.png': await testImage(2),
      'slash/c.png': await testImage(3),
    });
    const platform = await startTestPlatform({ objectImports: allowing(place) });
    onTestFinished(() => platform.close());
    const project = await newProject(platform);
    const taken: (readonly [string, unknown])[] = [];
    for (const path of ['dt=2026-11-27/line 3/é', '/slash', 'slash/c.png']) {
      const input = { project, from: `s3://${place.bucket}/${path}` };
      const { body } = await platform.client.call(importObjects, input);
      taken.push([path, (await ended(platform, body.taskId)).result]);
    }
    const one = expect.objectContaining({ images: 1, duplicates: 0, failed: 0 });
    expect(taken).toEqual(taken.map(([path]) => [path, one]));
    const { body } = await platform.client.call(search.workspace_search, {
      workspace: 'acme',
      query: `project:${project}`,
    });
    expect(body.total).toBe(3);
  });

  test('counts each image for one of two imports at once', async () => {
    const files: Record<string, Uint8Array> = {};
    for (let n = 0; n < 30; n += 1) files[`many/${n}.png`] = await testImage(n);
    const place = await bucketOf(files);
    const platform = await startTestPlatform({ objectImports: allowing(place) });
    onTestFinished(() => platform.close());
    const input = { project: await newProject(platform), from: `s3://${place.bucket}/many` };
    const begun = await Promise.all([1, 2].map(() => platform.client.call(importObjects, input)));
    const results = await Promise.all(begun.map(({ body }) => ended(platform, body.taskId)));
    const sum = (name: string) =>
      results.reduce((total, { result }) => total + Number(Object(result)[name]), 0);
    expect([sum('images'), sum('duplicates')]).toEqual([30, 30]);
  });

  test('is what images_upload does with an s3 address', async () => {
    const place = await bucketOf(await dataset());
    const fovea = await launchFovea({
      ...s3Credentials,
      FOVEA_IMPORT_OBJECTS: `s3://${place.bucket}`,
      AWS_ENDPOINT_URL_S3: server.endpoint,
    });
    onTestFinished(() => fovea.close());
    const cells = { name: 'cells', type: 'object-detection', annotation: 'cells' };
    await fovea.ok('projects_create', cells);
    const url = `s3://${place.bucket}/line`;
    const { text, data } = await fovea.call('images_upload', { project: 'cells', url });
    expect(text).toContain('go to "cells": 3 images added, 1 there already');
    expect(data).toMatchObject(figures);
    const files = [`${url}/train`];
    expect(await fovea.ok('images_upload', { project: 'cells', files })).toMatchObject({
      images: 0,
      duplicates: 2,
    });
    const odd = await fovea.call('images_upload', { project: 'cells', url, offset: 3 });
    expect(odd.isError).toBe(true);
    const metadata = { line: 3 };
    const kept = await fovea.call('images_upload', { project: 'cells', url, metadata });
    expect(kept.text).toContain('images_set_metadata_bulk sets it afterwards');
    const other = await fovea.call('images_upload', { project: 'cells', url: 's3://another/x' });
    expect(other.isError).toBe(true);
    expect(other.text).toContain('Set FOVEA_IMPORT_OBJECTS to what imports may read');
    expect(other.text).not.toContain('credential');
  });
});
