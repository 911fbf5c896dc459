// Labels unlabelled images with a model.

import { hasOutlines } from '../../annotations/annotation.ts';
import { asFoveaError, FoveaError, notFound } from '../../errors.ts';
import type { Detection, Labelled, Labeller } from '../../model-inference/detection-models.ts';
import { imageFaults } from '../../model-inference/image-faults.ts';
import {
  type OmissionCounter,
  omissionCounter,
  type PredictionOmissions,
} from '../../model-inference/prediction-omissions.ts';
import { chooseThresholds } from '../../model-inference/thresholds.ts';
import { awaitedService } from '../../storage/service-away.ts';
import type { Claim } from '../../storage/task-queue.ts';
import { annotationOfModel } from '../annotation/annotation-of-model.ts';
import { leftOutOf } from '../annotation/autolabel-classes.ts';
import { newId } from '../ids-and-slugs.ts';
import type { AutolabelJob, LabelledImage } from '../store/autolabel.ts';
import type { FencedTransaction } from '../store/fenced-transaction.ts';
import type { Image } from '../store/images.ts';
import type { NewInference } from '../store/inferences.ts';
import type { Project } from '../store/projects.ts';
import { type BackgroundTask, payloadText, type TaskDependencies } from './background-task.ts';

const imagesAtOnce = 50;

/**
 * Goes through the images in the order of their ids, each kept with the count of those that are
 * done: so an attempt that starts over goes on behind the last one. What the model does not see is
 * not labelled, and what somebody labelled stays.
 */
export const autolabelImages: BackgroundTask = async (dependencies, claim, signal) => {
  const { store, models } = dependencies;
  const job = await store.autolabel.get(payloadText(claim, 'autolabelId'));
  if (!job) throw notFound('Auto Label job', payloadText(claim, 'autolabelId'));
  const workspaceId = payloadText(claim, 'workspaceId');
  let leftOut: readonly string[] = [];
  let modelLacks: PredictionOmissions | undefined;
  try {
    if (job.settings.modelId === undefined) throw new FoveaError('conflict', 'There is no model.');
    const project = await store.projects.get(job.projectId);
    if (project === undefined) throw notFound('project', job.projectId);
    const labeller = await models.resolve(workspaceId, job.settings.modelId);
    const lacks = omissionCounter(labeller.task, hasOutlines(project.type));
    await labelImages(dependencies, claim, { job, project, workspaceId, labeller, lacks, signal });
    modelLacks = lacks.told();
    leftOut = leftOutOf(labeller.classes, job.settings);
  } catch (thrown) {
    // If this fails too, the next job for these images sees that the task has ended.
    const goesOn = signal.aborted || awaitedService(thrown) !== undefined;
    if (!goesOn) await store.autolabel.end(job.id, claim.fenced).catch(() => {});
    throw thrown;
  }
  await store.autolabel.end(job.id, claim.fenced);
  const ended = (await store.autolabel.get(job.id)) ?? job;
  const { images, labelled, empty, skipped, boxes, annotationJobId } = ended;
  return {
    images,
    labelled,
    empty,
    skipped,
    boxes,
    annotationJobId,
    ...(leftOut.length > 0 && { leftOut }),
    ...(modelLacks && { modelLacks }),
  };
};

interface Run {
  readonly job: AutolabelJob;
  readonly project: Project;
  readonly workspaceId: string;
  readonly labeller: Labeller;
  readonly lacks: OmissionCounter;
  readonly signal: AbortSignal;
}

async function labelImages(dependencies: TaskDependencies, claim: Claim, run: Run): Promise<void> {
  const { store, clock } = dependencies;
  const { job, signal } = run;
  let done = job.labelled + job.empty + job.skipped;
  await claim.progress(done, job.images);
  /** One commit with the image that it counts. */
  const fenced: FencedTransaction = (writes) =>
    claim.fenced(async () => {
      const result = await writes();
      done += 1;
      await claim.progress(done, job.images);
      return result;
    });
  for (;;) {
    if (!(await store.projects.isLive(job.projectId))) {
      throw new FoveaError('not_found', 'The project is in the trash.');
    }
    const imageIds = await store.autolabel.open(job.id, imagesAtOnce);
    if (imageIds.length === 0) return;
    for (const imageId of imageIds) {
      signal.throwIfAborted();
      const image = await store.images.find(job.projectId, imageId);
      const labelled = await labelImage(dependencies, run, imageId, image);
      await store.autolabel.keep(job.id, labelled, fenced, clock.now());
    }
  }
}

async function labelImage(
  dependencies: TaskDependencies,
  run: Run,
  imageId: string,
  image: Image | undefined,
): Promise<LabelledImage> {
  if (image === undefined || image.annotation !== undefined) {
    return { imageId, annotation: undefined, inference: undefined };
  }
  const seen = await detect(dependencies, run, image);
  if (seen instanceof FoveaError) {
    return { imageId, annotation: undefined, inference: failure(dependencies, run, seen.message) };
  }
  const { detections, hasMore, ms } = seen;
  run.lacks.add(detections, hasMore);
  const { ontology } = run.job.settings;
  const named = detections.map((one) => ({ ...one, label: ontology[one.label] ?? one.label }));
  const annotation = annotationOfModel(run.project.type, run.labeller.task, named);
  return { imageId, annotation, inference: record(dependencies, run, detections, ms) };
}

/** What is wrong with the image, where it cannot be read. Throws where the model fails. */
async function detect(
  dependencies: TaskDependencies,
  run: Run,
  image: Image,
): Promise<Labelled | FoveaError> {
  const { signal, labeller } = run;
  try {
    const content = await readImage(dependencies, image);
    if (content instanceof FoveaError) return content;
    return await labeller.detect(content, { ...choiceOf(run), signal });
  } catch (thrown) {
    if (signal.aborted) throw thrown;
    const error = asFoveaError(thrown);
    if (imageFaults.includes(error.code)) return error;
    await dependencies.store.inferences.add([failure(dependencies, run, error.message)]);
    // Names of images are words of users: they have no place in an error of ours.
    throw new FoveaError(error.code, `Image ${image.id}: ${error.message}`, { cause: thrown });
  }
}

/** Lost or damaged content is an error of this image; a failing disk or store is not. */
async function readImage(
  { blobs }: TaskDependencies,
  { hash }: Image,
): Promise<Uint8Array | FoveaError> {
  return blobs.get(hash).catch((thrown: unknown) => {
    if (thrown instanceof FoveaError && thrown.code !== 'unavailable') return thrown;
    throw thrown;
  });
}

function choiceOf({ job, labeller }: Run) {
  const { ontology, confidenceThresholds, defaultConfidence, runNms } = job.settings;
  // Classes outside the ontology never reach the threshold.
  const confidence = (label: string) => {
    const goal = Object.hasOwn(ontology, label) ? ontology[label] : undefined;
    if (goal === undefined) return Number.POSITIVE_INFINITY;
    return Object.hasOwn(confidenceThresholds, goal)
      ? (confidenceThresholds[goal] ?? defaultConfidence)
      : defaultConfidence;
  };
  return { confidence, overlap: runNms ? chooseThresholds(labeller.thresholds).overlap : 1 };
}

function record(
  { clock }: TaskDependencies,
  { job, workspaceId, labeller }: Run,
  detections: readonly Detection[],
  ms: number,
): NewInference {
  return {
    id: newId(),
    workspaceId,
    projectId: job.projectId,
    modelName: labeller.modelId,
    source: 'autolabel',
    created: clock.now(),
    responseMs: ms,
    error: undefined,
    seen: detections.map(({ label, confidence }) => ({ class: label, confidence })),
  };
}

function failure(dependencies: TaskDependencies, run: Run, error: string): NewInference {
  return { ...record(dependencies, run, [], 0), responseMs: undefined, error };
}
