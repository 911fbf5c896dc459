// A platform that is backed up while it runs, by the commands of the documentation, and restored
// into another database and another bucket.

import { spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { CopyObjectCommand, ListObjectsV2Command } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import { versions } from '../../src/contract/versions.ts';
import { workspace } from '../../src/contract/workspace.ts';
import type { Client } from '../../src/http-client/client.ts';
import { createClient } from '../../src/http-client/create-client.ts';
import type { ObjectStorageSettings } from '../../src/object-storage-settings.ts';
import { Secret } from '../../src/secret.ts';
import { runFovea } from '../fixtures/fovea-services.ts';
import { objectsSettings, startPlatformProcess } from '../fixtures/platform.ts';
import { hasPostgres, type PostgresServer, startPostgres } from '../fixtures/postgres-server.ts';
import { hasS3Server, type S3Server, startS3Server } from '../fixtures/s3-server.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';
import { createProject, endOf, upload } from './labelled-projects.ts';

const isHere = hasPostgres && hasS3Server;
let server: PostgresServer;
let objectStore: S3Server;

beforeAll(async () => {
  if (!isHere) return;
  server = await startPostgres();
  objectStore = await startS3Server();
}, 60_000);

afterAll(async () => {
  await server?.stop();
  await objectStore?.stop();
});

/** Runs the line of the documentation that begins with this program. */
async function runDocumented(program: string, cwd: string, databaseUrl: Secret): Promise<void> {
  const text = await readFile(`${import.meta.dirname}/../../docs/self-hosting.md`, 'utf8');
  const line = new RegExp(`^${program} .*$`, 'm').exec(text)?.[0] ?? '';
  const env = { PATH: process.env.PATH, FOVEA_DATABASE_URL: databaseUrl.reveal() };
  const { status, stderr } = spawnSync('/bin/sh', ['-c', line], { cwd, env, encoding: 'utf8' });
  expect({ line, status, stderr }).toMatchObject({ status: 0, stderr: '' });
}

/** As `aws s3 sync` does. */
async function copyObjects(from: ObjectStorageSettings, to: ObjectStorageSettings): Promise<void> {
  const list = new ListObjectsV2Command({ Bucket: from.bucket, Prefix: from.prefix });
  for (const { Key = '' } of (await objectStore.client.send(list)).Contents ?? []) {
    const CopySource = `${from.bucket}/${Key}`;
    await objectStore.client.send(new CopyObjectCommand({ CopySource, Bucket: to.bucket, Key }));
  }
}

async function start(data: string, environment: Readonly<Record<string, string>>): Promise<Client> {
  const service = await startPlatformProcess(data, undefined, environment);
  const upstream = async () => ({ url: service.url, credential: new Secret('a-key-for-tests') });
  const client = createClient({
    upstreams: { base: upstream, device: upstream },
    clock: systemClock,
    timeoutMs: 30_000,
  });
  onTestFinished(async () => {
    await client.close();
    await service.stop();
  });
  return client;
}

describe.skipIf(!isHere)('a backup of a platform that runs', { timeout: 120_000 }, () => {
  test('is restored as it was, and the platform goes on with it', async () => {
    const folder = await temporaryFolder();
    const databaseUrl = await server.database();
    const place = await objectStore.place('fovea/');
    const first = await start(folder, {
      ...objectsSettings(place),
      FOVEA_DATABASE_URL: databaseUrl.reveal(),
    });
    await createProject(first, 'cells');
    for (const shade of [1, 2, 3]) await upload(first, 'cells', shade, { classes: ['cell'] });
    await runDocumented('pg_dump', folder, databaseUrl);
    await createProject(first, 'later');
    await upload(first, 'later', 4);
    const copy = await objectStore.place('fovea/');
    await copyObjects(place, copy);

    const restoredUrl = await server.database();
    await runDocumented('pg_restore', folder, restoredUrl);
    const data = await temporaryFolder();
    const environment = {
      ...objectsSettings(copy),
      FOVEA_DATABASE_URL: restoredUrl.reveal(),
      FOVEA_HOME: data,
      HOME: data,
    };
    const checked = await runFovea(['doctor', '--stored', 'all'], environment);
    expect(checked.stdout).toMatch(/ok +stored files +3 were read/);
    const restored = await start(data, environment);
    const { body } = await restored.call(workspace.workspace_get, { workspace: 'acme' });
    expect(body.workspace.projects.map(({ id, images }) => ({ id, images }))).toEqual([
      { id: 'acme/cells', images: 3 },
    ]);
    const made = await restored.call(versions.versions_generate, {
      workspace: 'acme',
      project: 'cells',
      preprocessing: {},
      augmentation: {},
    });
    const task = await endOf(restored, String(made.body.taskId));
    expect(task).toMatchObject({ status: 'completed' });
  });
});
