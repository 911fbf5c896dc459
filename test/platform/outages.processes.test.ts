// Tasks that meet an object store which is away: they say so, wait for it, and do all of their work
// once it is back.

import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { annotation } from '../../src/contract/annotation.ts';
import { images } from '../../src/contract/images.ts';
import { taskExtensions, tasks } from '../../src/contract/tasks.ts';
import { trainingExtensions } from '../../src/contract/trainings.ts';
import { versions } from '../../src/contract/versions.ts';
import type { Client } from '../../src/http-client/client.ts';
import type { TrainerCommand } from '../../src/trainers/trainer-protocol.ts';
import { testImage } from '../fixtures/images.ts';
import { readsContent, startGate } from '../fixtures/object-store-gate.ts';
import { hasS3Server, type S3Server, startS3Server } from '../fixtures/s3-server.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';
import { endOfTraining, scriptTrainer, smallVersion } from '../trainers/test-trainers.ts';
import { endOf } from './labelled-projects.ts';
import { redAt, squaresModel, startLabelling } from './platform-with-model.ts';
import { plainZip, put, voc } from './zip-import/zip-files.ts';

const workspace = 'acme';
const waits = { status: 'running', waitsFor: 'object-store' };
let server: S3Server;

async function startWithGate(trainer?: TrainerCommand) {
  const gate = await startGate(server.endpoint);
  onTestFinished(gate.close);
  const objects = { ...(await server.place()), endpoint: gate.url };
  const labelling = await startLabelling({
    objects,
    model: squaresModel,
    ...(trainer && { trainer }),
  });
  const { client } = labelling.platform;
  return { gate, client, ...labelling, project: await labelling.newProject() };
}

/** Resolves once a task is given back, and says what it waits for. */
async function waitedFor(client: Client, taskId: string) {
  const look = async () => (await client.call(tasks.tasks_get, { workspace, taskId })).body;
  await vi.waitUntil(async () => (await look()).waitsFor !== undefined, 30_000);
  return look();
}

describe.skipIf(!hasS3Server)('while the object store is away', { timeout: 120_000 }, () => {
  beforeAll(async () => {
    server = await startS3Server();
  }, 60_000);

  afterAll(() => server.stop());

  test('an import keeps its archive, and takes all of it later', async () => {
    const { gate, client, project } = await startWithGate();
    const archive = plainZip({
      '1.png': await testImage(1),
      '1.xml': voc('1.png', 'cell'),
      '2.png': await testImage(2),
    });
    const isOfImage = ({ method, headers }: IncomingMessage) =>
      method === 'PUT' && Number(headers['content-length']) !== archive.length;
    gate.refuse(isOfImage);
    const { body } = await client.call(images.images_upload_zip, { workspace, project });
    await put(String(body.signedUrl), archive);
    expect(await waitedFor(client, body.taskId)).toMatchObject(waits);
    gate.open();
    expect(await endOf(client, body.taskId)).toMatchObject({
      status: 'completed',
      result: { images: 2, failed: 0 },
    });
  });

  test('Auto Label labels later what it could not read', async () => {
    const { gate, client, project, upload, batchOf } = await startWithGate();
    for (const place of [1, 6]) await upload(project, await redAt(place));
    gate.refuse(readsContent);
    const { body } = await client.call(annotation.autolabel_start, {
      workspace,
      project,
      batchId: await batchOf(project),
      modelType: 'local',
    });
    const taskId = String(body.taskId);
    expect(await waitedFor(client, taskId)).toMatchObject(waits);
    gate.open();
    expect(await endOf(client, taskId)).toMatchObject({
      status: 'completed',
      result: { images: 2, labelled: 2 },
    });
  });

  test('a training that is done is not done again', async () => {
    const counted = join(await temporaryFolder(), 'runs');
    const script = `fs.appendFileSync(${JSON.stringify(counted)}, 'once\\n'); finish();`;
    const { gate, client } = await startWithGate(await scriptTrainer(script));
    const at = await smallVersion(client, 'trained');
    const puts = ({ method }: IncomingMessage) => method === 'PUT' && existsSync(counted);
    gate.refuse(puts);
    const { body } = await client.call(trainingExtensions.trainings_start, {
      ...at,
      modelType: 'custom',
      epochs: 1,
    });
    await vi.waitUntil(() => gate.refused() >= 6, 30_000);
    gate.open();
    const { training } = await endOfTraining(client, at, body.trainingId);
    expect(training.status).toBe('finished');
    expect(await readFile(counted, 'utf8')).toBe('once\n');
  });

  test('a version says what it waits for, and so does the list of tasks', async () => {
    const { gate, client, project, upload } = await startWithGate();
    await upload(project, await redAt(1));
    gate.refuse(readsContent);
    const { body } = await client.call(versions.versions_generate, {
      workspace,
      project,
      preprocessing: { grayscale: true },
      augmentation: {},
    });
    const taskId = String(body.taskId);
    await waitedFor(client, taskId);
    const at = { workspace, project, version: 1 };
    const { body: shown } = await client.call(versions.versions_get, at);
    expect(shown.version).toMatchObject({ generating: true, waitsFor: 'object-store' });
    const wanted = { workspace, kind: 'version' };
    const { body: list } = await client.call(taskExtensions.tasks_list, wanted);
    expect(list.tasks).toMatchObject([{ taskId, ...waits }]);
    gate.open();
    const { waitsFor, ...ended } = await endOf(client, taskId);
    expect(waitsFor).toBeUndefined();
    expect(ended).toMatchObject({ status: 'completed', result: { images: 1 } });
  });
});

if (!hasS3Server) process.stderr.write('NOT RUN: the outages of tasks need Swift.\n');
