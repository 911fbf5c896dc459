// Adds images that are older than the search index to it.

import type { Clock } from '../../clock.ts';
import { FoveaError } from '../../errors.ts';
import { readDescribedImage } from '../../imaging/image-thread-pool.ts';
import type { Descriptor } from '../../imaging/similarity-descriptor.ts';
import { limits } from '../../limits.ts';
import type { BlobStore } from '../../storage/blob-store.ts';
import { type Claim, LeaseLost, type TaskQueue } from '../../storage/task-queue.ts';
import type { UnindexedImage } from '../store/search.ts';
import type { Store } from '../store/store.ts';
import type { BackgroundTask, TaskDependencies } from './background-task.ts';

/** Queues the task of this hour if images are missing, unless another process has done so. */
export async function addSearchIndexBackfill(
  queue: TaskQueue,
  store: Store,
  clock: Clock,
): Promise<void> {
  const [first] = await store.search.unindexed(1);
  if (first === undefined) return;
  const hour = Math.floor(clock.now() / limits.purgeIntervalMs);
  await queue.addOnce({ id: `index-${hour}-${first.imageId}`, kind: 'index', payload: {} });
}

/**
 * Goes on where a crash left off: each image is indexed, with its descriptor, in one transaction.
 * An image whose file is lost gets no descriptor, and is found by everything else. Goes on past
 * images that cannot be indexed; the task then fails at its end, and the next hour tries again.
 */
export const backfillSearchIndex: BackgroundTask = async (dependencies, claim, signal) => {
  const { search } = dependencies.store;
  const failed: string[] = [];
  let suspect = await findSuspect(dependencies, claim);
  let images = 0;
  for (;;) {
    const open = await search.unindexed(imagesAtOnce, failed);
    if (open.length === 0) break;
    for (const image of open) {
      signal.throwIfAborted();
      const isDone = await takeIn(dependencies, claim, image, image.imageId === suspect);
      if (isDone) images += 1;
      else failed.push(image.imageId);
      suspect = undefined;
    }
    if (failed.length >= failedMax) break;
  }
  if (failed.length === 0) return { images };
  const message = `${failed.length} images could not be taken into the search index.`;
  throw new FoveaError('internal', `${message} ${images} were.`);
};

const imagesAtOnce = 100;

/** With so many failures, the cause is not the images. */
const failedMax = 1_000;

/** The image at which all attempts before the last one ended: its file may have killed them. */
async function findSuspect(
  { store }: TaskDependencies,
  { attempt }: Claim,
): Promise<string | undefined> {
  if (attempt < limits.taskAttemptsMax) return undefined;
  const [first] = await store.search.unindexed(1);
  return first?.imageId;
}

/** False where the image cannot be indexed. */
async function takeIn(
  { store: { search }, blobs }: TaskDependencies,
  { fenced }: Claim,
  { imageId, hash }: UnindexedImage,
  isSuspect: boolean,
): Promise<boolean> {
  try {
    const descriptor = isSuspect ? undefined : await describe(blobs, hash);
    if (descriptor) await search.setDescriptor(imageId, descriptor, fenced);
    else await search.index([imageId], fenced);
    return true;
  } catch (thrown) {
    // Neither is about this image.
    if (thrown instanceof LeaseLost) throw thrown;
    if (thrown instanceof FoveaError && thrown.code === 'full') throw thrown;
    return false;
  }
}

async function describe(blobs: BlobStore, hash: string): Promise<Descriptor | undefined> {
  try {
    return (await readDescribedImage(await blobs.get(hash))).descriptor;
  } catch {
    return undefined;
  }
}
