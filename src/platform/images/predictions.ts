// Handlers of predictions: what a model sees in an image, which a person accepts or refuses. Only
// what is refused is kept, and no inference is counted: labels are what the person makes of it.

import { tidy } from '../../annotations/box-geometry.ts';
import type { imageExtensions } from '../../contract/images.ts';
import type { Answer } from '../../contract/operation.ts';
import type { Handlers } from '../../http-server/handlers.ts';
import { limits } from '../../limits.ts';
import { chooseThresholds } from '../../model-inference/thresholds.ts';
import type { Principal } from '../access-control/authorization.ts';
import type { PlatformDependencies } from '../dependencies.ts';
import { figuresOf } from '../evaluations/finished-evaluation.ts';
import { findImage } from '../images.ts';
import type { Image, RefusedBox } from '../store/images.ts';
import type { Project } from '../store/projects.ts';

type Operations = Pick<typeof imageExtensions, 'images_predictions' | 'images_refuse_predictions'>;
type Predictions = Answer<Operations['images_predictions']>;

export function predictionHandlers(
  dependencies: PlatformDependencies,
): Handlers<Operations, Principal> {
  return {
    images_predictions: async (input, { principal, signal }) => {
      const { project: slug, imageId } = input;
      const { project, image } = await findImage(dependencies, principal, slug, imageId);
      // Of the labels of other projects models here say nothing that a person accepts singly.
      if (project.type !== 'object-detection') return { predictions: [] };
      const { evaluation } = input;
      const asked =
        evaluation === undefined
          ? undefined
          : await ofEvaluation(dependencies, project, image, evaluation);
      const seen = asked ??
        (await ofModel(dependencies, project, image, signal)) ??
        (await ofEvaluation(dependencies, project, image)) ?? { predictions: [] };
      const refused = await dependencies.store.images.refused(imageId);
      return {
        ...seen,
        ...(refused.length > 0 && { refused: refused.map(shown) }),
        ...(asked && (await mistakesOf(dependencies, asked.evaluationId ?? '', imageId))),
      };
    },
    images_refuse_predictions: async (input, { principal }) => {
      const { project: slug, imageId, refuse = [], restore = [] } = input;
      await findImage(dependencies, principal, slug, imageId);
      const { images } = dependencies.store;
      const refused = await images.changeRefused(imageId, { refuse, restore });
      return { refused: refused.map(shown) };
    },
  };
}

function shown({ label, x, y, width, height }: RefusedBox) {
  return { label, x, y, width, height };
}

/** Undefined: no model is deployed, or it cannot be run here. */
async function ofModel(
  { store, models, blobs }: PlatformDependencies,
  { id, workspaceId }: Project,
  { hash }: Image,
  signal: AbortSignal,
): Promise<Predictions | undefined> {
  const model = (await store.deployments.get(id))?.modelId ?? models.configured;
  if (model === undefined) return undefined;
  if ((await models.state(workspaceId, model)).status !== 'ready') return undefined;
  const labeller = await models.resolve(workspaceId, model);
  if (labeller.task === 'classification') return undefined;
  const { confidence, overlap } = chooseThresholds(labeller.thresholds);
  const wanted = { confidence: limits.predictionConfidenceMin, overlap, signal };
  const { detections } = await labeller.detect(await blobs.get(hash), wanted);
  const predictions = detections
    .toSorted((one, other) => other.confidence - one.confidence)
    .slice(0, limits.drawnBoxesMax)
    .map(({ label, x, y, width, height, confidence: sure }) => ({
      label,
      x: tidy(x),
      y: tidy(y),
      width: tidy(width),
      height: tidy(height),
      confidence: tidy(sure),
    }));
  return { predictions, model, confidence };
}

/** What the newest evaluation that judged this very image kept, or this one. */
async function ofEvaluation(
  { store }: PlatformDependencies,
  project: Project,
  { id, hash }: Image,
  wanted?: string,
): Promise<Predictions | undefined> {
  const found = await store.evaluations.ofImage(project.id, { imageId: id, hash }, wanted);
  if (found === undefined) return undefined;
  const { evaluation, boxes } = found;
  return {
    predictions: JSON.parse(boxes).found,
    evaluationId: evaluation.id,
    confidence: figuresOf(evaluation)?.confidence ?? chooseThresholds(undefined).confidence,
  };
}

/** Labels of the image that may be wrong, by an evaluation: the surest first. */
async function mistakesOf(
  { store }: PlatformDependencies,
  evaluationId: string,
  imageId: string,
): Promise<Pick<Predictions, 'mistakes'>> {
  const ofImage = { imageIds: [imageId], label: undefined, kind: undefined, scoreMin: 0 };
  const page = await store.evaluations.mistakes(evaluationId, { ...ofImage, limit: 1, offset: 0 });
  const mistakes = page.results
    .flatMap((image) => image.mistakes)
    .toSorted((one, other) => other.score - one.score)
    .slice(0, limits.evaluationMistakesShownMax);
  return {
    mistakes: mistakes.map(({ kind, score, label, found }) => ({
      kind,
      score: tidy(score),
      ...(label !== undefined && { label }),
      found,
    })),
  };
}
