// What Fovea and a trainer say to each other. docs/trainer.md has it for those who write one.

import type { ModelTask } from '../contract/projects.ts';
import { membersOf } from '../json-object.ts';

/** The program that trains. */
export interface TrainerCommand {
  readonly path: string;
  readonly args: readonly string[];
  /** `example`, `torchvision`, or the name of the file. */
  readonly name: string;
  /** What to do where it is not there; undefined: see FOVEA_TRAINER. */
  readonly remedy?: string;
  /** Other processes run it: whether it is there is not known here. */
  readonly isElsewhere?: boolean;
}

/** The job file: its path is the last argument of the program. All paths are absolute. */
export interface TrainerJob {
  readonly contract: 1;
  readonly trainingId: string;
  readonly modelType: string;
  readonly task: ModelTask;
  /** Name of the export format in which the dataset lies there. */
  readonly format: string;
  readonly dataset: string;
  /** Where `metrics.json` and `model.onnx` go. */
  readonly output: string;
  /** In the order of their numbers in the dataset, and of the scores of the model. */
  readonly classes: readonly string[];
  readonly recipe: Readonly<Record<string, unknown>>;
  /** The ONNX file to start from. */
  readonly checkpoint?: string;
  /** What stays in this folder is there for the next attempt at this training. */
  readonly state: string;
}

/** Name to a figure, for example `map50`: 0 to 1. */
export type Metrics = Readonly<Record<string, number>>;

/** One line of its standard output, when an epoch is done. */
export interface TrainerReport {
  readonly epoch: number;
  readonly epochs: number;
  readonly metrics: Metrics | undefined;
}

export const trainerFiles = { metrics: 'metrics.json', model: 'model.onnx' } as const;

/** A line of output as a report; undefined for anything else, which trainers may print. */
export function readReport(line: string): TrainerReport | undefined {
  const { epoch, epochs, metrics } = membersOf(parsed(line));
  if (!isCount(epoch) || !isCount(epochs) || epochs < 1 || epoch > epochs) return undefined;
  return { epoch, epochs, metrics: metrics === undefined ? undefined : readMetrics(metrics) };
}

/** The figures of an object that are finite numbers, at most a hundred. */
export function readMetrics(value: unknown): Metrics {
  const figures = Object.entries(membersOf(value)).filter(
    (entry): entry is [string, number] => typeof entry[1] === 'number' && Number.isFinite(entry[1]),
  );
  return Object.fromEntries(
    figures.filter(([name]) => /^[\w.:/@-]{1,100}$/.test(name)).slice(0, metricsMax),
  );
}

/** The figures that a finished training must have, each 0 to 1; those that are missing or wrong. */
export function missingMetrics(metrics: Metrics, task: ModelTask): readonly string[] {
  const needed = task === 'classification' ? ['accuracy'] : ['map50', 'precision', 'recall'];
  return needed.filter((name) => {
    const figure = metrics[name];
    return figure === undefined || figure < 0 || figure > 1;
  });
}

const metricsMax = 100;

function parsed(line: string): unknown {
  if (!line.startsWith('{')) return undefined;
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}
