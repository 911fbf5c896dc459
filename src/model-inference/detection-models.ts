// Models that this platform can run, by their ids: what they see are boxes with a class.

import { createRequire } from 'node:module';
import { asFoveaError, FoveaError, notFound } from '../errors.ts';
import type { Point } from '../imaging/box.ts';
import { fitImage, readImageHeader } from '../imaging/image-thread-pool.ts';
import { fitInto, type Size } from '../imaging/letterbox-resize.ts';
import type { BlobStore } from '../storage/blob-store.ts';
import type { ClassRegion } from './class-regions.ts';
import { imageFaults } from './image-faults.ts';
import { createLoadedModels, type LoadedModels, type ModelFile } from './loaded-models.ts';
import { checkModelBytes, openModelFile } from './model-files.ts';
import type { DetectorTask } from './model-layout.ts';
import type { OpenModel } from './model-thread.ts';
import { noRuntime } from './onnx-session.ts';
import type { FoundBox } from './shapes-of-boxes.ts';
import type { OwnThresholds } from './thresholds.ts';

/** A box around its centre, in pixels as stored; the image for a class of the whole image. */
export interface Detection {
  readonly label: string;
  readonly classIndex: number;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  /** 0 to 1. */
  readonly confidence: number;
  /** The outline of the object, one closed ring. */
  readonly points?: readonly Point[];
  /** Holes or other pieces of its mask are no part of its outline. */
  readonly isCut?: boolean;
  readonly keypoints?: readonly FoundKeypoint[];
}

export interface FoundKeypoint {
  /** Its name, or its number where the model gives none. */
  readonly label: string;
  readonly x: number;
  readonly y: number;
  /** How sure it is that the point can be seen, 0 to 1; undefined: it does not say. */
  readonly confidence: number | undefined;
}

export interface DetectOptions {
  /** The least, 0 to 1; for all labels or for each. */
  readonly confidence: number | ((label: string) => number);
  /** Of two boxes of a label that overlap by more (intersection over union), the better one. */
  readonly overlap: number;
  /** Of a model of pixels: its regions too; default: none. */
  readonly wantsRegions?: boolean;
  readonly signal: AbortSignal;
}

export interface Labelled {
  readonly width: number;
  readonly height: number;
  readonly detections: readonly Detection[];
  /** There are more than are kept: the surest are. */
  readonly hasMore: boolean;
  /** Of a model of pixels, where they are wanted: all of each class, whatever the confidence. */
  readonly regions?: readonly ClassRegion[];
  /** How long the model took. */
  readonly ms: number;
}

export interface Labeller {
  readonly modelId: string;
  readonly task: DetectorTask;
  readonly classes: readonly string[];
  readonly thresholds: OwnThresholds;
  /**
   * Throws `not_found`, `invalid_input`, `unsupported_media` or `too_large` for an image that
   * cannot be read, and never these for what is wrong with the model.
   */
  detect(image: Uint8Array, options: DetectOptions): Promise<Labelled>;
}

export interface ModelState {
  readonly status: 'ready' | 'no_model' | 'no_runtime';
  /** What to do, unless it is ready. */
  readonly reason: string | undefined;
}

export interface Models {
  /**
   * The model of an id, loaded: `local`, `PROJECT/VERSION`, `PROJECT/VERSION/TRAINING`, or
   * `PROJECT/TRAINING`. Throws `not_found` (no such model), `not_implemented` (no runtime),
   * `invalid_input` (a form that we cannot run), each with what to do.
   */
  resolve(workspaceId: string, modelId: string): Promise<Labeller>;
  /** Whether it could be run, without loading it. */
  state(workspaceId: string, modelId: string): Promise<ModelState>;
  /** Throws as `resolve` for a file that is no model we can run. */
  inspect(path: string): Promise<Pick<Labeller, 'task' | 'classes'>>;
  /** `local` when FOVEA_MODEL is set. */
  readonly configured: string | undefined;
  close(): Promise<void>;
}

export interface Weights {
  readonly hash: string;
  readonly classes: readonly string[];
  /** The size to which the images that it learned from were stretched; undefined: to none. */
  readonly stretchedTo?: Size | undefined;
}

/** The weights of a trained model; undefined: there is none of this id. */
export type FindWeights = (workspaceId: string, modelId: string) => Promise<Weights | undefined>;

export interface ModelsOptions {
  /** The file of FOVEA_MODEL. */
  readonly model: string | undefined;
  readonly blobs: BlobStore;
  readonly findWeights: FindWeights;
}

/** The id of the model that FOVEA_MODEL names. */
export const localModel = 'local';

export function createModels({ model, blobs, findWeights }: ModelsOptions): Models {
  const loaded = createLoadedModels();
  const configured = model === undefined ? undefined : localModel;

  /** Undefined: there is no model of this id. */
  const find = async (workspaceId: string, modelId: string): Promise<FoundModel | undefined> => {
    if (modelId === localModel) {
      return model === undefined ? undefined : { file: await openModelFile(model) };
    }
    const weights = await findWeights(workspaceId, modelId);
    return weights && { file: storedModel(blobs, weights), stretchedTo: weights.stretchedTo };
  };

  return {
    configured,
    resolve: async (workspaceId, modelId) => {
      const found = await find(workspaceId, modelId);
      if (found === undefined) throw noModel(modelId, configured);
      return createLabeller(loaded, modelId, found);
    },
    state: async (workspaceId, modelId) => {
      const found = await find(workspaceId, modelId).catch(asFoveaError);
      if (found instanceof FoveaError) return { status: 'no_model', reason: found.message };
      const isThere = found !== undefined;
      if (!isThere) return { status: 'no_model', reason: noModel(modelId, configured).message };
      if (!hasRuntime()) return { status: 'no_runtime', reason: noRuntime().message };
      return { status: 'ready', reason: undefined };
    },
    inspect: async (path) => {
      const file = await openModelFile(path);
      const never = new AbortController().signal;
      return loaded.with(file, never, factsOf);
    },
    close: async () => loaded.close(),
  };
}

interface FoundModel {
  readonly file: ModelFile;
  readonly stretchedTo?: Size | undefined;
}

function storedModel(blobs: BlobStore, { hash, classes }: Weights): ModelFile {
  return {
    key: `stored:${hash}:${JSON.stringify(classes)}`,
    classes: classes.length > 0 ? classes : undefined,
    read: async () => {
      checkModelBytes(await blobs.size(hash));
      return new Uint8Array(await blobs.get(hash));
    },
  };
}

async function factsOf({
  task,
  classes,
  thresholds,
}: OpenModel): Promise<Pick<Labeller, 'task' | 'classes' | 'thresholds'>> {
  return { task, classes, thresholds };
}

/** Loads the model once, so that a form that cannot be run is known now; then whenever it runs. */
async function createLabeller(
  loaded: LoadedModels,
  modelId: string,
  { file, stretchedTo }: FoundModel,
): Promise<Labeller> {
  const never = new AbortController().signal;
  const known = await loaded.with(file, never, factsOf);
  return {
    modelId,
    ...known,
    detect: async (image, options) => {
      let isOpen = false;
      const run = (model: OpenModel) => {
        isOpen = true;
        return detect(model, image, stretchedTo, options);
      };
      return loaded.with(file, options.signal, run).catch((thrown: unknown) => {
        // It was opened before: its file was replaced since, or is gone.
        throw isOpen ? thrown : asModelFault(thrown);
      });
    },
  };
}

/** A model that cannot be run is no fault of the image that it was to be run on. */
function asModelFault(thrown: unknown): unknown {
  if (!(thrown instanceof FoveaError) || !imageFaults.includes(thrown.code)) return thrown;
  const { message, hint } = thrown;
  const details = { retry: 'never', cause: thrown, ...(hint !== undefined && { hint }) } as const;
  return new FoveaError('upstream_failed', message, details);
}

async function detect(
  model: OpenModel,
  bytes: Uint8Array,
  stretchedTo: Size | undefined,
  { confidence, overlap, wantsRegions = false, signal }: DetectOptions,
): Promise<Labelled> {
  const { classes, canvas, isStretched } = model;
  const file = await readImageHeader(bytes);
  const letterbox = fitInto(canvas, file, isStretched ? canvas : stretchedTo);
  const image = await fitImage(bytes, letterbox.scaled);
  const leastScores = classes.map((label) =>
    typeof confidence === 'number' ? confidence : confidence(label),
  );
  signal.throwIfAborted();
  const job = { image, letterbox, leastScores, overlap, wantsRegions };
  const { boxes, ms, ...more } = await model.detect(job).catch((thrown: unknown) => {
    throw asModelFault(thrown);
  });
  signal.throwIfAborted();
  const detections = boxes.map((box) => asDetection(box, model));
  return { width: file.width, height: file.height, detections, ...more, ms };
}

function asDetection(
  { outline, keypoints, ...box }: FoundBox,
  { classes, keypointNames }: OpenModel,
): Detection {
  const names = keypointNames[box.classIndex] ?? keypointNames[0] ?? [];
  return {
    ...box,
    label: classes[box.classIndex] ?? '',
    ...(outline && { points: groupsOf(outline, 2).map(([x = 0, y = 0]) => [x, y] as const) }),
    ...(keypoints && {
      keypoints: groupsOf(keypoints, 3).map(([x = 0, y = 0, sure = Number.NaN], place) => ({
        label: names[place] ?? String(place),
        x,
        y,
        confidence: Number.isNaN(sure) ? undefined : sure,
      })),
    }),
  };
}

function groupsOf(numbers: Float64Array, size: number): readonly Float64Array[] {
  return Array.from({ length: numbers.length / size }, (_, group) =>
    numbers.subarray(group * size, (group + 1) * size),
  );
}

/** Where a model is asked for and none can be run; one sentence everywhere. */
export const noModelConfigured =
  'No detection model is configured. Set FOVEA_MODEL to an ONNX file, or train and deploy one.';

function noModel(modelId: string, configured: string | undefined): FoveaError {
  if (modelId === localModel) return new FoveaError('not_found', noModelConfigured);
  const others = configured === undefined ? '' : `, or "${configured}"`;
  const hint = `Give PROJECT/VERSION or PROJECT/VERSION/TRAINING of a finished training${others}.`;
  return notFound('model', modelId, hint);
}

/** Whether one of the runtimes is installed; neither is loaded. */
function hasRuntime(): boolean {
  const { resolve } = createRequire(import.meta.url);
  return ['onnxruntime-node', 'onnxruntime-web'].some((name) => {
    try {
      return resolve(name) !== '';
    } catch {
      return false;
    }
  });
}
