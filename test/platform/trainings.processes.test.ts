// Trainings on the platform: queue, stop, cancel, delete, and the example trainer on real cells.

import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import * as z from 'zod';
import { deployment } from '../../src/contract/deployment.ts';
import { inference } from '../../src/contract/inference.ts';
import { monitoring } from '../../src/contract/monitoring.ts';
import { projects } from '../../src/contract/projects.ts';
import { trainingExtensions, trainings } from '../../src/contract/trainings.ts';
import { trash } from '../../src/contract/trash.ts';
import { versions } from '../../src/contract/versions.ts';
import type { Client } from '../../src/http-client/client.ts';
import type { PlatformOptions } from '../../src/platform/platform.ts';
import {
  exampleTrainer,
  hasExampleTrainer,
  needsExampleTrainer,
} from '../fixtures/example-trainer.ts';
import { startTestPlatform, type TestPlatform } from '../fixtures/platform.ts';
import {
  type At,
  bloodCellVersion,
  endOfTask,
  endOfTraining,
  isRunning,
  recipeTrainer,
  sample,
  scriptOf,
  scriptTrainer,
  smallVersion,
  trainingOf,
  until,
} from '../trainers/test-trainers.ts';

// Each test has a project of its own in one of them.
let example: TestPlatform;
let scripted: TestPlatform;
let removeTrainer: () => Promise<void>;

beforeAll(async () => {
  const { trainer, remove } = await recipeTrainer();
  removeTrainer = remove;
  [example, scripted] = await Promise.all([
    startTestPlatform({ trainer: exampleTrainer }),
    startTestPlatform({ trainer }),
  ]);
});

afterAll(async () => {
  await Promise.all([example.close(), scripted.close()]);
  await removeTrainer();
});

async function start(options: Partial<PlatformOptions> = {}) {
  const platform = await startTestPlatform(options);
  onTestFinished(() => platform.close());
  return platform;
}

const withExample = it.skipIf(!hasExampleTrainer);

withExample(`trains, deploys, runs, collects and counts${needsExampleTrainer}`, async () => {
  const { client } = example;
  const at = await bloodCellVersion(client, 'cells');
  const { body: started } = await client.call(trainingExtensions.trainings_start, {
    ...at,
    epochs: 60,
  });
  const { trainingId } = started;
  expect(started).toEqual({ trainingId, status: 'queued', jobId: trainingId });
  const { task, training } = await endOfTraining(client, at, trainingId);
  const { metrics = {} } = training;
  // A model that knows nothing has 0.
  expect(metrics?.map50).toBeGreaterThan(0.5);
  expect(metrics).toMatchObject({ epochs: 60, images_train: 8, images_valid: 2 });
  expect(task).toMatchObject({
    status: 'completed',
    progress: { current: 60, total: 60 },
    result: { trainingId, status: 'finished', metrics },
  });
  const modelId = `cells/1/${trainingId}`;
  expect(training).toMatchObject({
    status: 'finished',
    modelType: 'fovea-example',
    metrics,
    modelIds: [modelId],
    epochs: 60,
    epoch: 60,
    progress: 1,
  });
  const { body: listed } = await client.call(projects.models_list, at);
  expect(listed.models).toEqual([
    expect.objectContaining({ id: modelId, version: 1, classes: ['Platelets', 'RBC', 'WBC'] }),
  ]);
  const { body: shown } = await client.call(versions.versions_get, at);
  expect(shown.version).toMatchObject({
    model: {
      id: 'cells/1',
      trainingId,
      map: ((metrics?.map50 ?? 0) * 100).toFixed(1),
    },
    trainings: [{ trainingId, status: 'finished', modelType: 'fovea-example' }],
  });

  await runsAndCollects(client, at, modelId);
});

/** Deploys the model of the sample, and looks at what it finds in one of its images. */
async function runsAndCollects(client: Client, at: At, modelId: string): Promise<void> {
  await client.call(deployment.deployment_set_model, {
    ...at,
    model: { type: 'model_id', modelId },
  });
  const { body: deployed } = await client.call(deployment.deployment_get, at);
  expect(deployed).toMatchObject({
    project: { id: 'acme/cells', type: 'object-detection' },
    model: { kind: 'model_id', modelId, name: 'fovea-example' },
    deployability: { status: 'ready', reason: null },
  });
  await client.call(deployment.active_learning_enable, at);

  // An image that no training has seen, in other bytes than those of the project.
  const content = await readFile(join(sample, 'JPEGImages/BloodImage_00338.jpg'));
  const file = { name: 'new.jpg', content: Buffer.concat([content, Buffer.from([0])]) };
  const run = { project: 'cells', version: 'deployed', file };
  const { body: seen } = await client.call(inference.inference_run, run);
  const found = (label: string) =>
    z
      .array(z.looseObject({ class: z.string(), x: z.number(), y: z.number() }))
      .parse(seen.predictions)
      .filter((one) => one.class === label);
  // Its white cell is labelled around 377, 404.
  const [white, ...others] = found('WBC');
  expect(others).toEqual([]);
  expect(Math.hypot((white?.x ?? 0) - 377, (white?.y ?? 0) - 404)).toBeLessThan(40);
  // 13 red cells are labelled, not all that are there.
  expect(found('RBC').length).toBeGreaterThan(4);

  const { body: queues } = await client.call(deployment.active_learning_images, at);
  const name = `${seen.inference_id}.jpg`;
  expect(queues).toMatchObject({
    total: 1,
    images: [{ images: 1, annotated: 0, status: 'not_started', samples: [{ name }] }],
  });
  const { body: stats } = await client.call(monitoring.inference_stats_get, { workspace: 'acme' });
  const rows = [...(stats.inference_stats ?? [])].map((row) => [
    row.model_name,
    row.predicted_class,
    row.class_count,
  ]);
  expect(stats.num_inferences).toBe(1);
  const seenLabels = ['Platelets', 'RBC', 'WBC'].filter((label) => found(label).length > 0);
  expect(rows.toSorted()).toEqual(seenLabels.map((label) => [modelId, label, found(label).length]));
  const [, , version = ''] = modelId.split('/');
  const { body: again } = await client.call(inference.inference_run, { ...run, version });
  const boxes = (predictions: unknown) =>
    z
      .array(z.looseObject({ x: z.number(), y: z.number() }))
      .parse(predictions)
      .map(({ x, y }) => [x, y]);
  expect(boxes(again.predictions)).toEqual(boxes(seen.predictions));
  const other = client.call(inference.inference_run, { ...run, version: 'f'.repeat(20) });
  await expect(other).rejects.toMatchObject({ upstream: { status: 404 } });
}

it('refuses what cannot be trained before anything is queued', async () => {
  const { client } = example;
  const at = await smallVersion(client, 'refused');
  const recipe = { ...at, modelType: 'fovea-example' };
  const refused: readonly [object, number, RegExp][] = [
    [{ ...at, modelType: 'yolov8n' }, 404, /There is no model type "yolov8n"/],
    [{ ...at, epochs: 301 }, 400, /epochs/],
    [{ ...at, trainRecipe: {} }, 400, /modelType: is required beside trainRecipe/],
    [{ ...recipe, checkpoint: 'refused/1' }, 400, /checkpoint: the example trainer takes none/],
    [hyper({ epoch: 3 }), 400, /hyperparameters\.epoch: is not known; did you mean "epochs"/],
    [hyper({ epochs: 0 }), 400, /epochs: must be a whole number from 1 to 300/],
    [hyper({ learningRate: 'fast' }), 400, /learningRate: must be a number from/],
    [{ ...recipe, trainRecipe: { augmentation: [{ name: 'flip' }] } }, 400, /augmentation: the ex/],
    [{ ...at, version: 7 }, 404, /There is no version "7"/],
  ];
  function hyper(hyperparameters: object) {
    return { ...recipe, trainRecipe: { hyperparameters } };
  }
  for (const [input, status, message] of refused) {
    const call = client.call(trainingExtensions.trainings_start, Object.assign({ ...at }, input));
    await expect(call).rejects.toMatchObject({
      upstream: { status, message: expect.stringMatching(message) },
    });
  }
  expect((await client.call(trainingExtensions.trainings_list, at)).body.trainings).toEqual([]);
});

withExample(`stops a training early and keeps what it has${needsExampleTrainer}`, async () => {
  const { client } = example;
  const at = await smallVersion(client, 'stopped', { trainImages: 12 });
  const input = { ...at, epochs: 300 };
  const { trainingId } = (await client.call(trainingExtensions.trainings_start, input)).body;
  await until(async () => {
    const { epoch } = await trainingOf(client, at, trainingId);
    return epoch ? true : undefined;
  });
  const { body } = await client.call(trainings.trainings_stop, at);
  expect(body).toEqual({ trainingId, status: 'stopping' });
  const { task, training } = await endOfTraining(client, at, trainingId);
  expect(task).toMatchObject({ status: 'completed', result: { status: 'stopped' } });
  expect(training).toMatchObject({ status: 'stopped', modelIds: [`stopped/1/${trainingId}`] });
  expect(training.metrics?.epochs).toBeLessThan(300);
  await expect(client.call(trainings.trainings_stop, { ...at, trainingId })).rejects.toMatchObject({
    upstream: { status: 409, message: expect.stringContaining('has ended: stopped') },
  });
});

it('stops a training that has just begun, and a program that only reads its input', async () => {
  const script = scriptOf(`
    process.stdin.resume().on('end', () => { finish(); process.exit(0); });
  `);
  const { client } = scripted;
  const at = await smallVersion(client, 'young');
  const { trainingId } = (
    await client.call(trainingExtensions.trainings_start, { ...at, ...script })
  ).body;
  await until(async () => {
    const { status } = await trainingOf(client, at, trainingId);
    return status === 'running' ? true : undefined;
  });
  await client.call(trainings.trainings_stop, at);
  const { training } = await endOfTraining(client, at, trainingId);
  expect(training).toMatchObject({ status: 'stopped', epoch: 0, metrics: { map50: 0.5 } });
});

it('fails a training that was stopped and left nothing', async () => {
  const script = scriptOf(`
    process.on('SIGTERM', () => process.exit(0));
    say('{"epoch":1,"epochs":9}');
    setInterval(() => {}, 1000);
  `);
  const { client } = scripted;
  const at = await smallVersion(client, 'empty-handed');
  const { trainingId } = (
    await client.call(trainingExtensions.trainings_start, { ...at, ...script })
  ).body;
  await until(async () => (await trainingOf(client, at, trainingId)).epoch || undefined);
  await client.call(trainings.trainings_stop, at);
  const { training } = await endOfTraining(client, at, trainingId);
  expect(training).toMatchObject({
    status: 'failed',
    error: "The trainer's output/metrics.json is not there.",
  });
});

it('queues trainings, and cancels one that waits and one that runs with all its processes', async () => {
  const script = scriptOf(`
    const { spawn } = process.getBuiltinModule('node:child_process');
    process.on('SIGTERM', () => {});
    const child = spawn('/bin/sleep', ['600'], { stdio: 'inherit' });
    process.stderr.write('started');
    say(JSON.stringify({ epoch: 0, epochs: 5, metrics: { own: process.pid, child: child.pid } }));
    setInterval(() => {}, 1000);
  `);
  const { client, data } = scripted;
  const at = await smallVersion(client, 'queue');
  const begin = async () =>
    (await client.call(trainingExtensions.trainings_start, { ...at, ...script })).body.trainingId;
  const [first, second] = [await begin(), await begin()];
  const { own = 0, child = 0 } = await until(
    async () => (await trainingOf(client, at, first)).metrics ?? undefined,
  );
  expect(await trainingOf(client, at, second)).toMatchObject({ status: 'queued', epoch: 0 });
  const stop = client.call(trainings.trainings_stop, { ...at, trainingId: second });
  await expect(stop).rejects.toMatchObject({
    upstream: { status: 409, hint: expect.stringContaining('trainings_cancel') },
  });
  await expect(client.call(trainings.trainings_cancel, at)).rejects.toMatchObject({
    upstream: { status: 409, hint: `Give trainingId: ${second}, ${first}.` },
  });
  for (const trainingId of [second, first]) {
    const { body } = await client.call(trainings.trainings_cancel, { ...at, trainingId });
    expect(body).toEqual({ trainingId, status: 'cancelled', refund: true });
    expect(await trainingOf(client, at, trainingId)).toMatchObject({ status: 'cancelled' });
    const task = await endOfTask(client, trainingId);
    expect(task).toMatchObject({ status: 'failed', error: 'The training was cancelled.' });
  }
  expect([own, child].filter(isRunning)).toEqual([]);
  expect(await readdir(join(data, 'scratch'))).toEqual([]);
  await expect(client.call(trainings.trainings_cancel, at)).rejects.toMatchObject({
    upstream: { status: 404 },
  });
});

it('takes a training to the trash, but not one whose model is deployed', async () => {
  const script = scriptOf('finish();');
  const { client } = scripted;
  const at = await smallVersion(client, 'removed');
  const begin = async () =>
    (await client.call(trainingExtensions.trainings_start, { ...at, ...script })).body.trainingId;
  const [first, second] = [await begin(), await begin()];
  await endOfTraining(client, at, first);
  expect((await endOfTraining(client, at, second)).training.status).toBe('finished');
  const model = { type: 'model_id', modelId: 'removed/1' } as const;
  await client.call(deployment.deployment_set_model, { ...at, model });
  // The id of the version stands for its newest model.
  const remove = (trainingId: string) =>
    client.call(trainings.trainings_delete, { ...at, trainingId });
  await expect(remove(second)).rejects.toMatchObject({
    upstream: { status: 409, message: 'Its model is deployed: removed/1.' },
  });
  const { body: older } = await client.call(trainingExtensions.trainings_get, {
    ...at,
    trainingId: first,
  });
  expect(older.models).toMatchObject([{ modelId: `removed/${first}` }]);
  const chosen = { type: 'model_id', modelId: `removed/${first}` } as const;
  await client.call(deployment.deployment_set_model, { ...at, model: chosen });
  await expect(remove(first)).rejects.toMatchObject({
    upstream: { status: 409, message: `Its model is deployed: removed/${first}.` },
  });
  await client.call(deployment.deployment_set_model, { ...at, model });
  const { body } = await remove(first);
  expect(body).toMatchObject({ deleted: true, type: 'training', id: first, alias: null });
  await expect(remove(first)).rejects.toMatchObject({ code: 'not_found' });
  const listed = async () =>
    (await client.call(projects.models_list, at)).body.models.map(({ id }) => id);
  expect(await listed()).toEqual([`removed/1/${second}`]);
  const parentId = String(body.parentId);
  const item = { workspace: 'acme', type: 'training', id: first, parentId } as const;
  await client.call(trash.trash_restore, item);
  expect(await listed()).toEqual([`removed/1/${second}`, `removed/1/${first}`]);
});

it('ends the trainings of a version that goes to the trash', async () => {
  const script = scriptOf('setInterval(() => {}, 1000);');
  const { client } = scripted;
  const at = await smallVersion(client, 'gone');
  const { trainingId } = (
    await client.call(trainingExtensions.trainings_start, { ...at, ...script })
  ).body;
  await client.call(versions.versions_delete, at);
  expect(await endOfTask(client, trainingId)).toMatchObject({
    status: 'failed',
    error: 'The training was cancelled.',
  });
});

describe('one data folder with a trainer, after another or none', () => {
  let data: string;
  let at: At;

  beforeAll(async () => {
    data = await mkdtemp(join(tmpdir(), 'fovea-trainings-'));
  });

  afterAll(() => rm(data, { recursive: true, force: true }));

  it('says what to configure where no trainer is', async () => {
    const { client } = await start({ data });
    at = await smallVersion(client, 'untrained');
    const started = client.call(trainingExtensions.trainings_start, at);
    const message = expect.stringMatching(/^No trainer is configured\. Set FOVEA_TRAINER to/);
    await expect(started).rejects.toMatchObject({ code: 'conflict', upstream: { message } });
    const { body: listed } = await client.call(trainingExtensions.trainings_list, at);
    expect(listed.trainings).toEqual([]);
  });

  it('starts a training over when its platform was stopped in the middle', async () => {
    const trainer = await scriptTrainer(`
      const mark = process.argv[1] + '.second';
      if (fs.existsSync(mark)) finish();
      else {
        fs.writeFileSync(mark, '');
        say(JSON.stringify({ epoch: 2, epochs: 5, metrics: { own: process.pid } }));
        setInterval(() => {}, 1000);
      }
    `);
    const first = await startTestPlatform({ trainer, data });
    const { trainingId } = (await first.client.call(trainingExtensions.trainings_start, at)).body;
    const { own = 0 } = await until(
      async () => (await trainingOf(first.client, at, trainingId)).metrics ?? undefined,
    );
    await first.close();
    expect(isRunning(own)).toBe(false);
    // Without a trainer it has a version made, and leaves the training to others.
    const other = await startTestPlatform({ data });
    await smallVersion(other.client, 'beside');
    const { status } = await trainingOf(other.client, at, trainingId);
    expect(['queued', 'running']).toContain(status);
    await other.close();
    const { client } = await start({ trainer, data });
    const { task, training } = await endOfTraining(client, at, trainingId);
    expect(task.status).toBe('completed');
    expect(training).toMatchObject({ status: 'finished', metrics: { map50: 0.5 } });
  });
});
