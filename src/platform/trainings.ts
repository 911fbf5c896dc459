// Handlers of the toolset "trainings", and the list of models.

import type { Input } from '../contract/operation.ts';
import type { projects } from '../contract/projects.ts';
import type { trainingExtensions, trainings } from '../contract/trainings.ts';
import { FoveaError, invalidArgument, notFound } from '../errors.ts';
import type { Handlers } from '../http-server/handlers.ts';
import {
  completeRecipe,
  describeRecipe,
  epochsOf,
  findModelType,
  noTrainer,
  startsAnew,
} from '../trainers/recipes.ts';
import { requireTrainer } from '../trainers/require-trainer.ts';
import { findProject, requireModelAccess } from './access-control/accessible-projects.ts';
import type { Principal } from './access-control/authorization.ts';
import type { PlatformDependencies } from './dependencies.ts';
import { newId } from './ids-and-slugs.ts';
import type { Project } from './store/projects.ts';
import type { Training } from './store/trainings.ts';
import type { Version } from './store/versions.ts';
import {
  describeListedModel,
  describeModels,
  describeTraining,
  findVersionModel,
  modelIdOf,
  runnableModelIdOf,
} from './trainings/describe-training.ts';
import { checkReady, findVersion } from './versions.ts';

type Own = typeof trainings & typeof trainingExtensions & Pick<typeof projects, 'models_list'>;

export function trainingHandlers(dependencies: PlatformDependencies): Handlers<Own, Principal> {
  return {
    ...readHandlers(dependencies),
    ...startHandlers(dependencies),
    ...endHandlers(dependencies),
  };
}

type Reads = 'models_list' | 'trainings_list' | 'trainings_get' | 'trainings_recipe';

function readHandlers(dependencies: PlatformDependencies): Handlers<Pick<Own, Reads>, Principal> {
  const { store, trainer } = dependencies;
  return {
    models_list: async (input, { principal }) => {
      const project = await findProject(dependencies, principal, input.project);
      const trained = await store.trainings.trained(project.id);
      const { group } = input;
      const wanted = trained.filter(({ modelType }) => group === undefined || modelType === group);
      return { models: wanted.map((training) => describeListedModel(project, training)) };
    },
    trainings_get: async (input, { principal }) => {
      const { project, version } = await findVersion(dependencies, principal, input);
      const { trainingId } = input;
      const runs = await store.trainings.list(version.id);
      const training = trainingId
        ? await findTraining(dependencies, version, trainingId)
        : soleOf(version, runs);
      const models = describeModels(project, version, training, findVersionModel(runs)?.id);
      const history = await store.trainings.epochs(training.id);
      return {
        ...describeTraining(project, version, training),
        history: history.map(({ epoch, metrics }) => ({ epoch, metrics: { ...metrics } })),
        modelCount: models.length,
        models,
      };
    },
    trainings_list: async (input, { principal }) => {
      const { project, version } = await findVersion(dependencies, principal, input);
      const runs = await store.trainings.list(version.id);
      return { trainings: runs.map((run) => describeTraining(project, version, run)) };
    },
    trainings_recipe: async (input, { principal }) => {
      const { project } = await findVersion(dependencies, principal, input);
      return describeRecipe(findModelType(input.modelType, project.type, trainer), trainer);
    },
  };
}

function startHandlers(
  dependencies: PlatformDependencies,
): Handlers<Pick<Own, 'trainings_start'>, Principal> {
  const { store, tasks, clock } = dependencies;
  return {
    trainings_start: async (input, { principal }) => {
      const { project, version } = await findVersion(dependencies, principal, input);
      checkReady(version);
      if (version.classes.length === 0) {
        throw new FoveaError('conflict', `Version ${version.number} has no labels to learn.`, {
          hint: 'Annotate images, then generate another version.',
        });
      }
      const chosen = await chooseRecipe(dependencies, principal, project, input);
      const training = await store.trainings.add({
        id: newId(),
        versionId: version.id,
        projectId: project.id,
        workspaceId: principal.workspace.id,
        ...chosen,
        created: clock.now(),
      });
      tasks.wake();
      return { trainingId: training.id, status: training.status, jobId: training.id };
    },
  };
}

async function chooseRecipe(
  { store, trainer }: PlatformDependencies,
  principal: Principal,
  project: Project,
  input: Input<typeof trainingExtensions.trainings_start>,
) {
  const { modelType, epochs, checkpoint, trainRecipe } = input;
  if (trainRecipe !== undefined && modelType === undefined) {
    throw invalidArgument('modelType', 'is required beside trainRecipe');
  }
  if (trainer === undefined) throw new FoveaError('conflict', noTrainer);
  await requireTrainer(trainer);
  const type = findModelType(modelType, project.type, trainer);
  const recipe = completeRecipe(type, trainRecipe ?? {}, epochs);
  if (checkpoint !== undefined) {
    const without = startsAnew(type.name);
    if (without !== undefined) {
      throw invalidArgument('checkpoint', `the ${without} trainer takes none: leave it out`);
    }
    await requireModelAccess(store, principal, checkpoint);
    if ((await store.trainings.weights(principal.workspace.id, checkpoint)) === undefined) {
      const hint = 'models_list has the ids of trained models.';
      throw invalidArgument('checkpoint', 'is no trained model of this workspace', hint);
    }
  }
  return {
    modelType: type.name,
    epochs: epochsOf(recipe),
    recipe: { ...recipe, ...(checkpoint !== undefined && { checkpoint }) },
  };
}

type Ends = 'trainings_cancel' | 'trainings_stop' | 'trainings_delete';

function endHandlers(dependencies: PlatformDependencies): Handlers<Pick<Own, Ends>, Principal> {
  const { store, tasks, clock } = dependencies;
  return {
    trainings_cancel: async (input, { principal }) => {
      const { version } = await findVersion(dependencies, principal, input);
      const { id } = await findOpen(dependencies, version, input.trainingId);
      if (!(await store.trainings.cancel(id, clock.now()))) throw await hasEnded(dependencies, id);
      tasks.wake();
      // Nothing is charged here, so nothing is lost.
      return { trainingId: id, status: 'cancelled', refund: true };
    },
    trainings_stop: async (input, { principal }) => {
      const { version } = await findVersion(dependencies, principal, input);
      const training = await findOpen(dependencies, version, input.trainingId);
      const { id } = training;
      if (await store.trainings.stop(id)) return { trainingId: id, status: 'stopping' };
      if (training.status !== 'queued') throw await hasEnded(dependencies, id);
      throw new FoveaError('conflict', `Training "${id}" waits in the queue: it has no weights.`, {
        hint: 'Cancel it with trainings_cancel.',
      });
    },
    trainings_delete: async (input, { principal }) => {
      const { project, version } = await findVersion(dependencies, principal, input);
      const { trainingId } = input;
      const training = await findTraining(dependencies, version, trainingId);
      await refuseDeployed(dependencies, project, version, training);
      const now = clock.now();
      if (!(await store.trainings.trash(training.id, now, principal.name))) {
        throw notFound('training', trainingId);
      }
      const { id } = training;
      return { deleted: true, type: 'training', id, parentId: project.id, alias: null };
    },
  };
}

async function findTraining(
  { store }: Pick<PlatformDependencies, 'store'>,
  version: Version,
  trainingId: string,
): Promise<Training> {
  const training = await store.trainings.find(version.id, trainingId);
  if (training) return training;
  const known = (await store.trainings.list(version.id)).slice(0, 10).map(({ id }) => id);
  const hint = known.length === 0 ? 'There are none yet.' : `Of this version: ${known.join(', ')}.`;
  throw notFound('training', trainingId, hint);
}

/** The only training of a version. Throws `not_found` for none, `conflict` for several. */
function soleOf(version: Version, runs: readonly Training[]): Training {
  const [only, ...others] = runs;
  if (only === undefined) throw notFound('training of version', String(version.number));
  if (others.length === 0) return only;
  throw new FoveaError(
    'conflict',
    `Version ${version.number} has ${others.length + 1} trainings.`,
    {
      hint: 'Give trainingId: trainings_list has all of them.',
    },
  );
}

/** The training of that id, or the only one that runs or waits. */
async function findOpen(
  dependencies: PlatformDependencies,
  version: Version,
  trainingId: string | undefined,
): Promise<Training> {
  if (trainingId !== undefined) {
    const training = await findTraining(dependencies, version, trainingId);
    if (!isOpen(training)) throw await hasEnded(dependencies, training.id);
    return training;
  }
  const runs = (await dependencies.store.trainings.list(version.id)).filter(isOpen);
  const [only, ...others] = runs;
  if (only === undefined) {
    const message = `No training of version ${version.number} runs or waits.`;
    throw new FoveaError('not_found', message, { hint: 'trainings_list has all of them.' });
  }
  if (others.length === 0) return only;
  const ids = runs.map(({ id }) => id).join(', ');
  throw new FoveaError('conflict', `${runs.length} trainings of this version run or wait.`, {
    hint: `Give trainingId: ${ids}.`,
    problems: [{ path: 'trainingId', message: `is one of ${ids}` }],
  });
}

function isOpen({ status }: Training): boolean {
  return status === 'queued' || status === 'running' || status === 'stopping';
}

async function hasEnded({ store }: PlatformDependencies, trainingId: string): Promise<FoveaError> {
  const training = await store.trainings.get(trainingId);
  return new FoveaError('conflict', `Training "${trainingId}" has ended: ${training?.status}.`);
}

/** A deployed model must not disappear while it is in use. */
async function refuseDeployed(
  { store }: PlatformDependencies,
  project: Project,
  version: Version,
  { id }: Training,
): Promise<void> {
  const deployed = await store.deployments.get(project.id);
  if (deployed === undefined) return;
  const newest = findVersionModel(await store.trainings.list(version.id));
  const names = [
    modelIdOf(project, version.number, id),
    runnableModelIdOf(project, id),
    ...(newest?.id === id ? [`${project.slug}/${version.number}`] : []),
  ];
  if (!names.includes(deployed.modelId)) return;
  throw new FoveaError('conflict', `Its model is deployed: ${deployed.modelId}.`, {
    hint: 'Deploy another model of the project first, with deployment_set_model.',
  });
}
