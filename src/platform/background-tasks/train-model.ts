// Trains a model with the configured training program.

import { createWriteStream } from 'node:fs';
import { lstat, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { FoveaError, notFound } from '../../errors.ts';
import { checkExportFormat } from '../../export-formats/export-format.ts';
import { writeDatasetFolder } from '../../export-formats/write-folder.ts';
import { limits } from '../../limits.ts';
import { givenByTask } from '../../model-inference/model-layout.ts';
import type { Claim } from '../../storage/task-queue.ts';
import { waitUntilBack } from '../../storage/wait-until-back.ts';
import { findModelType, type ModelType } from '../../trainers/recipes.ts';
import { runTrainer, type TrainerEnd } from '../../trainers/run-trainer.ts';
import type { Metrics } from '../../trainers/trainer-protocol.ts';
import {
  missingMetrics,
  readMetrics,
  type TrainerCommand,
  type TrainerJob,
  type TrainerReport,
  trainerFiles,
} from '../../trainers/trainer-protocol.ts';
import type { Project } from '../store/projects.ts';
import type { TrainedWeights, Training, TrainingOutcome } from '../store/trainings.ts';
import type { Version } from '../store/versions.ts';
import { modelIdOf } from '../trainings/describe-training.ts';
import { type BackgroundTask, payloadText, type TaskDependencies } from './background-task.ts';
import { fencedProgress } from './fenced-progress.ts';
import { versionDataset } from './to-export-dataset.ts';

/**
 * Gives the program the version's export and keeps what it makes. An attempt that loses its lease
 * ends its program; the next one finds what the program left in its state folder. Whoever cancels
 * ends the row at once; this sees it.
 */
export const trainModel: BackgroundTask = async (dependencies, claim, signal) => {
  const { store, clock } = dependencies;
  const training = await store.trainings.get(payloadText(claim, 'trainingId'));
  if (!training) throw notFound('training', payloadText(claim, 'trainingId'));
  if (await store.trainings.begin(training.id, clock.now(), claim.fenced)) {
    const outcome = await attempt(dependencies, claim, training, signal);
    // Hours of work are not lost with a server that is away at their end.
    const finish = () => store.trainings.finish(training.id, outcome, clock.now(), claim.fenced);
    await waitUntilBack(finish, signal);
  }
  await dependencies.temporaryFiles.forget(stateOf(training));
  return resultOf(dependencies, await store.trainings.get(training.id));
};

/** Its name among temporary files. */
function stateOf({ id }: Training): string {
  return `training-${id}`;
}

/** What the row says is what the task says. */
async function resultOf({ store }: TaskDependencies, training: Training | undefined) {
  const { status, error = 'The training failed.' } = training ?? {};
  if (status === 'finished' || status === 'stopped') {
    const version = training && (await store.versions.get(training.versionId));
    const project = version && (await store.projects.get(version.projectId));
    return {
      trainingId: training?.id,
      status,
      metrics: { ...training?.metrics },
      ...(project &&
        training.weights && { modelId: modelIdOf(project, version.number, training.id) }),
    };
  }
  if (status === 'failed') throw new FoveaError('conflict', error);
  throw new FoveaError('cancelled', 'The training was cancelled.');
}

async function attempt(
  dependencies: TaskDependencies,
  claim: Claim,
  training: Training,
  signal: AbortSignal,
): Promise<TrainingOutcome> {
  const { trainer } = dependencies;
  if (trainer === undefined) throw new FoveaError('internal', 'A training came without a trainer.');
  const version = await dependencies.store.versions.get(training.versionId);
  const project = version && (await dependencies.store.projects.get(version.projectId));
  if (!version || !project) throw notFound('version', training.versionId);
  try {
    const type = findModelType(training.modelType, project.type, trainer);
    const { withFile, withShared } = dependencies.temporaryFiles;
    return await withShared(stateOf(training), (state) => {
      const subject = { trainer, training, version, project, type, state };
      return withFile((folder) => trainIn(folder, dependencies, claim, subject, signal));
    });
  } catch (thrown) {
    if (signal.aborted || !(thrown instanceof FoveaError)) throw thrown;
    // What is away comes back: the task waits for it, and the training begins again.
    if (isOurs(thrown)) throw thrown;
    return { status: 'failed', error: thrown.message };
  }
}

/** No fault of what is trained, nor of its trainer. */
function isOurs({ code }: FoveaError): boolean {
  return code === 'internal' || code === 'full' || code === 'unavailable';
}

interface Subject {
  readonly trainer: TrainerCommand;
  readonly training: Training;
  readonly version: Version;
  readonly project: Project;
  readonly type: ModelType;
  /** The folder that stays for the next attempt. */
  readonly state: string;
}

async function trainIn(
  folder: string,
  dependencies: TaskDependencies,
  claim: Claim,
  subject: Subject,
  signal: AbortSignal,
): Promise<TrainingOutcome> {
  const { store, environment } = dependencies;
  const { trainer, training, type } = subject;
  const job = await writeJob(folder, dependencies, subject, signal);
  const jobFile = join(folder, 'job.json');
  await writeFile(jobFile, JSON.stringify(job), { mode: 0o600 });
  const end = await runTrainer({
    command: trainer,
    jobFile,
    folder,
    environment,
    signal,
    onReport: createReporter(dependencies, claim, training, signal),
    wanted: () => store.trainings.wanted(training.id),
  });
  const failure = failureOf(end, trainer);
  if (failure !== undefined) return { status: 'failed', error: failure, log: end.log };
  try {
    const metrics = await readMetricsFile(join(job.output, trainerFiles.metrics), type);
    const weights = await keepWeights(
      dependencies,
      join(job.output, trainerFiles.model),
      job,
      type,
      signal,
    );
    return { status: end.asked === 'stop' ? 'stopped' : 'finished', metrics, weights };
  } catch (thrown) {
    if (!(thrown instanceof FoveaError) || thrown.code !== 'invalid_input') throw thrown;
    return { status: 'failed', error: thrown.message, log: end.log };
  }
}

/** The dataset as the trainer reads it, and the file that tells it what to do. */
async function writeJob(
  folder: string,
  { store, blobs }: TaskDependencies,
  { training, version, project, type, state }: Subject,
  signal: AbortSignal,
): Promise<TrainerJob> {
  const output = join(folder, 'output');
  await mkdir(output, { recursive: true, mode: 0o700 });
  const dataset = versionDataset(project, version, store.versions, blobs);
  const format = checkExportFormat(type.format, project.type);
  await writeDatasetFolder(format, dataset, join(folder, 'dataset'), signal);
  const { checkpoint: modelId, ...recipe } = training.recipe;
  const checkpoint = join(folder, 'checkpoint.onnx');
  if (typeof modelId === 'string') {
    const weights = await store.trainings.weights(project.workspaceId, modelId);
    if (!weights) throw notFound('model', modelId);
    await pipeline(await blobs.open(weights.hash), createWriteStream(checkpoint), { signal });
  }
  return {
    contract: 1,
    trainingId: training.id,
    modelType: type.name,
    task: type.task,
    format: type.format,
    dataset: join(folder, 'dataset'),
    output,
    classes: version.classes,
    recipe,
    state,
    ...(typeof modelId === 'string' && { checkpoint }),
  };
}

/** Progress and metrics in one commit, for each epoch that is further than the last. */
function createReporter(
  { store }: TaskDependencies,
  claim: Claim,
  { id, epochs: wanted }: Training,
  signal: AbortSignal,
) {
  let last = -1;
  return async ({ epoch, epochs, metrics }: TrainerReport) => {
    const isStep = epoch === epochs || epoch - last >= epochs / limits.epochsMax;
    if (epoch <= last || !isStep) return;
    last = epoch;
    const report = { epoch, epochs: epochs > 0 ? epochs : wanted, metrics };
    const fenced = fencedProgress(claim, epoch, epochs);
    await waitUntilBack(() => store.trainings.report(id, report, fenced), signal);
  };
}

/** Why nothing came of it, in our words: what it said itself is in the log. */
function failureOf({ exitCode, isStarted, asked }: TrainerEnd, { name, remedy }: TrainerCommand) {
  if (asked === 'cancel') return 'The training was cancelled.';
  if (!isStarted) {
    return `The trainer "${name}" could not be started: ${remedy ?? 'see FOVEA_TRAINER'}.`;
  }
  if (exitCode === 0) return undefined;
  const how = exitCode === undefined ? 'was ended by a signal' : `ended with exit code ${exitCode}`;
  return `The trainer "${name}" ${how}; "log" in trainings_list has its last words.`;
}

async function readMetricsFile(path: string, { task }: ModelType): Promise<Metrics> {
  const { size } = await outputFile(path, trainerFiles.metrics);
  if (size > metricsBytesMax) throw wrongOutput(trainerFiles.metrics, 'is too large');
  const metrics = readMetrics(parseJson(await readFile(path, 'utf8')));
  const missing = missingMetrics(metrics, task);
  if (missing.length === 0) return metrics;
  throw wrongOutput(trainerFiles.metrics, `needs ${missing.join(', ')}, each from 0 to 1`);
}

const metricsBytesMax = 64 * 1024;

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw wrongOutput(trainerFiles.metrics, 'is not JSON');
  }
}

/** Detection models have to run here; of other models those that do not are there for download. */
async function keepWeights(
  { blobs, models }: TaskDependencies,
  path: string,
  job: TrainerJob,
  { task }: ModelType,
  signal: AbortSignal,
): Promise<TrainedWeights> {
  const { size } = await outputFile(path, trainerFiles.model);
  if (size > limits.modelBytesMax) {
    throw wrongOutput(
      trainerFiles.model,
      `has ${size} bytes; ${limits.modelBytesMax} are the most`,
    );
  }
  const classes = await classesIn(models, path, job, task);
  const weights = await waitUntilBack(() => blobs.putFile(path), signal);
  return { hash: weights.hash, bytes: weights.bytes, classes };
}

async function classesIn(
  models: TaskDependencies['models'],
  path: string,
  job: TrainerJob,
  task: ModelType['task'],
): Promise<readonly string[]> {
  if (task === 'detection') return inspect(models, path, job);
  if (task === 'semantic') return job.classes;
  return inspect(models, path, job).catch((thrown: unknown) => {
    if (thrown instanceof FoveaError && thrown.code === 'invalid_input') return job.classes;
    throw thrown;
  });
}

/** The class names of the model itself; without a runtime they cannot be read. */
async function inspect(
  models: TaskDependencies['models'],
  path: string,
  { classes, task }: TrainerJob,
): Promise<readonly string[]> {
  const found = await models.inspect(path).catch((thrown: unknown) => {
    if (!(thrown instanceof FoveaError) || isOurs(thrown)) throw thrown;
    if (thrown.code === 'not_implemented') return undefined;
    throw wrongOutput(trainerFiles.model, `cannot be run here: ${thrown.message}`);
  });
  if (found === undefined) return classes;
  if (found.task === task) return found.classes;
  throw wrongOutput(trainerFiles.model, `gives ${givenByTask[found.task]}, which is no ${task}`);
}

/** A plain file: a link could point at anything. */
async function outputFile(path: string, name: string): Promise<{ readonly size: number }> {
  const found = await lstat(path).catch(() => undefined);
  if (found?.isFile() !== true) throw wrongOutput(name, 'is not there');
  return found;
}

function wrongOutput(name: string, what: string): FoveaError {
  return new FoveaError('invalid_input', `The trainer's output/${name} ${what}.`);
}
