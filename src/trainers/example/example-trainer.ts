// A small trainer that is built in: it learns colours on a coarse grid, not shapes.

import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { membersOf } from '../../json-object.ts';
import { randomFrom } from '../../seeded-random.ts';
import { trainerFiles } from '../trainer-protocol.ts';
import { qualityOf } from './evaluate.ts';
import { channels } from './features.ts';
import { createFit, type Example } from './fit.ts';
import { modelFile, type Scaling } from './model-graph.ts';
import { readSplit } from './read-dataset.ts';

export interface ExampleRun {
  /** Takes a line for each epoch. */
  say(line: string): void;
  /** Whether it is to end with what it has. */
  isStopped(): boolean;
}

/**
 * Does what a job file says. The same dataset gives the same model. Throws an Error with a message
 * for people where there is nothing to learn from, or nothing to measure on.
 */
export async function trainExample(jobFile: string, run: ExampleRun): Promise<void> {
  const job = readJob(JSON.parse(await readFile(jobFile, 'utf8')));
  const train = await readSplit(job.dataset, 'train', imagesMax);
  if (train.every(({ boxes }) => boxes.length === 0)) {
    throw new Error('The train split has no labelled boxes to learn from.');
  }
  const valid = await readSplit(job.dataset, 'valid', imagesMax / 4);
  if (valid.every(({ boxes }) => boxes.length === 0)) {
    // Figures of images that it has learned would stand under the names of those that count.
    throw new Error('The valid split has no labelled boxes to measure on.');
  }
  const scaling = scalingOf(train);
  const examples = train.map((example) => scaled(example, scaling));
  const judged = valid.map((example) => scaled(example, scaling));
  const fit = createFit(examples, job.classes.length, randomFrom('fovea-example'));
  let [loss, done] = [0, 0];
  while (done < job.epochs && !(done > 0 && run.isStopped())) {
    loss = fit.epoch(rateAt(done, job));
    done += 1;
    run.say(JSON.stringify({ epoch: done, epochs: job.epochs, metrics: { loss: tidy(loss) } }));
    // Lets a signal in.
    await new Promise((resolve) => setImmediate(resolve));
  }
  const quality = qualityOf(fit.network, judged);
  const metrics = {
    map50: tidy(quality.map50),
    precision: tidy(quality.precision),
    recall: tidy(quality.recall),
    loss: tidy(loss),
    epochs: done,
    map50_train: tidy(qualityOf(fit.network, examples).map50),
    images_train: train.length,
    images_valid: valid.length,
  };
  await writeFile(
    join(job.output, trainerFiles.model),
    modelFile(fit.network, scaling, job.classes),
  );
  await writeFile(join(job.output, trainerFiles.metrics), `${JSON.stringify(metrics)}\n`);
}

/** Beyond these an example of a trainer takes too much time and memory: some 60 MB. */
const imagesMax = 2_000;

interface ExampleJob {
  readonly dataset: string;
  readonly output: string;
  readonly classes: readonly string[];
  readonly epochs: number;
  readonly learningRate: number;
}

function readJob(value: unknown): ExampleJob {
  const { contract, dataset, output, classes, recipe } = membersOf(value);
  const { epochs, learningRate } = membersOf(membersOf(recipe).hyperparameters);
  const isJob =
    contract === 1 && typeof dataset === 'string' && typeof output === 'string' && isNames(classes);
  if (!isJob) throw new Error('This is no job file of contract 1.');
  return {
    dataset,
    output,
    classes,
    epochs: typeof epochs === 'number' ? epochs : 60,
    learningRate: typeof learningRate === 'number' ? learningRate : 0.004,
  };
}

function isNames(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.length > 0 && value.every((one) => typeof one === 'string');
}

/** A short start, then half a wave down to nearly nothing. */
function rateAt(epoch: number, { epochs, learningRate }: ExampleJob): number {
  const start = Math.min(1, (epoch + 1) / 3);
  return learningRate * start * (0.02 + 0.98 * 0.5 * (1 + Math.cos((Math.PI * epoch) / epochs)));
}

function scalingOf(examples: readonly Example[]): Scaling {
  const means: number[] = [];
  const factors: number[] = [];
  for (let channel = 0; channel < channels; channel++) {
    let [sum, squares, count] = [0, 0, 0];
    for (const { maps } of examples) {
      const size = maps.length / channels;
      for (const value of maps.subarray(channel * size, (channel + 1) * size)) {
        sum += value;
        squares += value * value;
        count += 1;
      }
    }
    const mean = sum / count;
    means.push(Math.fround(mean));
    factors.push(Math.fround(1 / Math.sqrt(Math.max(1e-6, squares / count - mean * mean))));
  }
  return { means, factors };
}

function scaled({ maps, boxes }: Example, { means, factors }: Scaling): Example {
  const size = maps.length / channels;
  const result = maps.map((value, place) => {
    const channel = Math.floor(place / size);
    return (value - (means[channel] ?? 0)) * (factors[channel] ?? 1);
  });
  return { maps: result, boxes };
}

function tidy(figure: number): number {
  return Math.round(figure * 1e4) / 1e4;
}
