// Estimates how long a version takes, by working on some of its images as its generation would.

import { mkdir } from 'node:fs/promises';
import type { Answer } from '../../contract/operation.ts';
import type { previews } from '../../contract/previews.ts';
import { normalizeSettings } from '../../contract/version-no-op-steps.ts';
import type { VersionSettings } from '../../contract/version-settings.ts';
import { type ImageFilter, imageFilter } from '../../dataset-versions/filter-and-remap.ts';
import { planPreparation } from '../../dataset-versions/preprocessing.ts';
import {
  batchSources,
  pixelsInWork,
  type SourceOutline,
} from '../../dataset-versions/render-batches.ts';
import {
  RenderFailure,
  type RenderJob,
  type RenderSource,
} from '../../dataset-versions/render-images.ts';
import type { Renderers } from '../../dataset-versions/render-threads.ts';
import { asFoveaError } from '../../errors.ts';
import { evenlySpacedPlaces } from '../../evenly-spaced.ts';
import { limits } from '../../limits.ts';
import type { BlobStore } from '../../storage/blob-store.ts';
import { inParallel } from '../background-tasks/process-items.ts';
import type { PlatformDependencies } from '../dependencies.ts';
import type { Image } from '../store/images.ts';
import type { Project } from '../store/projects.ts';
import { rounded, scaleUp, type Timed } from './scale-estimate.ts';

export type Estimate = Answer<typeof previews.versions_estimate>;

interface Dependencies extends Pick<PlatformDependencies, 'store' | 'temporaryFiles' | 'clock'> {
  readonly blobs: Pick<BlobStore, 'get'>;
  readonly renderers: Pick<Renderers, 'count' | 'renderFiles'>;
}

/**
 * Makes and writes the images of some sources, and keeps none of them. Takes at most
 * `limits.estimateMsMax`; where other work holds the threads for so long, nothing is measured.
 * Throws what a source that cannot be worked on throws, and the reason of the signal.
 */
export async function estimateTime(
  dependencies: Dependencies,
  project: Project,
  settings: VersionSettings,
  signal: AbortSignal,
): Promise<Estimate> {
  const { store, renderers, temporaryFiles, clock } = dependencies;
  const filter = imageFilter(settings.preprocessing);
  const kept = await countKept(store, project, filter);
  const sample = await readSample(store, project, filter, kept);
  const stop = AbortSignal.any([signal, AbortSignal.timeout(limits.estimateMsMax)]);
  return temporaryFiles.withFile(async (folder) => {
    await mkdir(folder, { mode: 0o700 });
    const run = { dependencies, settings, sample, folder, signal, stop };
    await warmUp(run);
    const startMs = clock.monotonic();
    const timed = await timeBatches(run);
    return {
      images: kept.all,
      measured: rounded(timed.reduce((sum, { images }) => sum + images, 0)),
      measuredSeconds: rounded((clock.monotonic() - startMs) / 1000),
      threads: renderers.count,
      seconds: scaleUp(timed, kept, renderers.count),
    };
  });
}

/** Images that a version would have. */
interface Kept {
  readonly train: number;
  readonly all: number;
}

async function countKept(
  store: PlatformDependencies['store'],
  { id }: Project,
  filter: ImageFilter | undefined,
): Promise<Kept> {
  let [train, all] = [0, 0];
  for await (const images of store.versions.candidates(id, filter)) {
    all += images.length;
    train += images.filter(({ split }) => split === 'train').length;
  }
  return { train, all };
}

/** Some images of train, and some others, in proportion: early and late ones. */
async function readSample(
  store: PlatformDependencies['store'],
  { id }: Project,
  filter: ImageFilter | undefined,
  { train, all }: Kept,
): Promise<readonly Image[]> {
  const others = all - train;
  const countMax = limits.estimateImagesMax;
  const share = train / Math.max(1, all);
  const ofTrain = Math.min(countMax - Math.min(1, others), Math.ceil(countMax * share));
  const places = {
    train: new Set(evenlySpacedPlaces(train, ofTrain)),
    others: new Set(evenlySpacedPlaces(others, countMax - ofTrain)),
  };
  const seen = { train: 0, others: 0 };
  const chosen: string[] = [];
  for await (const images of store.versions.candidates(id, filter && { keeps: filter.keeps })) {
    for (const image of images) {
      const part = image.split === 'train' ? 'train' : 'others';
      if (places[part].has(seen[part])) chosen.push(image.id);
      seen[part] += 1;
    }
  }
  const found = await Promise.all(chosen.map((one) => store.images.find(id, one)));
  return found.filter((image): image is Image => image !== undefined);
}

interface Run {
  readonly dependencies: Dependencies;
  readonly settings: VersionSettings;
  readonly sample: readonly Image[];
  /** Writes to the disk take their time too. */
  readonly folder: string;
  readonly signal: AbortSignal;
  /** Aborts also when the time is over. */
  readonly stop: AbortSignal;
}

/** A thread that has just started, and code that has not run yet, are slow. */
async function warmUp(run: Run): Promise<void> {
  const { renderers } = run.dependencies;
  const first = run.sample.slice(0, 1);
  const job = { ...(await jobOf(run, first)), piecesMax: 1 };
  const lanes = Array.from({ length: renderers.count }, () =>
    renderers.renderFiles(job, run.folder, async () => {}, run.stop),
  );
  await Promise.all(lanes).catch((thrown) => unlessOver(run, thrown));
}

/** Throws, unless it is that the time is over. */
function unlessOver({ signal, stop }: Run, thrown: unknown): 'unfinished' {
  signal.throwIfAborted();
  if (stop.aborted) return 'unfinished';
  throw thrown instanceof RenderFailure ? asFoveaError(thrown.cause) : thrown;
}

/** In the batches and threads of a generation, until the time is over. */
async function timeBatches(run: Run): Promise<readonly Timed[]> {
  const { settings, sample, signal, stop } = run;
  const { clock, renderers } = run.dependencies;
  const outlines = sample.map(({ hash, split, width, height }, ordinal) => {
    return { ordinal, hash, split, width, height, isDone: false };
  });
  const timed: Timed[] = [];
  const endMs = clock.monotonic() + limits.estimateMsWanted;
  const time = async (batch: readonly SourceOutline[]) => {
    if (clock.monotonic() > endMs || stop.aborted) return;
    timed.push(...(await timeBatch(run, batch)));
  };
  await inParallel(othersBetween(batchSources(outlines, settings)), renderers.count, time, signal);
  return timed;
}

/** Batches of train come first: the time may be over before the others. */
function othersBetween(batches: readonly (readonly SourceOutline[])[]) {
  const isTrain = ([first]: readonly SourceOutline[]) => first?.split === 'train';
  const [first = [], ...train] = batches.filter(isTrain);
  const others = batches.filter((batch) => !isTrain(batch));
  return [first, ...others.slice(0, 1), ...train, ...others.slice(1)].filter(
    (batch) => batch.length > 0,
  );
}

async function timeBatch(run: Run, batch: readonly SourceOutline[]): Promise<readonly Timed[]> {
  const { clock, renderers } = run.dependencies;
  const images = batch.flatMap(({ ordinal }) => run.sample[ordinal] ?? []);
  const job = { ...(await jobOf(run, images)), pixels: pixelsInWork(batch, run.settings) };
  const expected = job.sources.reduce(
    (sum, source, at) => sum + outputs(job, source, images[at]),
    0,
  );
  let made = 0;
  const emit = async () => {
    made += 1;
  };
  const startMs = clock.monotonic();
  const end = await renderers
    .renderFiles(job, run.folder, emit, run.stop)
    .catch((thrown) => unlessOver(run, thrown));
  // What was begun counts by what was made of it.
  const share = end === 'unfinished' ? Math.min(1, made / Math.max(1, expected)) : 1;
  if (share === 0) return [];
  const isTrain = batch[0]?.split === 'train';
  return [{ isTrain, images: batch.length * share, ms: clock.monotonic() - startMs }];
}

/** How many images are made of a source. */
function outputs(
  { settings, imagesPerPiece }: RenderJob,
  source: RenderSource,
  image?: Image,
): number {
  if (image === undefined) return 0;
  const { width, height } = image;
  const { preprocessing } = normalizeSettings(settings);
  const { pieces } = planPreparation(
    preprocessing,
    { width, height, orientation: 1 },
    source.boxes,
  );
  return pieces.length * (source.split === 'train' ? imagesPerPiece : 1);
}

async function jobOf({ dependencies, settings }: Run, images: readonly Image[]) {
  const sources = images.map(async ({ hash, split, annotation }): Promise<RenderSource> => {
    const boxes = annotation?.kind === 'detection' ? annotation.boxes : [];
    return { bytes: await dependencies.blobs.get(hash), hash, split, boxes };
  });
  const imagesPerPiece = settings.augmentation.image?.versions ?? 1;
  const common = { settings, seed: '', imagesPerPiece, output: 'file' } as const;
  return { ...common, sources: await Promise.all(sources) };
}
