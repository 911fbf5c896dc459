// The contract with a trainer: what it is given, and how its output is read.

import { expect, it, onTestFinished } from 'vitest';
import * as z from 'zod';
import { trainingExtensions, trainings } from '../../src/contract/trainings.ts';
import { startTestPlatform } from '../fixtures/platform.ts';
import { isRelease } from '../fixtures/under-test.ts';
import { endOfTraining, scriptTrainer, smallVersion } from './test-trainers.ts';

it('gives the program a dataset, a job and no variable but those it is to have', async () => {
  const trainer = await scriptTrainer(`
    const { dataset, output, trainingId, ...rest } = job;
    const files = fs.readdirSync(dataset, { recursive: true }).sort();
    const label = fs.readFileSync(dataset + '/train/labels/square-0.txt', 'utf8');
    const env = Object.keys(process.env).sort();
    const words = process.argv.length;
    process.stderr.write(JSON.stringify({ rest, files, label, env, words, cwd: process.cwd() }));
    process.exit(1);
  `);
  const platform = await startTestPlatform({ trainer, environment: { MARK: '1' } });
  onTestFinished(() => platform.close());
  const { client } = platform;
  const at = await smallVersion(client, 'given');
  const hyperparameters = { epochs: 7, warmup: 3 };
  const { trainingId } = (
    await client.call(trainingExtensions.trainings_start, {
      ...at,
      modelType: 'custom',
      epochs: 9,
      trainRecipe: { hyperparameters, augmentation: [{ name: 'flip' }], note: 'kept' },
    })
  ).body;
  const { training } = await endOfTraining(client, at, trainingId);
  const told = z.looseObject({ cwd: z.string() }).parse(JSON.parse(training.log ?? ''));
  expect(told).toEqual({
    rest: {
      contract: 1,
      modelType: 'custom',
      task: 'detection',
      format: 'yolov8',
      classes: ['square'],
      recipe: {
        note: 'kept',
        // The recipe's own figure counts, not the one beside it.
        hyperparameters: { epochs: 7, warmup: 3, batchSize: 16, learningRate: 0.001 },
        augmentation: [{ name: 'flip' }],
      },
      state: expect.stringContaining(trainingId),
    },
    files: [
      'README.dataset.txt',
      'data.yaml',
      'train',
      'train/images',
      'train/images/square-0.png',
      'train/labels',
      'train/labels/square-0.txt',
      'valid',
      'valid/images',
      'valid/images/square-1.png',
      'valid/labels',
      'valid/labels/square-1.txt',
    ],
    label: '0 0.25 0.25 0.5 0.5\n',
    // A process of its own has these two, and its key, which no trainer is to have.
    env: ['ELECTRON_RUN_AS_NODE', ...(isRelease ? ['HOME', 'MARK', 'PATH'] : ['MARK'])],
    words: 3,
    cwd: expect.stringContaining(platform.data),
  });
});

it('reads reports among other output, and never goes back', async () => {
  const trainer = await scriptTrainer(`
    say('Epoch 1 of 4');
    say('{"epoch":1,"epochs":4,"metrics":{"loss":2.5,"name":"x","nan":null}}');
    say('y'.repeat(300_000));
    say('{"epoch":9,"epochs":4}');
    say('{"epoch":"2","epochs":4}');
    say('{"epoch":3,"epochs":4,"metrics":{"loss":1.5}}');
    say('{"epoch":2,"epochs":4,"metrics":{"loss":9}}');
    process.stderr.write('the end');
    process.exitCode = 2;
  `);
  const platform = await startTestPlatform({ trainer });
  onTestFinished(() => platform.close());
  const { client } = platform;
  const at = await smallVersion(client, 'reports');
  const { trainingId } = (await client.call(trainingExtensions.trainings_start, at)).body;
  const { task, training } = await endOfTraining(client, at, trainingId);
  expect(task.progress).toEqual({ current: 3, total: 4 });
  expect(training).toMatchObject({
    epoch: 3,
    epochs: 4,
    progress: 0.75,
    metrics: { loss: 1.5 },
    log: 'the end',
  });
});

it('says so where there is no such program', async () => {
  const trainer = { path: '/nowhere/trainer', args: [], name: 'trainer' };
  const platform = await startTestPlatform({ trainer });
  onTestFinished(() => platform.close());
  const { client } = platform;
  const at = await smallVersion(client, 'nowhere');
  const { trainingId } = (await client.call(trainingExtensions.trainings_start, at)).body;
  const { training } = await endOfTraining(client, at, trainingId);
  expect(training).toMatchObject({
    status: 'failed',
    error: 'The trainer "trainer" could not be started: see FOVEA_TRAINER.',
  });
});

it('starts from the weights of another training, which lie beside the job', async () => {
  const trainer = await scriptTrainer(`
    if (job.checkpoint === undefined) finish();
    else finish({ map50: 1, precision: 1, recall: 1, bytes: fs.statSync(job.checkpoint).size });
  `);
  const platform = await startTestPlatform({ trainer });
  onTestFinished(() => platform.close());
  const { client } = platform;
  const at = await smallVersion(client, 'resumed');
  const start = async (input: object) =>
    (await client.call(trainingExtensions.trainings_start, { ...at, ...input })).body.trainingId;
  await expect(start({ checkpoint: 'resumed/1' })).rejects.toMatchObject({
    upstream: { status: 400, message: 'checkpoint: is no trained model of this workspace' },
  });
  const first = await start({});
  await endOfTraining(client, at, first);
  const second = await start({ checkpoint: `resumed/1/${first}` });
  const { training } = await endOfTraining(client, at, second);
  expect(training.metrics?.bytes).toBe(234);
});

it('keeps models of other tasks, though they do not run here', async () => {
  const trainer = await scriptTrainer(`
    fs.writeFileSync(job.output + '/model.onnx', 'weights of ' + job.task + ' ' + job.format);
    fs.writeFileSync(job.output + '/metrics.json', '{"accuracy":0.75}');
  `);
  const platform = await startTestPlatform({ trainer });
  onTestFinished(() => platform.close());
  const { client } = platform;
  const at = await smallVersion(client, 'classes', { type: 'multi-label-classification' });
  const { body: recipe } = await client.call(trainings.trainings_recipe, {
    ...at,
    modelType: 'custom',
  });
  expect(recipe.schema).toMatchObject({ input: { format: 'multiclass', task: 'classification' } });
  const { trainingId } = (await client.call(trainingExtensions.trainings_start, at)).body;
  const { training } = await endOfTraining(client, at, trainingId);
  expect(training).toMatchObject({ status: 'finished', metrics: { accuracy: 0.75 } });
});
