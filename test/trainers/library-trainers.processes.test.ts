// The trainers of Ultralytics and RF-DETR, whose libraries the tests cannot fetch: what they do of
// their own, with stand-ins that have the calls and callbacks of the libraries.

import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { readOnnxMetadata } from '../../src/model-inference/onnx-metadata.ts';
import { openOnnxSession } from '../../src/model-inference/onnx-session.ts';
import { findModelType, startsAnew } from '../../src/trainers/recipes.ts';
import {
  exampleTrainer,
  hasExampleTrainer,
  needsExampleTrainer,
} from '../fixtures/example-trainer.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';
import { entryUnderTest, nodeUnderTest } from '../fixtures/under-test.ts';
import {
  ended,
  metricsOf,
  modelIn,
  reported,
  reports,
  type Squares,
  squaresJob,
  start,
} from './square-jobs.ts';

const run = promisify(execFile);
const libraries = { PYTHONPATH: resolve('test/trainers/stand-ins') };
const isMissing = !hasExampleTrainer;

const yolo = {
  name: 'ultralytics',
  python: exampleTrainer.path,
  modelType: 'ultralytics-yolo26n',
  hyperparameters: {
    epochs: 5,
    batchSize: 2,
    learningRate: 0.01,
    patience: 4,
    imageSize: 96,
    seed: 7,
  },
} as const;

describe('what comes along', () => {
  it.skipIf(isMissing)(
    `has its licence said before it is fetched${needsExampleTrainer}`,
    async () => {
      const folder = await temporaryFolder();
      const env = { PATH: '/usr/bin:/bin', HOME: folder, FOVEA_HOME: join(folder, 'home') };
      const words = ['trainer', 'install', 'ultralytics', '--python', exampleTrainer.path];
      const args = [entryUnderTest(), ...words, '--system-site-packages'];
      await expect(run(nodeUnderTest, args, { env })).rejects.toMatchObject({
        stdout: expect.stringMatching(/^ultralytics is under AGPL-3\.0\. Who passes on a program/),
        stderr: expect.stringContaining('ultralytics does not run: '),
      });
      const listed = await run(nodeUnderTest, [entryUnderTest(), 'trainer', 'list'], { env });
      expect(listed.stdout).toContain('torchvision (BSD-3-Clause): not installed');
      expect(listed.stdout).toContain('ultralytics (AGPL-3.0): is installed and does not run: ');
      expect(listed.stdout).toContain('rf-detr (Apache-2.0): not installed');
    },
  );

  it.each([
    ['ultralytics', 'object-detection', 'ultralytics-yolo26n', 'yolov8', 640],
    ['ultralytics', 'instance-segmentation', 'ultralytics-yolo26n-seg', 'yolov8', 640],
    ['ultralytics', 'keypoint-detection', 'ultralytics-yolo26n-pose', 'yolov8', 640],
    ['ultralytics', 'single-label-classification', 'ultralytics-yolo26n-cls', 'multiclass', 224],
    ['rf-detr', 'instance-segmentation', 'rf-detr-nano', 'coco', undefined],
    ['torchvision', 'instance-segmentation', 'torchvision-fcos-resnet18', 'coco', 320],
  ] as const)('%s trains %s projects as %s', (name, project, type, format, side) => {
    const found = findModelType(undefined, project, { path: '', args: [], name });
    expect(found).toMatchObject({ name: type, format });
    expect(found.hyperparameters.imageSize?.advice.default).toBe(side);
    expect(Object.keys(found.hyperparameters)).toContain('patience');
  });

  it('takes ONNX files to start from with torchvision alone', () => {
    expect(startsAnew('rf-detr-nano')).toBe('rf-detr');
    expect(startsAnew('torchvision-ssdlite')).toBeUndefined();
    expect(startsAnew('yolov8n')).toBeUndefined();
  });
});

describe.skipIf(isMissing)(`ultralytics${needsExampleTrainer}`, { timeout: 60_000 }, () => {
  it('passes on what a job says, reports each epoch once, and keeps the best weights', async () => {
    const job = await yoloJob();
    const { said, calls, code } = await whole(job);
    expect(code).toBe(0);
    // The first says how long it takes; that of the best weights is no epoch.
    expect(said.map(({ epoch }) => epoch)).toEqual([0, 1, 2, 3, 4, 5]);
    expect(said[0]?.metrics).toMatchObject({ pretrained: 0, seconds_left: expect.any(Number) });
    expect(said[5]?.metrics).toMatchObject({ loss: 2, map50: 1, recall: 1, seconds_left: 0 });
    const data = join(job.dataset, 'data.yaml');
    expect(calls).toMatchObject([
      {
        call: 'train',
        model: 'yolo26n.yaml',
        data,
        epochs: 5,
        batch: 2,
        imgsz: 96,
        patience: 4,
        seed: 7,
        lr0: 0.01,
        optimizer: 'AdamW',
        amp: false,
      },
      { call: 'val', split: 'val', data },
      { call: 'export', format: 'onnx', imgsz: 96, nms: false, dynamic: false },
      { call: 'val', split: 'test' },
    ]);
    expect(await metricsOf(job)).toMatchObject({
      map50: 0.5,
      test_map50: 0.25,
      test_recall: 0.25,
      epochs: 5,
      best_epoch: 5,
      images_train: 6,
      images_valid: 1,
      images_test: 1,
      pretrained: 0,
    });
    expect(readOnnxMetadata(await modelIn(job.output)).classes).toEqual(['square']);
  });

  it('goes on where it was killed, and ends with what it has', async () => {
    const job = await yoloJob({ epochs: 200 });
    const first = start(job, libraries);
    await reported(first, ({ epoch }) => epoch === 2);
    first.kill('SIGKILL');
    await once(first, 'exit');
    const second = start(job, libraries);
    const before: number[] = [];
    await reported(second, ({ epoch }) => {
      before.push(epoch);
      return epoch >= 10;
    });
    second.kill('SIGTERM');
    expect(await ended(second)).toBe(0);
    expect(Math.min(...before)).toBeGreaterThanOrEqual(2);
    const { epochs, map50 } = await metricsOf(job);
    expect(epochs).toBeGreaterThanOrEqual(10);
    expect(epochs).toBeLessThan(200);
    expect(map50).toBe(0.5);
  });

  it('does not train again what was killed at its end', async () => {
    const job = await yoloJob();
    expect((await whole(job)).code).toBe(0);
    const { code, said } = await whole(job);
    expect(code).toBe(0);
    expect(said).toEqual([]);
  });

  it('gives classes of whole images as folders in their order', async () => {
    const job = await yoloJob();
    await classesOf(job, 'train', ['1.png, 1, 0', '2.png, 0, 1', '3.png, 0, 0']);
    await classesOf(job, 'valid', ['7.png, 0, 1']);
    await asClassification(job);
    const { calls, code } = await whole(job);
    expect(code).toBe(0);
    expect(calls[0]?.files).toEqual(['train/00000/1.png', 'train/00001/2.png', 'val/00001/7.png']);
    expect(await metricsOf(job)).toMatchObject({ accuracy: 0.5, images_train: 3 });
    expect(readOnnxMetadata(await modelIn(job.output)).classes).toEqual(['red, or so', 'green']);
    await classesOf(job, 'train', ['1.png, 1, 1']);
    const refused = await whole(await again(job));
    expect(refused).toMatchObject({ code: 1, words: expect.stringMatching(/has several classes/) });
  });

  it('says what is missing, and what it cannot take', async () => {
    const job = await yoloJob();
    const words = `No module named 'ultralytics': run "fovea trainer install ultralytics".\n`;
    expect(await whole(job, {})).toMatchObject({ code: 1, words });
    await change(job, { checkpoint: '/model.onnx' });
    const refused = { code: 1, words: expect.stringMatching(/leave out checkpoint/) };
    expect(await whole(job)).toMatchObject(refused);
  });
});

describe.skipIf(isMissing)(`rf-detr${needsExampleTrainer}`, { timeout: 60_000 }, () => {
  const detr = {
    name: 'rf-detr',
    python: '',
    modelType: 'rf-detr-nano',
    hyperparameters: { epochs: 4, batchSize: 4, learningRate: 0.0002, patience: 3 },
  } as const;
  let python: string;

  // Published weights are kept in its environment.
  beforeAll(async () => {
    const folder = await mkdtemp(join(tmpdir(), 'fovea-rf-detr-'));
    const words = ['-m', 'venv', '--system-site-packages', '--without-pip', folder];
    await run(exampleTrainer.path, words);
    python = join(folder, 'bin/python');
    return () => rm(folder, { recursive: true, force: true });
  });

  it('starts from published weights, which it fetches when asked to', async () => {
    const job = await squaresJob({ ...detr, python });
    await change(job, { recipe: recipeOf(detr, 'local') });
    const why = expect.stringContaining('set trainRecipe.weights to "download" once');
    expect(await whole(job)).toMatchObject({ code: 1, words: why });
    for (const weights of ['download', 'local']) {
      await change(job, { recipe: recipeOf(detr, weights) });
      const { code, calls } = await whole(await again(job));
      expect(code).toBe(0);
      expect(calls[0]).toMatchObject({
        weights: 'rf-detr-nano.pth',
        epochs: 4,
        first: 0,
        lr: 0.0002,
        batch_size: 4,
        grad_accum_steps: 4,
        early_stopping_patience: 3,
        run_test: false,
      });
    }
  });

  it('gives it images as Fovea runs the model, and writes a model that runs here', async () => {
    const job = await squaresJob({ ...detr, python });
    await copySplit(job, 'valid', 'test');
    await change(job, { classes: ['square', 'round'], recipe: recipeOf(detr, 'download') });
    const { said, calls, code } = await whole(job);
    expect(code).toBe(0);
    expect(said.map(({ epoch }) => epoch)).toEqual([0, 1, 2, 3, 4]);
    expect(said[4]?.metrics).toMatchObject({ loss: 2, map50: 1, map50_95: 0.5, precision: 0.75 });
    expect(calls[0]?.run_test).toBe(true);
    const { images, annotations, categories } = coco.parse(calls[0]?.coco);
    expect(images[0]).toEqual({ id: 0, file_name: '0.png', width: 384, height: 384 });
    // A square of 32 pixels in an image of 96.
    expect(annotations[0]).toMatchObject({ category_id: 1, area: 128 * 128 });
    expect(categories.map(({ name }) => name)).toEqual(['objects', 'square', 'round']);
    expect(await metricsOf(job)).toMatchObject({
      map50: 1,
      map50_95: 0.5,
      recall: 0.5,
      epochs: 4,
      best_epoch: 4,
      test_map50: 0.5,
      test_map50_95: 0.25,
      test_recall: 0.125,
      images_test: 1,
    });
    const model = await modelIn(job.output);
    expect(readOnnxMetadata(model).classes).toEqual(['square', 'round']);
    const session = await openOnnxSession(model);
    // One deviation more than the mean of each colour.
    const colours = [0.485 + 0.229, 0.456 + 0.224, 0.406 + 0.225];
    const values = Float32Array.from(
      { length: 3 * 384 * 384 },
      (_, at) => colours[Math.floor(at / (384 * 384))] ?? 0,
    );
    const [output] = await session.run({ values, dims: [1, 3, 384, 384] }, ['output']);
    expect(output?.dims).toEqual([1, 6, 3]);
    const rows = [192, 96, 48, 24, 1 / (1 + Math.exp(-1)), 0.5];
    for (const [row, value] of rows.entries()) {
      expect(output?.values[row * 3]).toBeCloseTo(value, 3);
    }
  });

  it('goes on where it was killed, and ends with what it has', async () => {
    const job = await squaresJob({ ...detr, python }, { epochs: 200 });
    await change(job, { recipe: recipeOf(detr, 'download', 200) });
    const first = start(job, libraries);
    await reported(first, ({ epoch }) => epoch === 2);
    first.kill('SIGKILL');
    await once(first, 'exit');
    const second = start(job, libraries);
    await reported(second, ({ epoch }) => epoch >= 10);
    second.kill('SIGTERM');
    expect(await ended(second)).toBe(0);
    const { epochs } = await metricsOf(job);
    expect(epochs).toBeGreaterThanOrEqual(10);
    expect(epochs).toBeLessThan(200);
  });

  it('says what is missing', async () => {
    const job = await squaresJob({ ...detr, python });
    const words = `No module named 'rfdetr': run "fovea trainer install rf-detr".\n`;
    expect(await whole(job, {})).toMatchObject({ code: 1, words });
  });
});

const coco = z.object({
  images: z.array(z.unknown()),
  annotations: z.array(z.unknown()),
  categories: z.array(z.looseObject({ name: z.string() })),
});

function recipeOf(
  { hyperparameters }: typeof yolo | { hyperparameters: object },
  weights: string,
  epochs?: number,
) {
  return {
    weights,
    hyperparameters: { ...hyperparameters, ...(epochs !== undefined && { epochs }) },
  };
}

/** Runs a job to its end: its reports, what the library was given, and its last words. */
async function whole(job: Squares, environment: Record<string, string> = libraries) {
  const child = start(job, environment);
  let words = '';
  child.stderr?.on('data', (text) => {
    words += text;
  });
  const exit = once(child, 'close');
  const said = await reports(child);
  const [code] = await exit;
  const calls = words
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => z.record(z.string(), z.unknown()).parse(JSON.parse(line)));
  return { said, code, calls, words };
}

/** The same job, of which nothing was done before. */
async function again(job: Squares): Promise<Squares> {
  const state = await temporaryFolder();
  await change(job, { state });
  return job;
}

async function change(job: Squares, members: object): Promise<void> {
  const given = JSON.parse(await readFile(job.jobFile, 'utf8'));
  await writeFile(job.jobFile, JSON.stringify({ ...given, ...members }));
}

/** Its images where YOLO has them, and a test split. */
async function yoloJob(hyperparameters: object = {}): Promise<Squares> {
  const job = await squaresJob(yolo, hyperparameters);
  for (const [split, numbers] of [
    ['train', [1, 2, 3, 4, 5, 6]],
    ['valid', [7]],
    ['test', [7]],
  ] as const) {
    const from = split === 'test' ? 'valid' : split;
    await mkdir(join(job.dataset, split, 'images'), { recursive: true });
    for (const number of numbers) {
      const image = await readFile(join(job.dataset, from, `${number}.png`));
      await writeFile(join(job.dataset, split, `images/${number}.png`), image);
    }
  }
  return job;
}

async function copySplit({ dataset }: Squares, from: string, to: string): Promise<void> {
  await mkdir(join(dataset, to));
  for (const name of ['7.png', '_annotations.coco.json']) {
    await writeFile(join(dataset, to, name), await readFile(join(dataset, from, name)));
  }
}

/** Each row as Fovea writes it: a blank before each value but the first. */
async function classesOf({ dataset }: Squares, split: string, rows: readonly string[]) {
  const head = 'filename," red, or so", green';
  await writeFile(join(dataset, split, '_classes.csv'), `${[head, ...rows].join('\n')}\n`);
}

async function asClassification(job: Squares): Promise<void> {
  const modelType = 'ultralytics-yolo26n-cls';
  await change(job, { modelType, task: 'classification', classes: ['red, or so', 'green'] });
}
