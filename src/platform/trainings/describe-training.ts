// Trainings and their models, as the API shows them.

import { unixSeconds } from '../../clock.ts';
import type { Metrics } from '../../trainers/trainer-protocol.ts';
import type { Project } from '../store/projects.ts';
import type { ProjectTraining, Training } from '../store/trainings.ts';
import type { Version } from '../store/versions.ts';

/** `PROJECT/VERSION/TRAINING`: the model of one training, for good. */
export function modelIdOf(project: Project, versionNumber: number, trainingId: string): string {
  return `${project.slug}/${versionNumber}/${trainingId}`;
}

/** The same where an id has two parts: inference, and what the vendor's client makes of it. */
export function runnableModelIdOf(project: Project, trainingId: string): string {
  return `${project.slug}/${trainingId}`;
}

export function describeTraining(project: Project, version: Version, training: Training) {
  const { id, status, modelType, epochs, epoch, metrics, error, log } = training;
  const { weights, started, ended } = training;
  return {
    trainingId: id,
    status,
    modelType,
    modelGroup: modelType,
    epochs,
    epoch,
    progress: status === 'finished' || status === 'stopped' ? 1 : Math.min(1, epoch / epochs),
    ...(metrics && { metrics: { ...metrics } }),
    modelIds: weights ? [modelIdOf(project, version.number, id)] : [],
    created: unixSeconds(training.created),
    start: started ?? training.created,
    ...(started !== undefined && { started: unixSeconds(started) }),
    ...(ended !== undefined && { ended: unixSeconds(ended) }),
    ...(status === 'failed' && error !== undefined && { error }),
    ...(log !== undefined && { log }),
  };
}

/**
 * The training whose model is that of their version: the newest with weights. Takes all trainings
 * of a version, the newest first.
 */
export function findVersionModel(trainings: readonly Training[]): Training | undefined {
  return trainings.find(({ weights }) => weights !== undefined);
}

/** The model of a training, under the id by which it is run: of the newest that of its version. */
export function describeModels(
  project: Project,
  version: Version,
  { id, modelType, metrics, weights }: Training,
  newestId: string | undefined,
): { modelId: string; modelType: string; metrics: Metrics }[] {
  if (weights === undefined) return [];
  const modelId =
    id === newestId ? `${project.slug}/${version.number}` : runnableModelIdOf(project, id);
  return [{ modelId, modelType, metrics: { ...metrics } }];
}

/** A row of the models of a project; `url` is the id under which it is run. */
export function describeListedModel(project: Project, training: ProjectTraining) {
  const { id, modelType, status, metrics, versionNumber, weights, created } = training;
  return {
    id: modelIdOf(project, versionNumber, id),
    name: `${project.name} ${versionNumber}`,
    type: modelType,
    status,
    url: runnableModelIdOf(project, id),
    metrics: { ...metrics },
    version: versionNumber,
    trainingId: id,
    group: modelType,
    classes: [...(weights?.classes ?? [])],
    bytes: weights?.bytes ?? 0,
    created: unixSeconds(created),
  };
}

/** What a version says of its trainings, newest first: the model is that of the newest with one. */
export function describeModel(
  project: Project,
  version: Version,
  trainings: readonly Training[],
  origin: string,
): object {
  const [newest] = trainings;
  if (newest === undefined) return { model: null };
  const trained = findVersionModel(trainings);
  return {
    model:
      trained === undefined
        ? null
        : {
            ...describeVersionModel(project, version, trained),
            endpoint: `${origin}/${project.slug}/${version.number}`,
          },
    // `results` tells those who wait that a model is there.
    train: { status: newest.status, ...(newest.weights && { results: { ...newest.metrics } }) },
    trainings: trainings.slice(0, trainingsShownMax).map(({ id, status, modelType }) => ({
      trainingId: id,
      status,
      modelType,
    })),
  };
}

const trainingsShownMax = 10;

/** Figures are texts in percent, times are milliseconds, as hosted platforms write them here. */
export function describeVersionModel(
  project: Project,
  version: Pick<Version, 'number'>,
  training: Training,
) {
  const { metrics = {}, started, ended, created } = training;
  const { map50, precision, recall } = metrics;
  return {
    id: `${project.slug}/${version.number}`,
    trainingId: training.id,
    ...(map50 !== undefined && { map: percent(map50) }),
    ...(precision !== undefined && { precision: percent(precision) }),
    ...(recall !== undefined && { recall: percent(recall) }),
    start: started ?? created,
    ...(ended !== undefined && { end: ended }),
    fromScratch: training.recipe.checkpoint === undefined,
  };
}

function percent(share: number): string {
  return (share * 100).toFixed(1);
}
