// Handlers of the toolset "deployment": the model of a project, and Active Learning.

import { isClassification } from '../annotations/annotation.ts';
import type { deployment } from '../contract/deployment.ts';
import type { Input } from '../contract/operation.ts';
import { asFoveaError, type FoveaError, invalidArgument } from '../errors.ts';
import type { Handlers } from '../http-server/handlers.ts';
import { findProject, requireModelAccess } from './access-control/accessible-projects.ts';
import type { Principal } from './access-control/authorization.ts';
import { activeLearningHandlers } from './active-learning/settings.ts';
import { checkModelTask } from './annotation/annotation-of-model.ts';
import type { PlatformDependencies } from './dependencies.ts';
import { countsOf } from './projects.ts';
import type { DeployedModel } from './store/deployments.ts';
import type { Project } from './store/projects.ts';
import { modelIdOf, runnableModelIdOf } from './trainings/describe-training.ts';

export function deploymentHandlers(
  dependencies: PlatformDependencies,
): Handlers<typeof deployment, Principal> {
  const { store, clock } = dependencies;
  return {
    deployment_get: async (input, { principal, origin }) => {
      const project = await findProject(dependencies, principal, input.project);
      const { classes } = await countsOf(dependencies, project);
      const model = await store.deployments.get(project.id);
      const { isEnabled } = await store.activeLearning.get(project.id);
      const { workspace } = principal;
      return {
        project: {
          id: `${workspace.slug}/${project.slug}`,
          url: `${origin}/${workspace.slug}/${project.slug}`,
          name: project.name,
          owner: workspace.slug,
          type: isClassification(project.type) ? 'classification' : project.type,
          classes: Object.keys(classes),
          multilabel: project.type === 'multi-label-classification',
        },
        workflow: null,
        model: model ? describeDeployed(model) : null,
        deployability: await deployabilityOf(dependencies, project, model),
        activeLearning: { enabled: isEnabled },
      };
    },
    deployment_set_model: async (input, { principal }) => {
      const project = await findProject(dependencies, principal, input.project);
      const model = await chooseModel(dependencies, principal, project, input.model);
      await store.deployments.set(project.id, model, clock.now());
      return {
        model: describeDeployed(model),
        deployability: await deployabilityOf(dependencies, project, model),
      };
    },
    ...activeLearningHandlers(dependencies),
  };
}

function describeDeployed({ kind, modelId, name }: DeployedModel) {
  return { kind, modelId, ...(name !== undefined && { name }) };
}

/** Whether inference would work now, and what to do where it would not. */
async function deployabilityOf(
  { models }: PlatformDependencies,
  { workspaceId }: Project,
  model: DeployedModel | undefined,
) {
  if (model !== undefined) {
    const { status, reason = null } = await models.state(workspaceId, model.modelId);
    return { status, reason };
  }
  const reason = 'No model is deployed: train one, then choose it with deployment_set_model.';
  return { status: 'no_model', reason };
}

type Choice = Input<typeof deployment.deployment_set_model>['model'];

/** A model that runs here. Throws `invalid_input` for all others. */
async function chooseModel(
  dependencies: PlatformDependencies,
  principal: Principal,
  project: Project,
  { type, modelId }: Choice,
): Promise<DeployedModel> {
  if (type !== 'model_id') {
    throw invalidArgument(
      'model.type',
      `"${type}" is a hosted model: this platform runs ONNX models`,
      'Give {type: "model_id", modelId}; models_list has the ids.',
    );
  }
  if (modelId === undefined) {
    throw invalidArgument('model.modelId', 'is required', await knownModels(dependencies, project));
  }
  await requireModelAccess(dependencies.store, principal, modelId);
  const resolved = dependencies.models.resolve(project.workspaceId, modelId);
  const labeller = await resolved.catch(async (thrown: unknown) => {
    const { code, message, hint } = asFoveaError(thrown);
    if (code === 'invalid_input') {
      throw invalidArgument('model.modelId', `cannot be run here: ${message}`, hint);
    }
    // Where there is no runtime yet, the model can be chosen all the same.
    const isThere = await isKnown(dependencies, project, modelId);
    if (code === 'not_implemented' && isThere) return undefined;
    if (code !== 'not_found' && code !== 'not_implemented') throw thrown;
    throw await noSuchModel(dependencies, project);
  });
  if (labeller) checkModelTask('model.modelId', labeller.task, project.type);
  return { kind: 'model_id', modelId, name: await nameOf(dependencies, project, modelId) };
}

async function isKnown({ store, models }: PlatformDependencies, project: Project, modelId: string) {
  if (modelId === models.configured) return true;
  return (await store.trainings.weights(project.workspaceId, modelId)) !== undefined;
}

async function noSuchModel(
  dependencies: PlatformDependencies,
  project: Project,
): Promise<FoveaError> {
  const hint = await knownModels(dependencies, project);
  return invalidArgument('model.modelId', 'is no model of this workspace', hint);
}

async function knownModels(
  { store, models }: PlatformDependencies,
  project: Project,
): Promise<string> {
  const trained = await store.trainings.trained(project.id);
  const ids = [
    ...trained.slice(0, 10).map(({ versionNumber, id }) => modelIdOf(project, versionNumber, id)),
    ...(models.configured === undefined ? [] : [models.configured]),
  ];
  if (ids.length > 0) return `Models here: ${ids.join(', ')}.`;
  return 'There is none yet: trainings_start makes one, or set FOVEA_MODEL.';
}

/** What people call it: the type of the training that made it. */
async function nameOf({ store }: PlatformDependencies, project: Project, modelId: string) {
  const trained = await store.trainings.trained(project.id);
  const made = trained.find(({ versionNumber, id }) => {
    const names = [
      modelIdOf(project, versionNumber, id),
      runnableModelIdOf(project, id),
      `${project.slug}/${versionNumber}`,
    ];
    return names.includes(modelId);
  });
  return made?.modelType;
}
