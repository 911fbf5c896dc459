// Red squares to learn, and a trainer in Python that is started on them.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import sharp from 'sharp';
import { onTestFinished } from 'vitest';
import * as z from 'zod';
import type { PythonTrainer } from '../../src/trainer-names.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';

// Other tests run beside: threads that wait for each other would make it several times slower.
export const oneThread = { OMP_NUM_THREADS: '1' };

/** A red square on green, as PNG; its place follows from the number. */
export async function squareImage(side: number, index: number): Promise<Buffer> {
  const { left, top, width } = squareAt(side, index);
  const red = { create: { width, height: width, channels: 3, background: '#e01010' } } as const;
  const green = {
    create: { width: side, height: side, channels: 3, background: '#109020' },
  } as const;
  return sharp(green)
    .composite([{ input: await sharp(red).png().toBuffer(), left, top }])
    .png()
    .toBuffer();
}

function squareAt(side: number, index: number) {
  const width = Math.round(side / 3);
  const room = side - width;
  return { left: (index * 37) % room, top: (index * 53) % room, width };
}

export interface Squares {
  readonly trainer: Trainer;
  readonly jobFile: string;
  readonly dataset: string;
  readonly output: string;
  /** Writes the job with other hyperparameters. */
  write(hyperparameters: object): Promise<void>;
}

/** Which trainer does the jobs, and with what where a job says nothing else. */
export interface Trainer {
  readonly name: PythonTrainer;
  readonly python: string | undefined;
  readonly modelType: string;
  readonly hyperparameters: Readonly<Record<string, number>>;
}

/** A dataset of red squares, and the job that learns them: as Fovea writes both. */
export async function squaresJob(trainer: Trainer, hyperparameters: object = {}): Promise<Squares> {
  const folder = await temporaryFolder();
  const dataset = join(folder, 'dataset');
  for (const [split, numbers] of [
    ['train', [1, 2, 3, 4, 5, 6]],
    ['valid', [7]],
  ] as const) {
    await mkdir(join(dataset, split), { recursive: true });
    for (const number of numbers) {
      await writeFile(join(dataset, split, `${number}.png`), await squareImage(96, number));
    }
    await writeFile(join(dataset, split, '_annotations.coco.json'), coco(numbers));
  }
  const output = join(folder, 'output');
  const state = join(folder, 'state');
  for (const part of [output, state]) await mkdir(part);
  const jobFile = join(folder, 'job.json');
  const write = (others: object) =>
    writeFile(
      jobFile,
      JSON.stringify({
        contract: 1,
        trainingId: 'a',
        modelType: trainer.modelType,
        task: 'detection',
        format: 'coco',
        dataset,
        output,
        state,
        classes: ['square'],
        recipe: {
          weights: 'random',
          augmentation: [],
          hyperparameters: { ...trainer.hyperparameters, ...hyperparameters, ...others },
        },
      }),
    );
  await write({});
  return { trainer, jobFile, dataset, output, write };
}

/** Ids count from 1, and the first category is the parent of all: src/export-formats/coco.ts. */
export function coco(numbers: readonly number[]): string {
  return JSON.stringify({
    categories: [
      { id: 0, name: 'squares', supercategory: 'none' },
      { id: 1, name: 'square', supercategory: 'squares' },
    ],
    images: numbers.map((number, at) => ({ id: at + 1, file_name: `${number}.png` })),
    annotations: numbers.map((number, at) => {
      const { left, top, width } = squareAt(96, number);
      const bbox = [left, top, width, width];
      return { id: at + 1, image_id: at + 1, category_id: 1, bbox, iscrowd: 0 };
    }),
  });
}

export function start(
  { jobFile, trainer }: Squares,
  environment: Readonly<Record<string, string>> = {},
): ChildProcess {
  const words = ['-B', resolve(`trainers/${trainer.name}/train.py`), jobFile];
  const child = spawn(trainer.python ?? '', words, {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { ...process.env, ...oneThread, ...environment },
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

export async function ended(child: ChildProcess): Promise<unknown> {
  child.stdout?.resume();
  const [code] = await once(child, 'close');
  return code;
}

const reportSchema = z.looseObject({
  epoch: z.number(),
  metrics: z.record(z.string(), z.number()),
});

type Report = z.output<typeof reportSchema>;

/** All that it reports until its end. */
export async function reports(child: ChildProcess): Promise<readonly Report[]> {
  const found: Report[] = [];
  await reported(child, (report) => {
    found.push(report);
    return false;
  });
  return found;
}

/** Resolves at the report that is wanted, or at the end. */
export async function reported(
  child: ChildProcess,
  isWanted: (report: Report) => boolean,
): Promise<void> {
  if (child.stdout === null) throw new Error('It has no output.');
  for await (const line of createInterface({ input: child.stdout })) {
    if (isWanted(reportSchema.parse(JSON.parse(line)))) return;
  }
}

export async function metricsOf({ output }: Squares) {
  const text = await readFile(join(output, 'metrics.json'), 'utf8');
  return z.record(z.string(), z.number()).parse(JSON.parse(text));
}

export function modelIn(output: string): Promise<Buffer> {
  return readFile(join(output, 'model.onnx'));
}
