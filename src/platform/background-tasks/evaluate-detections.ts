// Judges a model, or a file of predictions, by the labels of images.

import type { EvaluableTask } from '../../contract/evaluations.ts';
import { asFoveaError, FoveaError, notFound } from '../../errors.ts';
import { noKnownClass, noKnownImage } from '../../evaluation/unknown-names.ts';
import { limits } from '../../limits.ts';
import type { Labeller } from '../../model-inference/detection-models.ts';
import { imageFaults } from '../../model-inference/image-faults.ts';
import { omissionCounter } from '../../model-inference/prediction-omissions.ts';
import { chooseThresholds } from '../../model-inference/thresholds.ts';
import type { Claim } from '../../storage/task-queue.ts';
import { describeFigures, type KeptFigures } from '../evaluations/describe-evaluation.ts';
import { evaluableTaskOf, isOutlined } from '../evaluations/evaluable-project-type.ts';
import { type EvaluationAnswer, evaluateInThread } from '../evaluations/evaluation-thread.ts';
import {
  type LabelledImage,
  type LabelledImages,
  labelledImages,
} from '../evaluations/judged-images.ts';
import { type JudgedObjects, objectReader, regionReader } from '../evaluations/judged-objects.ts';
import type { Evaluation, JudgedImage } from '../store/evaluations.ts';
import { type BackgroundTask, payloadText, type TaskDependencies } from './background-task.ts';
import { inChunks, throttleProgress } from './process-items.ts';

/** An attempt that starts over runs the model on all images again. */
export const evaluateDetections: BackgroundTask = async (dependencies, claim, signal) => {
  const { store } = dependencies;
  const evaluation = await store.evaluations.get(claim.id);
  const project = evaluation && (await store.projects.get(evaluation.projectId));
  if (!evaluation || !project) throw notFound('evaluation', claim.id);
  const { settings } = evaluation;
  const modelTask = evaluableTaskOf(project.type);
  const labelled = await labelledImages(store, project, modelTask, settings, signal);
  const run = { dependencies, claim, evaluation, modelTask, labelled, signal };
  const judged = evaluation.predictionsHash === undefined ? await runModel(run) : undefined;
  const images = judged?.images ?? labelled.images.map((image) => ({ ...image, detections: [] }));
  const answer = await evaluateInThread(
    {
      modelTask,
      isSingleLabel: project.type === 'single-label-classification',
      images,
      classes: labelled.classes,
      keypointNames: labelled.keypointNames,
      confidence: confidenceOf(run, judged),
      predictions: await predictionsOf(run),
    },
    signal,
  );
  if (judged === undefined) refuseStrangers(answer, images, settings.version !== undefined);
  const figures: KeptFigures = {
    ...answer.figures,
    modelTask,
    classification: answer.classification,
    withoutOutline: isOutlined(modelTask) ? labelled.bare : 0,
    withoutKeypoints: modelTask === 'keypoints' ? labelled.bare : 0,
    judgedBy: answer.judgedBy,
    images: images.length,
    unannotated: labelled.unannotated,
    unreadable: judged?.unreadable ?? 0,
    mistakes: answer.mistakes.reduce((sum, { length }) => sum + length, 0),
    hasConfusionsOfImages: true,
    modelLacks: judged?.lacks,
    modelThresholds: judged?.thresholds,
    unknown: answer.unknown ?? judged?.unknown,
    fit: answer.fit,
  };
  await store.evaluations.begin(claim.id, claim.fenced);
  const rows = judgedRows(images, answer);
  await inChunks(rows, limits.evaluationRowsAtOnceMax, signal, (some) =>
    store.evaluations.addImages(claim.id, some, claim.fenced),
  );
  await store.evaluations.finish(claim.id, JSON.stringify(figures), claim.fenced);
  return { evaluationId: claim.id, project: project.slug, ...describeFigures(figures) };
};

/** Undefined: the best by the labels, or the default where pixels are judged. */
function confidenceOf(
  { modelTask, evaluation: { settings } }: Run,
  judged: Awaited<ReturnType<typeof runModel>> | undefined,
): number | undefined {
  if (modelTask !== 'semantic') return settings.confidence;
  return judged?.isOfPixels ? 0 : (settings.confidence ?? judged?.thresholds.confidence);
}

interface Run {
  readonly dependencies: TaskDependencies;
  readonly claim: Claim;
  readonly evaluation: Evaluation;
  readonly modelTask: EvaluableTask;
  readonly labelled: LabelledImages;
  readonly signal: AbortSignal;
}

type DetectedImage = LabelledImage & Pick<JudgedObjects, 'detections' | 'shapes'>;

/** Below any threshold that is of use, and enough for the tail of the curve. */
const confidenceLeast = 0.01;

/** What the model finds in each image that it can read. */
async function runModel({ dependencies, claim, evaluation, modelTask, labelled, signal }: Run) {
  const workspaceId = payloadText(claim, 'workspaceId');
  const { modelId = '' } = evaluation.settings;
  const labeller = await dependencies.models.resolve(workspaceId, modelId);
  const report = throttleProgress((done, total) => claim.progress(done, total));
  const images: DetectedImage[] = [];
  const lacks = omissionCounter(labeller.task, isOutlined(modelTask));
  const isOfPixels = labeller.task === 'semantic';
  const judgedOf = isOfPixels
    ? regionReader(labelled.classes, labeller.classes)
    : objectReader(modelTask, labelled, lacks);
  let corners = 0;
  const unknownClasses = new Map<string, number>();
  let unreadable = 0;
  const total = labelled.images.length;
  await claim.progress(0, total);
  for (const [place, image] of labelled.images.entries()) {
    signal.throwIfAborted();
    const seen = await detect(dependencies, labeller, image, signal);
    if (seen === undefined) unreadable += 1;
    else {
      const { strangers, corners: own, ...found } = judgedOf(seen);
      for (const label of strangers) {
        unknownClasses.set(label, (unknownClasses.get(label) ?? 0) + 1);
      }
      corners += own;
      if (corners > limits.evaluationCornersMax) throw tooManyCorners();
      images.push({ ...image, ...found });
    }
    await report({ done: place + 1, total });
  }
  const unknown = {
    unknownImages: { count: 0, examples: [] },
    unknownClasses: Object.fromEntries(unknownClasses),
  };
  const { thresholds } = labeller;
  return { images, unreadable, unknown, lacks: lacks.told(), thresholds, isOfPixels };
}

function tooManyCorners() {
  return new FoveaError(
    'too_large',
    'The outlines or keypoints that the model finds take too much memory.',
    {
      hint: 'Judge fewer images at a time.',
    },
  );
}

/** Undefined for an image that cannot be read. Throws where the model fails. */
async function detect(
  { blobs }: TaskDependencies,
  labeller: Labeller,
  { hash }: LabelledImage,
  signal: AbortSignal,
) {
  // That of inference: what is judged is what a deployed model answers.
  const { overlap } = chooseThresholds(labeller.thresholds);
  const options = { confidence: confidenceLeast, overlap, wantsRegions: true, signal };
  try {
    return await labeller.detect(await blobs.get(hash), options);
  } catch (thrown) {
    if (signal.aborted || !imageFaults.includes(asFoveaError(thrown).code)) throw thrown;
    return undefined;
  }
}

async function predictionsOf({ dependencies, evaluation }: Run) {
  const { predictionsHash, settings } = evaluation;
  if (predictionsHash === undefined) return undefined;
  const bytes = await dependencies.blobs.get(predictionsHash);
  // A number is the place in a COCO export, which versions have.
  return { text: new TextDecoder().decode(bytes), isNumbered: settings.version !== undefined };
}

/** Figures of predictions of which none is judged would say nothing of a model. */
function refuseStrangers(
  { figures, unknown }: EvaluationAnswer,
  judged: readonly LabelledImage[],
  isNumbered: boolean,
): void {
  const classes = Object.keys(unknown?.unknownClasses ?? {});
  const images = unknown?.unknownImages.examples ?? [];
  if (figures.detections > 0 || classes.length + images.length === 0) return;
  const known = { classes: figures.classes, images: judged, isNumbered };
  throw images.length > 0 ? noKnownImage(images, known) : noKnownClass(classes, known);
}

function judgedRows(
  images: readonly LabelledImage[],
  { figures: { classes }, boxes, outcomes, confused, mistakes }: EvaluationAnswer,
): readonly JudgedImage[] {
  return images.map(({ name, hash, imageId }, ordinal) => ({
    ordinal,
    name,
    hash,
    imageId,
    boxes: boxes[ordinal] ?? '{}',
    outcomes: (outcomes[ordinal] ?? []).map(({ classIndex, ...counts }) => ({
      label: classes[classIndex] ?? '',
      ...counts,
    })),
    confusions: (confused[ordinal] ?? []).map(([truth, found, count]) => ({
      truth: classes[truth] ?? '',
      found: classes[found] ?? '',
      count,
    })),
    mistakes: mistakes[ordinal] ?? [],
  }));
}
