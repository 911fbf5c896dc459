// Handlers of the toolset "inference": a model on one image.

import { randomUUID } from 'node:crypto';
import type { ProjectType } from '../annotations/annotation.ts';
import { tidy } from '../annotations/box-geometry.ts';
import type { inference } from '../contract/inference.ts';
import type { Input } from '../contract/operation.ts';
import { asFoveaError, FoveaError, invalidArgument, invalidInput } from '../errors.ts';
import type { Handlers } from '../http-server/handlers.ts';
import type { Point } from '../imaging/box.ts';
import { limits } from '../limits.ts';
import {
  type Detection,
  type FoundKeypoint,
  type Labelled,
  type Labeller,
  localModel,
  noModelConfigured,
} from '../model-inference/detection-models.ts';
import { chooseThresholds, type Thresholds } from '../model-inference/thresholds.ts';
import { quotedName, quotedNames } from '../quoted-name.ts';
import { suggestSpellingOfFew } from '../spelling-suggestion.ts';
import { findProject } from './access-control/accessible-projects.ts';
import type { Principal } from './access-control/authorization.ts';
import type { PlatformDependencies } from './dependencies.ts';
import { drawDetections } from './previews/draw-detections.ts';
import type { Project } from './store/projects.ts';

type RunInput = Input<typeof inference.inference_run>;

export function inferenceHandlers(
  dependencies: PlatformDependencies,
): Handlers<typeof inference, Principal> {
  return {
    inference_run: async (input, { principal, signal }) => {
      const project = await findProject(dependencies, principal, input.project);
      const modelId = await chooseModel(dependencies, project, input.version);
      const labeller = await dependencies.models.resolve(principal.workspace.id, modelId);
      const wanted = wantedClasses(input, labeller);
      const image = await readSource(dependencies, input, signal);
      const run = { project, labeller, image, wanted, signal };
      const given = { confidence: shareOf(input.confidence), overlap: shareOf(input.overlap) };
      const shares = chooseThresholds(labeller.thresholds, given);
      const { id, labelled } = await runModel(dependencies, shares, run);
      return labeller.task === 'classification'
        ? describeClasses(id, labelled, project.type, shares.confidence)
        : describe(id, labelled, labeller);
    },
    inference_draw: async (input, { signal }) => drawDetections(input, signal),
  };
}

/** The id of the model that a path names. Throws `conflict` where no model is deployed. */
export async function chooseModel(
  { store, models }: PlatformDependencies,
  project: Project,
  version: string,
) {
  if (version === localModel || version === 'deployed') {
    const deployed = version === 'deployed' ? await store.deployments.get(project.id) : undefined;
    const modelId = deployed?.modelId ?? models.configured;
    if (modelId !== undefined) return modelId;
    throw new FoveaError('conflict', noModelConfigured, {
      hint: 'deployment_set_model selects the model of a project.',
    });
  }
  return `${project.slug}/${version}`;
}

/** Undefined: all. */
function wantedClasses({ classes }: RunInput, labeller: Labeller): readonly string[] | undefined {
  if (classes === undefined) return undefined;
  const names = classes
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  const nearestTo = suggestSpellingOfFew(labeller.classes);
  const problems = names
    .filter((name) => !labeller.classes.includes(name))
    .slice(0, limits.problemsShownMax)
    .map((name) => {
      const near = nearestTo(name);
      const right = near
        ? `did you mean ${quotedName(near)}?`
        : `known are ${quotedNames(labeller.classes)}`;
      return {
        path: 'classes',
        message: `${quotedName(name)} is no class of this model; ${right}`,
      };
    });
  if (problems.length > 0) throw invalidInput(problems);
  if (names.length === 0) throw invalidArgument('classes', 'names no class');
  return names;
}

async function readSource(
  { fetchImage }: PlatformDependencies,
  { file, image }: RunInput,
  signal: AbortSignal,
): Promise<Uint8Array> {
  if ((file === undefined) === (image === undefined)) {
    throw invalidInput([{ path: 'file', message: 'give either a file or an image URL' }]);
  }
  if (image !== undefined) return fetchImage(image, signal);
  const content = file?.content;
  if (!(content instanceof Uint8Array)) throw invalidArgument('file', 'has no bytes');
  return content;
}

/** Clients of the hosted platform send percent. */
function shareOf(given: number | undefined): number | undefined {
  return given !== undefined && given > 1 ? given / 100 : given;
}

interface Run {
  readonly project: Project;
  readonly labeller: Labeller;
  readonly image: Uint8Array;
  readonly wanted: readonly string[] | undefined;
  readonly signal: AbortSignal;
}

/** Errors of the model, as opposed to an unreadable image. */
const modelFaults: readonly string[] = ['upstream_failed', 'timed_out', 'internal'];

/** Runs the model and records that, also where it fails; then others may keep the image. */
async function runModel(
  { store, clock, collect }: PlatformDependencies,
  { confidence: given, overlap }: Thresholds,
  { project, labeller, image, wanted, signal }: Run,
): Promise<{ readonly id: string; readonly labelled: Labelled }> {
  const id = randomUUID();
  const { workspaceId } = project;
  const record = (seen: readonly Detection[], responseMs?: number, error?: string) =>
    store.inferences.add([
      {
        id,
        workspaceId,
        projectId: project.id,
        modelName: labeller.modelId,
        source: 'hosted',
        created: clock.now(),
        responseMs,
        error,
        seen: seen.map(({ label, confidence }) => ({ class: label, confidence })),
      },
    ]);
  const isOfWholeImage = labeller.task === 'classification';
  // The most probable class is told whatever its score is.
  const least = isOfWholeImage ? 0 : given;
  const confidence = (label: string) =>
    wanted === undefined || wanted.includes(label) ? least : Number.POSITIVE_INFINITY;
  const labelled = await labeller
    .detect(image, { confidence, overlap, signal })
    .catch(async (thrown) => {
      const { code, message } = asFoveaError(thrown);
      if (!signal.aborted && modelFaults.includes(code)) await record([], undefined, message);
      throw thrown;
    });
  const { width, height, ms } = labelled;
  const detections = labelled.detections.filter((one) => one.confidence >= given);
  await record(detections, ms);
  const seen = { workspaceId, modelName: labeller.modelId, image, inferenceId: id };
  await collect({ ...seen, width, height, task: labeller.task, detections });
  return { id, labelled };
}

/** In the shape of the hosted platform, as all that follows. */
function describe(id: string, labelled: Labelled, { task }: Labeller) {
  const isAlone = ({ points }: Detection) =>
    (task === 'segmentation' || task === 'semantic') && points === undefined;
  const alone = labelled.detections.filter(isAlone).length;
  const cut = labelled.detections.filter(({ isCut }) => isCut === true).length;
  return {
    ...head(id, labelled),
    ...(labelled.hasMore && { more_found: true }),
    ...(alone > 0 && { without_outline: alone }),
    ...(cut > 0 && { cut_outlines: cut }),
    predictions: labelled.detections.map((detection) => ({
      x: tidy(detection.x),
      y: tidy(detection.y),
      width: tidy(detection.width),
      height: tidy(detection.height),
      confidence: tidy(detection.confidence),
      class: detection.label,
      class_id: detection.classIndex,
      detection_id: randomUUID(),
      ...(detection.points && { points: detection.points.map(pointOf) }),
      ...(detection.keypoints && { keypoints: detection.keypoints.map(keypointOf) }),
    })),
  };
}

function pointOf([x, y]: Point) {
  return { x: tidy(x), y: tidy(y) };
}

function keypointOf({ label, x, y, confidence }: FoundKeypoint, place: number) {
  return {
    x: tidy(x),
    y: tidy(y),
    ...(confidence !== undefined && { confidence: tidy(confidence) }),
    class_id: place,
    class: label,
  };
}

function head(id: string, { width, height, ms }: Labelled) {
  return { inference_id: id, time: ms / 1000, image: { width, height } };
}

/** Where an image has several classes, each that is sure enough; else the first of all. */
function describeClasses(id: string, labelled: Labelled, type: ProjectType, least: number) {
  const found = labelled.detections
    .map(({ label, classIndex, confidence }) => ({
      class: label,
      class_id: classIndex,
      confidence: tidy(confidence),
    }))
    .toSorted((one, other) => other.confidence - one.confidence);
  const sure = found.filter(({ confidence }) => confidence >= least);
  if (type === 'multi-label-classification') {
    return {
      ...head(id, labelled),
      predictions: Object.fromEntries(found.map(({ class: name, ...rest }) => [name, rest])),
      predicted_classes: sure.map((one) => one.class),
    };
  }
  const [best] = found;
  return {
    ...head(id, labelled),
    predictions: sure,
    ...(best && { top: best.class, confidence: best.confidence }),
  };
}
