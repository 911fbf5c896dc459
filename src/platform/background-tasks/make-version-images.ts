// Makes images of a dataset version from its frozen snapshot.

import { mkdir } from 'node:fs/promises';
import { extname } from 'node:path';
import type { VersionSettings } from '../../contract/version-settings.ts';
import { remapAnnotation } from '../../dataset-versions/filter-and-remap.ts';
import { pixelsInWork } from '../../dataset-versions/render-batches.ts';
import {
  type RenderedFile,
  RenderFailure,
  type RenderSource,
} from '../../dataset-versions/render-images.ts';
import { asFoveaError, FoveaError } from '../../errors.ts';
import { isDamagedContent } from '../../storage/content-hash.ts';
import type { Claim } from '../../storage/task-queue.ts';
import type { FencedTransaction } from '../store/fenced-transaction.ts';
import type { Version, VersionImage, VersionSource } from '../store/versions.ts';
import type { TaskDependencies } from './background-task.ts';
import { inParallel } from './process-items.ts';

export interface MissingImages {
  readonly version: Version;
  /** Sources of which the task is to make the images. */
  readonly count: number;
  /** How many of them are done. */
  readonly done: number;
  /** Ordinals of sources that are made together; in each, one is missing. */
  readonly batches: readonly (readonly number[])[];
}

/** Makes the sources of the batches that are not done. */
export async function makeImages(
  dependencies: TaskDependencies,
  claim: Claim,
  { version, count, done, batches }: MissingImages,
  signal: AbortSignal,
): Promise<void> {
  const { renderers, temporaryFiles } = dependencies;
  const fencedWith = countingProgress(claim, { count, done });
  await claim.progress(done, count);
  // While images of some batches are stored, and sources of others read, no thread waits.
  const atOnce = Math.ceil(renderers.count * 1.5);
  await temporaryFiles.withFile(async (folder) => {
    await mkdir(folder, { mode: 0o700 });
    const run = (batch: readonly number[], stop: AbortSignal) =>
      makeBatch(dependencies, { version, folder }, batch, fencedWith, stop);
    await inParallel(batches, atOnce, run, signal);
  });
}

/**
 * The progress is true at any moment: it is one commit with the rows that it counts. A source
 * counts once, also where the database makes a transaction run again.
 */
function countingProgress(
  claim: Claim,
  { count, done }: Pick<MissingImages, 'count' | 'done'>,
): (made: readonly VersionSource[]) => FencedTransaction {
  const counted = new Set<number>();
  return (made) => (writes) =>
    claim.fenced(async () => {
      const result = await writes();
      for (const { ordinal } of made) counted.add(ordinal);
      await claim.progress(done + counted.size, count);
      return result;
    });
}

async function makeBatch(
  { store, blobs, renderers }: TaskDependencies,
  { version, folder }: { readonly version: Version; readonly folder: string },
  batch: readonly number[],
  fencedWith: (made: readonly VersionSource[]) => FencedTransaction,
  signal: AbortSignal,
): Promise<void> {
  const { settings } = version;
  const sources = await store.versions.sources(version.id, batch);
  // Another release may have begun with other batches.
  const made = sources.filter(({ isDone }) => !isDone);
  const open = new Set(made.map(({ ordinal }) => ordinal));
  const images: VersionImage[] = [];
  const job = {
    settings,
    seed: '',
    imagesPerPiece: settings.augmentation.image?.versions ?? 1,
    pixels: pixelsInWork(sources, settings),
    sources: await Promise.all(sources.map((source) => toRender(blobs, source, settings))),
    output: 'file',
  } as const;
  const emit = async ({ path, ...image }: RenderedFile) => {
    const source = sources[image.source];
    if (source === undefined) throw new Error('an image of no source');
    if (!open.has(source.ordinal)) return;
    if (path !== undefined) await blobs.putFile(path, image);
    images.push(toVersionImage(source, settings, image));
  };
  try {
    await renderers.renderFiles(job, folder, emit, signal);
  } catch (thrown) {
    throw thrown instanceof RenderFailure ? about(sources[thrown.at], thrown.cause) : thrown;
  }
  await store.versions.addImages(version.id, made, images, fencedWith(made));
}

async function toRender(
  blobs: TaskDependencies['blobs'],
  source: VersionSource,
  { preprocessing }: VersionSettings,
): Promise<RenderSource> {
  const { hash, split, annotation } = source;
  const renamed = annotation && remapAnnotation(annotation, preprocessing.remap);
  const boxes = renamed?.kind === 'detection' ? renamed.boxes : [];
  try {
    return { bytes: await blobs.get(hash), hash, split, boxes };
  } catch (thrown) {
    const isDamaged = isDamagedContent(thrown, hash);
    throw named(source, isDamaged ? damagedFile : asFoveaError(thrown).message, thrown);
  }
}

/** An upload of the same bytes replaces what is damaged. */
const damagedFile = 'its stored file is damaged. Upload the same file again.';

function toVersionImage(
  { ordinal, name, split, annotation }: VersionSource,
  { preprocessing }: VersionSettings,
  image: Omit<RenderedFile, 'path'>,
): VersionImage {
  const { number, hash, width, height, boxes } = image;
  // Mosaic may bring boxes into an image without annotation.
  const hasBoxes = annotation?.kind === 'detection' || boxes.length > 0;
  return {
    ordinal,
    copy: number,
    split,
    hash,
    width,
    height,
    name: nameOf(name, image),
    annotation: hasBoxes
      ? { kind: 'detection', boxes }
      : annotation && remapAnnotation(annotation, preprocessing.remap),
  };
}

function about(source: VersionSource | undefined, cause: unknown): FoveaError {
  const { message, code } = asFoveaError(cause);
  const reason = code === 'internal' ? 'its pixels cannot be worked on.' : message;
  return named(source, reason, cause);
}

function named(source: VersionSource | undefined, reason: string, cause: unknown): FoveaError {
  const isOutage = asFoveaError(cause).code === 'unavailable';
  const code = isOutage ? 'unavailable' : 'internal';
  return new FoveaError(code, `Image "${source?.name}": ${reason}`, { cause });
}

/**
 * `cell.png` becomes `cell.jpg` when it was encoded anew, `cell_tile-1-2.jpg` for a piece and
 * `cell_copy1.jpg` for a copy.
 */
function nameOf(name: string, { piece, copy, contentType }: Omit<RenderedFile, 'path'>): string {
  const extension = extname(name);
  const stem = extension === '' ? name : name.slice(0, -extension.length);
  const encoded = contentType === 'image/jpeg' && !/^\.jpe?g$/i.test(extension);
  const part = piece === '' ? '' : `_${piece}`;
  return `${stem}${part}${copy === 0 ? '' : `_copy${copy}`}${encoded ? '.jpg' : extension}`;
}
