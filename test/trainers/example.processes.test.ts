// The example trainer: how it is set up, what it learns, and the model that it writes.

import { execFile } from 'node:child_process';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import sharp from 'sharp';
import { describe, expect, it, onTestFinished } from 'vitest';
import * as z from 'zod';
import { openOnnxSession } from '../../src/model-inference/onnx-session.ts';
import {
  exampleTrainer,
  hasExampleTrainer,
  needsExampleTrainer,
} from '../fixtures/example-trainer.ts';
import { launchFovea } from '../fixtures/fovea.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';
import { entryUnderTest, nodeUnderTest } from '../fixtures/under-test.ts';
import {
  coco,
  ended,
  metricsOf,
  modelIn,
  reports,
  squareImage,
  squaresJob,
  start,
} from './square-jobs.ts';
import { judgeTrainer } from './trainer-suite.ts';

const run = promisify(execFile);

const trainer = {
  name: 'example',
  python: exampleTrainer.path,
  modelType: 'fovea-example',
  hyperparameters: { epochs: 25, learningRate: 0.004, patience: 300 },
} as const;

function install(folder: string, words: readonly string[], path = '/usr/bin:/bin') {
  const env = { PATH: path, HOME: folder, FOVEA_HOME: join(folder, 'home') };
  return run(nodeUnderTest, [entryUnderTest(), 'trainer', 'install', 'example', ...words], { env });
}

it('is not there at first, and all say how it is set up', async () => {
  const fovea = await launchFovea({ FOVEA_TRAINER: 'example' });
  onTestFinished(() => fovea.close());
  const check = { checks: expect.arrayContaining([expect.objectContaining(absent)]) };
  expect(await fovea.ok('doctor')).toMatchObject(check);
  const project = 'cells';
  await fovea.ok('projects_create', { name: project, type: 'object-detection', annotation: 'c' });
  const files = [resolve('sample/blood-cells/JPEGImages/BloodImage_00338.jpg')];
  const annotations = resolve('sample/blood-cells/Annotations');
  await fovea.ok('images_upload', { project, files, annotations });
  await fovea.ok('versions_generate', { project, preprocessing: {}, augmentation: {} });
  await fovea.ok('tasks_wait', { project, version: 1 });
  const { isError, text } = await fovea.call('trainings_start', { project, version: 1 });
  expect(isError).toBe(true);
  expect(text).toContain('is not installed: run \\"fovea trainer install example\\"');
  // Nothing is queued that can only fail.
  expect(await fovea.ok('trainings_list', { project, version: 1 })).toMatchObject({
    trainings: [],
  });
});

const absent = {
  check: 'trainer',
  ok: false,
  detail: '"example" is not installed.',
  fix: 'Run fovea trainer install example.',
};

it('needs a Python, and says so where there is none', async () => {
  const failed = install(await temporaryFolder(), [], '/nowhere');
  await expect(failed).rejects.toMatchObject({
    stderr: expect.stringMatching(/No Python was found on the PATH\..*Install Python 3\.10/s),
  });
});

it('is not there after an installation that failed', async () => {
  const folder = await temporaryFolder();
  await mkdir(join(folder, 'bin'));
  const python = join(folder, 'bin', 'python3');
  // Makes an environment whose Python fetches nothing.
  const making = [
    '#!/bin/sh',
    'for last; do :; done',
    'mkdir -p "$last/bin"',
    String.raw`printf '#!/bin/sh\nexit 1\n' > "$last/bin/python"`,
    'chmod +x "$last/bin/python"',
  ].join('\n');
  await writeFile(python, making, { mode: 0o755 });
  await expect(install(folder, ['--python', python])).rejects.toMatchObject({
    stderr: expect.stringContaining('pip could not install the packages.'),
  });
  expect(await readdir(join(folder, 'home', 'trainers'))).toEqual([]);
});

const cocoSchema = z.looseObject({
  images: z.array(z.looseObject({ id: z.number(), file_name: z.string() })),
  annotations: z.array(z.unknown()),
});

describe.skipIf(!hasExampleTrainer)(`on this Python${needsExampleTrainer}`, () => {
  it('is installed without fetching anything', async () => {
    const folder = await temporaryFolder();
    const words = ['--python', trainer.python, '--system-site-packages'];
    const { stdout } = await install(folder, words);
    expect(stdout).toMatch(/example is installed in .*: Python 3.*, numpy .*, pillow .*, onnx /);
    expect(stdout).toContain('example is under MIT.');
    expect(stdout).toContain('Set FOVEA_TRAINER=example to train with it.');
  });

  it('learns where red squares are, reports each epoch, and gives the same model again', async () => {
    const [job, again] = [await squaresJob(trainer), await squaresJob(trainer)];
    await testSplitOf(job.dataset);
    await testSplitOf(again.dataset);
    const said = await reports(start(job));
    expect(said.map(({ epoch }) => epoch)).toEqual(Array.from({ length: 25 }, (_, at) => at + 1));
    for (const { metrics } of said) {
      expect(Object.keys(metrics)).toEqual([
        ...['loss', 'map50', 'map50_95', 'precision', 'recall', 'confidence'],
        ...['seconds_per_epoch', 'seconds_left'],
      ]);
    }
    expect(said.at(-1)?.metrics.loss).toBeLessThan(said[0]?.metrics.loss ?? 0);
    const metrics = await metricsOf(job);
    expect(metrics).toMatchObject({ map50: 1, recall: 1, epochs: 25, test_map50: 1 });
    expect(metrics).toMatchObject({ images_train: 6, images_valid: 1, images_test: 1 });
    expect(await ended(start(again))).toBe(0);
    expect((await modelIn(again.output)).equals(await modelIn(job.output))).toBe(true);
  });

  it('gives the same model of the same images by other names, in another order', async () => {
    const job = await squaresJob(trainer, { epochs: 5 });
    const other = await squaresJob(trainer, { epochs: 5 });
    const train = join(other.dataset, 'train');
    const table = cocoSchema.parse(JSON.parse(coco([6, 3, 1, 5, 2, 4])));
    for (const image of table.images) {
      const name = `again-${image.id}.png`;
      await rename(join(train, image.file_name), join(train, name));
      image.file_name = name;
    }
    table.annotations.reverse();
    await writeFile(join(train, '_annotations.coco.json'), JSON.stringify(table));
    for (const one of [job, other]) expect(await ended(start(one))).toBe(0);
    expect((await modelIn(other.output)).equals(await modelIn(job.output))).toBe(true);
    expect(await metricsOf(other)).toEqual(await metricsOf(job));
  });

  it('writes a model that computes what the trainer does', async () => {
    const job = await squaresJob(trainer, { epochs: 8 });
    expect(await ended(start(job))).toBe(0);
    const image = join(job.dataset, 'plain.png');
    const bytes = await squareImage(320, 9);
    await writeFile(image, bytes);
    const [model, side] = [await modelIn(job.output), 320];
    const words = ['-B', resolve('test/trainers/example-outputs.py')];
    const { stdout } = await run(trainer.python, [...words, join(job.output, 'model.onnx'), image]);
    const expected = z.array(z.array(z.number())).parse(JSON.parse(stdout));
    const pixels = await sharp(bytes).removeAlpha().raw().toBuffer();
    const values = Float32Array.from({ length: 3 * side * side }, (_, at) => {
      const [colour, place] = [Math.floor(at / (side * side)), at % (side * side)];
      return (pixels[place * 3 + colour] ?? 0) / 255;
    });
    const session = await openOnnxSession(model);
    const [output] = await session.run({ values, dims: [1, 3, side, side] }, ['output']);
    expect(output?.dims).toEqual([1, 5, 400]);
    expect(expected).toHaveLength(400);
    for (const [cell, numbers] of expected.entries()) {
      for (const [row, number] of numbers.entries()) {
        expect(output?.values[row * 400 + cell]).toBeCloseTo(number, row === 4 ? 3 : 1);
      }
    }
  });

  judgeTrainer(trainer, {
    goesOn: (epochs) => {
      expect(epochs[0]).toBeGreaterThan(2);
      expect(epochs.at(-1)).toBe(25);
    },
    modelBytesMin: 30_000,
  });

  it.each([
    ['train', 'to learn from'],
    ['valid', 'to measure on'],
  ])('says that the %s split has nothing %s', async (split, purpose) => {
    const job = await squaresJob(trainer);
    const words = `The ${split} split has no labelled boxes ${purpose}.\n`;
    await writeFile(join(job.dataset, split, '_annotations.coco.json'), coco([]));
    expect(await refusalOf(job)).toBe(words);
    await rm(join(job.dataset, split), { recursive: true });
    expect(await refusalOf(job)).toBe(words);
    await expect(readFile(join(job.output, 'metrics.json'))).rejects.toThrow('ENOENT');
  });
});

async function refusalOf(job: Parameters<typeof start>[0]): Promise<string> {
  const child = start(job);
  let said = '';
  child.stderr?.on('data', (text) => {
    said += text;
  });
  expect(await ended(child)).toBe(1);
  return said;
}

async function testSplitOf(dataset: string): Promise<void> {
  await mkdir(join(dataset, 'test'));
  await writeFile(join(dataset, 'test/8.png'), await squareImage(96, 8));
  await writeFile(join(dataset, 'test/_annotations.coco.json'), coco([8]));
}
