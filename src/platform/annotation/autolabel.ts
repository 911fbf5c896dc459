// Handlers of Auto Label: a model labels the unlabelled images of a batch.

import type { annotation } from '../../contract/annotation.ts';
import type { Input } from '../../contract/operation.ts';
import { FoveaError, invalidArgument, notFound } from '../../errors.ts';
import type { Handlers } from '../../http-server/handlers.ts';
import {
  type Labeller,
  localModel,
  noModelConfigured,
} from '../../model-inference/detection-models.ts';
import { chooseThresholds } from '../../model-inference/thresholds.ts';
import { quotedName } from '../../quoted-name.ts';
import {
  accessibleProjects,
  findProject,
  isAccessible,
} from '../access-control/accessible-projects.ts';
import type { Principal } from '../access-control/authorization.ts';
import type { PlatformDependencies } from '../dependencies.ts';
import { newId } from '../ids-and-slugs.ts';
import { countsOf } from '../projects.ts';
import type { AutolabelJob, AutolabelSettings, NewAutolabelJob } from '../store/autolabel.ts';
import type { Project } from '../store/projects.ts';
import { describeTaskStart } from '../tasks.ts';
import { findBatch } from './annotation-jobs.ts';
import { checkModelShapes } from './annotation-of-model.ts';
import { chooseClasses, leftOutOf } from './autolabel-classes.ts';
import { checkPeople } from './known-person.ts';

type StartInput = Input<typeof annotation.autolabel_start>;
type Operations = Pick<typeof annotation, 'autolabel_start' | 'autolabel_get'>;

export function autolabelHandlers(
  dependencies: PlatformDependencies,
): Handlers<Operations, Principal> {
  return {
    autolabel_start: async (input, { principal, origin }) => {
      const project = await findProject(dependencies, principal, input.project);
      const { reviewerEmail } = input;
      await checkPeople(dependencies.people, principal, { reviewerEmail });
      const { job, leftOut } = await start(dependencies, principal, project, input);
      dependencies.tasks.wake();
      const { annotationJobId } = job;
      return {
        jobId: job.id,
        ...(annotationJobId !== undefined && { annotationJobId }),
        message: `Auto Label takes ${job.images} ${job.images === 1 ? 'image' : 'images'}.`,
        ...(leftOut.length > 0 && { leftOut: [...leftOut] }),
        ...describeTaskStart(origin, principal.workspace, job.id),
      };
    },
    autolabel_get: async ({ jobId }, { principal }) => {
      const { job, project } = await findJob(dependencies, principal, jobId);
      const task = await dependencies.tasks.find(principal.workspace.id, jobId);
      return describeJob(job, project, task);
    },
  };
}

async function start(
  dependencies: PlatformDependencies,
  principal: Principal,
  project: Project,
  input: StartInput,
): Promise<{ readonly job: AutolabelJob; readonly leftOut: readonly string[] }> {
  const { store, clock } = dependencies;
  const batch = await findBatch(dependencies, project, input.batchId, 'batchId');
  const found = await findLabeller(dependencies, principal, input);
  const isFailure = found instanceof FoveaError;
  if (!isFailure) checkModelShapes('modelType', found.task, project.type);
  const classes = isFailure
    ? { ontology: input.ontology ?? {}, confidenceThresholds: input.confidenceThresholds ?? {} }
    : chooseClasses(input, found.classes, await projectClasses(dependencies, project));
  const own = isFailure ? undefined : found.thresholds;
  const job: NewAutolabelJob = {
    id: newId(),
    workspaceId: principal.workspace.id,
    projectId: project.id,
    settings: {
      modelType: input.modelType,
      modelId: isFailure ? undefined : found.modelId,
      ...classes,
      defaultConfidence: chooseThresholds(own, { confidence: input.defaultConfidence }).confidence,
      runNms: input.runNms ?? true,
    },
    created: clock.now(),
  };
  if (isFailure) {
    return { job: await store.autolabel.addFailed(job, found.message, found.code), leftOut: [] };
  }
  const annotationJob = {
    id: newId(),
    projectId: project.id,
    name: `Auto Label: ${batch.name}`,
    batchId: batch.id,
    labeler: undefined,
    reviewer: input.reviewerEmail,
    createdBy: principal.name,
    created: job.created,
  };
  const imagesMax = input.numImagesToLabel ?? batch.images;
  const added = await store.autolabel.add(job, annotationJob, imagesMax);
  if (added !== undefined) return { job: added, leftOut: leftOutOf(found.classes, classes) };
  throw invalidArgument(
    'batchId',
    'has no image that waits for labels: all are annotated, or in an open job',
  );
}

async function projectClasses(
  dependencies: PlatformDependencies,
  project: Project,
): Promise<readonly string[]> {
  return Object.keys((await countsOf(dependencies, project)).classes);
}

/**
 * The model, or why none can be run here: that fails the job. Throws for a model id that is wrong,
 * which is the caller's to put right.
 */
async function findLabeller(
  dependencies: PlatformDependencies,
  principal: Principal,
  { modelType, modelOptions }: StartInput,
): Promise<Labeller | FoveaError> {
  const { modelId = '' } = modelOptions ?? {};
  const isOwn = modelType === 'custom_roboflow';
  if (isOwn && modelId === '') {
    throw invalidArgument('modelOptions.modelId', 'is required with modelType "custom_roboflow"');
  }
  const [id, argument] = isOwn ? [modelId, 'modelOptions.modelId'] : [modelType, 'modelType'];
  if (id === localModel && dependencies.models.configured === undefined) {
    return new FoveaError('conflict', noModelConfigured);
  }
  const [slug = '', ...rest] = id.split('/');
  if (id !== localModel && rest.length === 0) return hostedModel(id);
  if (id !== localModel) await findProject(dependencies, principal, slug);
  return dependencies.models.resolve(principal.workspace.id, id).catch((thrown) => {
    if (!(thrown instanceof FoveaError)) throw thrown;
    if (thrown.code === 'not_implemented') return thrown;
    if (thrown.code === 'not_found') throw invalidArgument(argument, thrown.message, thrown.hint);
    throw thrown;
  });
}

function hostedModel(id: string): FoveaError {
  return new FoveaError(
    'conflict',
    `${quotedName(id)} is a hosted model, and this platform runs ONNX models. Set FOVEA_MODEL to a ` +
      'detection model and pass modelType "local", or train and deploy one and pass ' +
      'PROJECT/VERSION.',
  );
}

/** A job of this workspace, in a project that is there and in reach; else it is not found. */
async function findJob(
  { store }: PlatformDependencies,
  principal: Principal,
  jobId: string,
): Promise<{ readonly job: AutolabelJob; readonly project: Project }> {
  const job = await store.autolabel.get(jobId);
  const project = job && (await store.projects.get(job.projectId));
  const isOwn = project?.workspaceId === principal.workspace.id;
  const isSeen = isOwn && isAccessible(await accessibleProjects(store, principal), project.id);
  if (job === undefined || !isSeen || !(await store.projects.isLive(project.id))) {
    throw notFound('Auto Label job', jobId, 'Job ids come from autolabel_start.');
  }
  return { job, project };
}

type Task = Awaited<ReturnType<PlatformDependencies['tasks']['find']>>;

function describeJob(job: AutolabelJob, project: Project, task: Task) {
  const { id, annotationJobId, images, labelled, empty, skipped } = job;
  const { modelId, modelType, ...settings }: AutolabelSettings = job.settings;
  const { ontology, defaultConfidence, confidenceThresholds } = settings;
  return {
    jobId: id,
    status: task?.status ?? 'created',
    modelType,
    ...(modelId !== undefined && { modelId }),
    projectType: project.type,
    images: { total: images, labelled, empty, skipped },
    progress: { current: labelled + empty + skipped, total: images },
    ontology: { ...ontology },
    defaultConfidence,
    confidenceThresholds: { ...confidenceThresholds },
    ...(annotationJobId !== undefined && { annotationJobId }),
    ...(task?.error !== undefined && { error: task.error }),
  };
}
