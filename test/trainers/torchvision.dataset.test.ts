// The trainer of torchvision, with the torch of this machine: what it writes runs here and finds
// what torch finds, and one that is killed goes on.

import { execFile } from 'node:child_process';
import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import sharp from 'sharp';
import { describe, expect, it, onTestFinished } from 'vitest';
import * as z from 'zod';
import { findPython } from '../../scripts/test-reference/find-python.ts';
import { type Fovea, launchFovea } from '../fixtures/fovea.ts';
import { entryUnderTest, nodeUnderTest } from '../fixtures/under-test.ts';
import {
  coco,
  ended,
  metricsOf,
  oneThread,
  reports,
  type Squares,
  squareImage,
  squaresJob,
  start,
} from './square-jobs.ts';
import { judgeTrainer } from './trainer-suite.ts';

const python = findPython(['torch', 'torchvision', 'onnx', 'PIL']);
const title =
  python === undefined
    ? 'torchvision (skipped: no Python with torch, torchvision and onnx; Debian has python3-torchvision and python3-onnx)'
    : 'torchvision';

const run = promisify(execFile);
const sample = resolve('sample/blood-cells');
const fcos = 'torchvision-fcos-resnet18';

const trainer = {
  name: 'torchvision',
  python,
  modelType: fcos,
  hyperparameters: { epochs: 4, batchSize: 2, learningRate: 0.001, patience: 50, imageSize: 96 },
} as const;

describe.skipIf(python === undefined)(title, { timeout: 300_000 }, () => {
  it('is set up, trains on the sample, and its deployed model finds cells', async () => {
    const fovea = await launchFovea({ FOVEA_TRAINER: 'torchvision', ...oneThread });
    onTestFinished(() => fovea.close());
    expect(await trainerCheck(fovea)).toMatchObject({
      ok: false,
      fix: 'Run fovea trainer install torchvision.',
    });
    const at = await sampleVersion(fovea);
    await expect(train(fovea, at, { epochs: 1 })).rejects.toThrow(
      /torchvision.* is not installed: run .*fovea trainer install torchvision/,
    );

    const words = ['trainer', 'install', 'torchvision', '--python', python ?? ''];
    const env = { PATH: '/usr/bin:/bin', HOME: fovea.folder, FOVEA_HOME: fovea.home };
    const args = [entryUnderTest(), ...words, '--system-site-packages'];
    const { stdout } = await run(nodeUnderTest, args, { env });
    expect(stdout).toContain('Set FOVEA_TRAINER=torchvision to train with it.');
    expect(await trainerCheck(fovea)).toMatchObject({
      ok: true,
      detail: expect.stringMatching(/torch \d.*torchvision \d.*onnx \d/),
    });

    const trained = await train(fovea, at, { epochs: 25, batchSize: 2, imageSize: 128 });
    expect(trained).toMatchObject({
      status: 'finished',
      modelType: 'torchvision-fcos-resnet18',
      metrics: { images_train: 8, images_valid: 2, images_test: 2, pretrained: 0 },
    });
    // How much it learns of eight images depends on which they are.
    expect(z.looseObject({ map50: z.number() }).parse(trained.metrics).map50).toBeGreaterThan(0);
    await detectsCells(fovea, trained.trainingId);
    await learnsColours(fovea);
  });

  it('writes a model that finds what torch finds with its weights', async () => {
    const job = await squaresJob(trainer, { epochs: 25 });
    const [first, ...others] = await reports(start(job));
    expect(first).toMatchObject({ epoch: 0, metrics: { pretrained: 0 } });
    expect(first?.metrics.seconds_left).toBeGreaterThan(0);
    expect(others).toHaveLength(25);
    expect((await metricsOf(job)).map50).toBeGreaterThan(0.5);
    const model = join(job.output, 'model.onnx');
    // Of the size of the model, where nothing is scaled, and larger and not square.
    const [plain, wide] = ['plain.png', 'wide.png'].map((name) => join(job.dataset, name));
    await writeFile(plain ?? '', await squareImage(96, 9));
    const large = sharp(await squareImage(400, 11)).extend({ right: 120, background: '#109020' });
    await writeFile(wide ?? '', await large.png().toBuffer());
    for (const [image, tolerance] of [
      [plain ?? '', { pixels: 0.1, score: 0.005, least: leastScore }],
      [wide ?? '', { pixels: 8, score: 0.1, least: 0.6 }],
    ] as const) {
      const here = await foundHere(model, image);
      expect(here.length).toBeGreaterThan(0);
      expectSame(here, await foundByTorch(model, image), tolerance);
    }
  });

  judgeTrainer(trainer, {
    // It tells at first where it stands.
    goesOn: (epochs) => expect(epochs).toEqual([2, 3, 4]),
    modelBytesMin: 1_000_000,
  });

  it('does not end before it has found anything', async () => {
    const job = await squaresJob(trainer, { epochs: 5, patience: 2 });
    // One pixel, which no epoch finds.
    const labels = coco([7]).replace(/"bbox":\[[^\]]*\]/, '"bbox":[0,0,1,1]');
    await writeFile(join(job.dataset, 'valid/_annotations.coco.json'), labels);
    expect(await ended(start(job))).toBe(0);
    expect(await metricsOf(job)).toMatchObject({ epochs: 5, best_epoch: 1, map50: 0 });
  });

  it.each([
    [
      'no labelled boxes to measure on',
      async (job: Squares) => {
        await writeFile(join(job.dataset, 'valid/_annotations.coco.json'), coco([]));
      },
    ],
    [
      'imageSize must be a multiple of 32',
      async (job: Squares) => {
        await job.write({ imageSize: 100 });
      },
    ],
  ])('says: %s', async (words, spoil) => {
    const job = await squaresJob(trainer);
    await spoil(job);
    const child = start(job);
    let said = '';
    child.stderr?.on('data', (text) => {
      said += text;
    });
    expect(await ended(child)).toBe(1);
    expect(said).toContain(words);
  });
});

async function trainerCheck(fovea: Fovea) {
  const { checks } = await fovea.ok('doctor');
  return Array.isArray(checks) && checks.find(({ check }) => check === 'trainer');
}

interface At {
  readonly project: string;
  readonly version: number;
}

async function sampleVersion(fovea: Fovea): Promise<At> {
  const project = 'cells';
  await fovea.ok('projects_create', {
    name: project,
    type: 'object-detection',
    annotation: 'cells',
  });
  for (const [split, list] of [
    ['train', 'train'],
    ['valid', 'val'],
    ['test', 'test'],
  ]) {
    await fovea.ok('images_upload', {
      project,
      files: [join(sample, 'JPEGImages')],
      annotations: join(sample, 'Annotations'),
      list: join(sample, `ImageSets/Main/${list}.txt`),
      split,
    });
  }
  const settings = { preprocessing: { 'auto-orient': true }, augmentation: {} };
  await fovea.ok('versions_generate', { project, ...settings });
  await fovea.ok('tasks_wait', { project, version: 1 });
  return { project, version: 1 };
}

/** The training once it has ended. */
async function train(fovea: Fovea, at: At, hyperparameters: object, modelType = fcos) {
  const started = await fovea.ok('trainings_start', {
    ...at,
    modelType,
    trainRecipe: { hyperparameters, weights: 'random' },
  });
  const wait = { taskId: started.jobId, timeout_s: 45 };
  while (!(await fovea.call('tasks_wait', wait)).data.done);
  const { trainings } = await fovea.ok('trainings_list', { ...at });
  const all = z.array(z.looseObject({ trainingId: z.string() })).parse(trainings);
  const found = all.find(({ trainingId }) => trainingId === started.trainingId);
  if (found === undefined) throw new Error('The training is not listed.');
  return found;
}

/** Boxes of the deployed model on an image that it has not seen. */
async function detectsCells(fovea: Fovea, trainingId: string): Promise<void> {
  const model = { type: 'model_id', modelId: `cells/1/${trainingId}` };
  await fovea.ok('deployment_set_model', { project: 'cells', model });
  const file = join(sample, 'JPEGImages/BloodImage_00338.jpg');
  const { predictions } = await fovea.ok('inference_run', {
    project: 'cells',
    file,
    confidence: 0.3,
  });
  const labels = z.array(z.looseObject({ class: z.string() })).parse(predictions);
  expect(labels.map((one) => one.class)).toContain('RBC');
}

/** From images of one colour to a deployed model that tells them apart. */
async function learnsColours(fovea: Fovea): Promise<void> {
  const at = { project: 'colours', version: 1 };
  const type = 'single-label-classification';
  await fovea.ok('projects_create', { name: at.project, type, annotation: 'colour' });
  const folder = join(fovea.folder, 'colours');
  // No two images are the same.
  for (const [split, count, least] of [
    ['train', 16, 150],
    ['valid', 4, 152],
    ['test', 4, 154],
  ] as const) {
    const files = join(folder, split);
    await mkdir(files, { recursive: true });
    for (let n = 0; n < count; n += 1) {
      const name = n % 2 === 0 ? 'green' : 'red, or so';
      await writeFile(join(files, `${n}.txt`), name);
      await writeFile(join(files, `${n}.png`), await plainImage(name === 'green', least + 6 * n));
    }
    const project = at.project;
    await fovea.ok('images_upload', { project, files: [files], annotations: files, split });
  }
  await fovea.ok('versions_generate', { project: at.project, preprocessing: {}, augmentation: {} });
  await fovea.ok('tasks_wait', at);
  const resnet = 'torchvision-resnet18';
  const trained = await train(fovea, at, { epochs: 8, batchSize: 4, imageSize: 32 }, resnet);
  expect(trained).toMatchObject({
    status: 'finished',
    modelType: resnet,
    metrics: { accuracy: 1, test_accuracy: 1, images_train: 16, images_valid: 4 },
  });
  const model = { type: 'model_id', modelId: `colours/1/${trained.trainingId}` };
  await fovea.ok('deployment_set_model', { project: at.project, model });
  const file = join(folder, 'test/1.png');
  const seen = await fovea.ok('inference_run', { project: at.project, file });
  expect(seen).toMatchObject({ top: 'red, or so' });
  const judged = { ...at, split: 'test' };
  const { taskId } = await fovea.ok('evaluations_create', judged);
  const waited = await fovea.ok('tasks_wait', { taskId });
  expect(waited).toMatchObject({ done: true, result: { accuracy: 1 } });
}

function plainImage(isGreen: boolean, strength: number): Promise<Buffer> {
  const background = { r: isGreen ? 20 : strength, g: isGreen ? strength : 20, b: 60 };
  return sharp({ create: { width: 40, height: 32, channels: 3, background } })
    .png()
    .toBuffer();
}

interface Detection {
  readonly label: number;
  readonly score: number;
  /** Left, top, right, bottom, in pixels of the image. */
  readonly corners: readonly number[];
}

/** What the runtime here finds with the model of a file. */
async function foundHere(model: string, image: string): Promise<readonly Detection[]> {
  const fovea = await launchFovea({ FOVEA_MODEL: model });
  onTestFinished(() => fovea.close());
  await fovea.ok('projects_create', { name: 'seen', type: 'object-detection', annotation: 'x' });
  const file = join(fovea.folder, 'image.png');
  await copyFile(image, file);
  const { predictions } = await fovea.ok('inference_run', {
    project: 'seen',
    version: 'local',
    file,
    confidence: leastScore,
  });
  const [x, y, width, height] = [z.number(), z.number(), z.number(), z.number()];
  const box = z.looseObject({ class_id: z.number(), confidence: z.number(), x, y, width, height });
  return z
    .array(box)
    .parse(predictions)
    .map((one) => ({
      label: one.class_id,
      score: one.confidence,
      corners: [
        one.x - one.width / 2,
        one.y - one.height / 2,
        one.x + one.width / 2,
        one.y + one.height / 2,
      ],
    }));
}

/** What torch finds with the weights of that file. */
async function foundByTorch(model: string, image: string): Promise<readonly Detection[]> {
  const script = resolve('test/trainers/torch-detections.py');
  const words = [model, 'torchvision-fcos-resnet18', '1', '96', String(leastScore), image];
  const { stdout } = await run(python ?? '', ['-B', script, ...words]);
  return z
    .array(z.array(z.number()))
    .parse(JSON.parse(stdout))
    .map(([label = -1, score = 0, ...corners]) => ({ label, score, corners }));
}

const leastScore = 0.2;

interface Wanted {
  readonly pixels: number;
  readonly score: number;
  /** Boxes below it differ with the pixels that two libraries make of a scaled image. */
  readonly least: number;
}

/** Every box of one list is in the other, but those whose score is at the threshold. */
function expectSame(
  one: readonly Detection[],
  other: readonly Detection[],
  { pixels, score, least }: Wanted,
): void {
  for (const [these, those] of [
    [one, other],
    [other, one],
  ] as const) {
    for (const each of these.filter((box) => box.score > least + score)) {
      const twin = those.find(
        (box) =>
          box.label === each.label &&
          Math.abs(box.score - each.score) <= score &&
          box.corners.every((edge, at) => Math.abs(edge - (each.corners[at] ?? 0)) <= pixels),
      );
      expect(twin, JSON.stringify({ each, those })).toBeDefined();
    }
  }
}
