// Versions to train on, and trainers of a few lines, each a real program.

import { spawnSync } from 'node:child_process';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { onTestFinished } from 'vitest';
import { images } from '../../src/contract/images.ts';
import { projects } from '../../src/contract/projects.ts';
import { tasks } from '../../src/contract/tasks.ts';
import { trainingExtensions } from '../../src/contract/trainings.ts';
import { versions } from '../../src/contract/versions.ts';
import type { Client } from '../../src/http-client/client.ts';
import type { TrainerCommand } from '../../src/trainers/trainer-protocol.ts';
import { testImage } from '../fixtures/images.ts';

export const sample = resolve('sample/blood-cells');

/**
 * A program of Node whose body is `script`. It has `job`, `fs`, `say(line)`, and `finish(metrics)`,
 * which writes a model that runs and finds nothing.
 */
export async function scriptTrainer(script: string): Promise<TrainerCommand> {
  const { trainer, remove } = await writeTrainer(script);
  onTestFinished(remove);
  return trainer;
}

/** One whose script comes with each training, for many tests; its hook removes it. */
export function recipeTrainer() {
  return writeTrainer(
    "new Function('job', 'fs', 'say', 'finish', job.recipe.script)(job, fs, say, finish);",
  );
}

/** What a training says to be done by this script. */
export function scriptOf(script: string) {
  return { modelType: 'custom', trainRecipe: { script } };
}

async function writeTrainer(script: string) {
  const folder = await mkdtemp(join(tmpdir(), 'fovea-trainer-'));
  const path = join(folder, 'trainer.mjs');
  const head = `#!${process.execPath}
import fs from 'node:fs';
import { node, onnxModel, tensor } from ${JSON.stringify(resolve('test/fixtures/onnx-writer.ts'))};
const job = JSON.parse(fs.readFileSync(process.argv.at(-1), 'utf8'));
const say = (line) => process.stdout.write(line + '\\n');
const shape = [1, 4 + job.classes.length, 1];
const model = () => onnxModel({
  metadata: { names: JSON.stringify(job.classes) },
  input: [1, 3, 32, 32],
  output: shape,
  tensors: [tensor('zeros', shape, Array(shape[1]).fill(0))],
  nodes: [
    node('ReduceMean', ['images'], ['mean'], { axes: [1, 2, 3], keepdims: 0 }),
    node('Mul', ['mean', 'zeros'], ['output0']),
  ],
});
const metrics = { map50: 0.5, precision: 0.25, recall: 0.75 };
const finish = (figures = metrics) => {
  fs.writeFileSync(job.output + '/model.onnx', model());
  fs.writeFileSync(job.output + '/metrics.json', JSON.stringify(figures));
};
`;
  await writeFile(path, head + script);
  await chmod(path, 0o755);
  const trainer: TrainerCommand = { path, args: [], name: 'trainer.mjs' };
  return { trainer, remove: () => rm(folder, { recursive: true, force: true }) };
}

/** The sample as a project with its splits and boxes, and its first version. */
export async function bloodCellVersion(client: Client, name: string) {
  const project = await createProject(client, name);
  for (const [split, list] of [
    ['train', 'train.txt'],
    ['valid', 'val.txt'],
    ['test', 'test.txt'],
  ] as const) {
    const names = await readFile(join(sample, 'ImageSets/Main', list), 'utf8');
    for (const stem of names.split('\n').filter(Boolean)) {
      const content = await readFile(join(sample, 'JPEGImages', `${stem}.jpg`));
      const file = { name: `${stem}.jpg`, content };
      const { body } = await client.call(images.images_upload, { project, file, split });
      const annotationFile = await readFile(join(sample, 'Annotations', `${stem}.xml`), 'utf8');
      const annotation = { name: `${stem}.xml`, annotationFile };
      await client.call(images.images_annotate, { project, imageId: body.id, ...annotation });
    }
  }
  return generate(client, project);
}

interface Small {
  readonly type?: string;
  readonly trainImages?: number;
}

/** Small pictures with a box each, one of them valid: enough for a trainer that learns nothing. */
export async function smallVersion(client: Client, name: string, options: Small = {}) {
  const { type, trainImages = 1 } = options;
  const project = await createProject(client, name, type);
  const train = Array.from({ length: trainImages }, () => 'train' as const);
  for (const [index, split] of [...train, 'valid' as const].entries()) {
    const file = { name: `square-${index}.png`, content: await testImage(index) };
    const { body } = await client.call(images.images_upload, { project, file, split });
    await client.call(images.images_annotate, {
      project,
      imageId: body.id,
      name: 'box.txt',
      annotationFile: '0 0.25 0.25 0.5 0.5',
      labelmap: { 0: 'square' },
    });
  }
  return generate(client, project);
}

async function createProject(client: Client, name: string, type = 'object-detection') {
  const input = { workspace: 'acme', name, annotation: 'cells' };
  await client.call(projects.projects_create, Object.assign(input, { type: typeOf(type) }));
  return name;
}

function typeOf(name: string) {
  const types = [
    'object-detection',
    'instance-segmentation',
    'multi-label-classification',
  ] as const;
  return types.find((type) => type === name) ?? 'object-detection';
}

export async function generate(client: Client, project: string) {
  const input = { workspace: 'acme', project, preprocessing: {}, augmentation: {} };
  const { body } = await client.call(versions.versions_generate, input);
  await endOfTask(client, String(body.taskId));
  return { workspace: 'acme', project, version: Number(body.version) };
}

export type At = Awaited<ReturnType<typeof generate>>;

/** The task once it has ended, and the training as it is then. */
export async function endOfTraining(client: Client, at: At, trainingId: string) {
  const task = await endOfTask(client, trainingId);
  return { task, training: await trainingOf(client, at, trainingId) };
}

export async function trainingOf(client: Client, at: At, trainingId: string) {
  const { body } = await client.call(trainingExtensions.trainings_list, at);
  const training = body.trainings.find((one) => one.trainingId === trainingId);
  if (!training) throw new Error('the training is not listed');
  return training;
}

export async function endOfTask(client: Client, taskId: string) {
  return until(async () => {
    const { body } = await client.call(tasks.tasks_get, { workspace: 'acme', taskId });
    return body.status === 'completed' || body.status === 'failed' ? body : undefined;
  });
}

/** Asks until there is an answer. */
export async function until<T>(ask: () => Promise<T | undefined>): Promise<T> {
  for (;;) {
    const answer = await ask();
    if (answer !== undefined) return answer;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** Whether a process still runs; one that ended and was not waited for does not. */
export function isRunning(pid: number): boolean {
  const { stdout } = spawnSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' });
  return stdout.trim() !== '' && !stdout.trim().startsWith('Z');
}
