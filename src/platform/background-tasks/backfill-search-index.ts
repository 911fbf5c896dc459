// Adds images that are older than the search index to it.

import type { Clock } from '../../clock.ts';
import { FoveaError } from '../../errors.ts';
import { readDescribedImage } from '../../imaging/image-thread-pool.ts';
import type { Descriptor } from '../../imaging/similarity-descriptor.ts';
import { limits } from '../../limits.ts';
import type { BlobStore } from '../../storage/blob-store.ts';
import { type Claim, LeaseLost, type TaskQueue } from '../../storage/task-queue.ts';
import type { FencedTransaction } from '../store/fenced-transaction.ts';
import type { SearchStore, UnindexedImage } from '../store/search.ts';
import type { Store } from '../store/store.ts';
import type { BackgroundTask, TaskDependencies } from './background-task.ts';
import { inParallel } from './process-items.ts';

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
 * Goes on where a crash left off: images are indexed some at a time, with their descriptors, in one
 * transaction. An image whose file is lost gets no descriptor, and is found by everything else.
 * Goes on past images that cannot be indexed; the task then fails at its end, and the next hour
 * tries again.
 */
export const backfillSearchIndex: BackgroundTask = async (dependencies, claim, signal) => {
  const { search } = dependencies.store;
  // After a crash one at a time: so the next attempt finds the one at which it ended.
  const atOnce = claim.attempt === 1 ? imagesAtOnce : 1;
  const failed: string[] = [];
  const suspect = await findSuspect(dependencies, claim);
  let images = 0;
  for (;;) {
    const open = await search.unindexed(atOnce, failed);
    if (open.length === 0) break;
    const bad = await takeIn(dependencies, claim, open, suspect, signal);
    failed.push(...bad);
    images += open.length - bad.length;
    if (failed.length >= failedMax) break;
  }
  if (failed.length === 0) return { images };
  const message = `${failed.length} images could not be taken into the search index.`;
  throw new FoveaError('internal', `${message} ${images} were.`);
};

const imagesAtOnce = 64;

/** So many files are in memory at a time. */
const filesAtOnce = 2;

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

/** Gives those that cannot be indexed. `suspect`: its file is not looked at. */
async function takeIn(
  { store: { search }, blobs }: TaskDependencies,
  { fenced }: Claim,
  images: readonly UnindexedImage[],
  suspect: string | undefined,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const descriptors = new Map<string, Descriptor>();
  const look = async ({ imageId, hash }: UnindexedImage) => {
    const descriptor = imageId === suspect ? undefined : await describe(blobs, hash);
    if (descriptor) descriptors.set(imageId, descriptor);
  };
  await inParallel(images, filesAtOnce, look, signal);
  const ids = images.map(({ imageId }) => imageId);
  if (await isIndexed(search, ids, descriptors, fenced)) return [];
  const failed: string[] = [];
  for (const id of ids) {
    const descriptor = descriptors.get(id);
    const own = new Map(descriptor && [[id, descriptor]]);
    if (!(await isIndexed(search, [id], own, fenced))) failed.push(id);
  }
  return failed;
}

/** False where one of these images cannot be indexed: then none of them is. */
async function isIndexed(
  search: SearchStore,
  imageIds: readonly string[],
  descriptors: ReadonlyMap<string, Descriptor>,
  fenced: FencedTransaction,
): Promise<boolean> {
  try {
    await search.index(imageIds, descriptors, fenced);
    return true;
  } catch (thrown) {
    // Neither is about these images.
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
