// Adds images that are older than the search index to it.

import { setImmediate } from 'node:timers/promises';
import type { Clock } from '../../clock.ts';
import { FoveaError } from '../../errors.ts';
import { limits } from '../../limits.ts';
import { awaitedService } from '../../storage/service-away.ts';
import { LeaseLost, type TaskQueue } from '../../storage/task-queue.ts';
import type { FencedTransaction } from '../store/fenced-transaction.ts';
import type { SearchStore } from '../store/search.ts';
import type { Store } from '../store/store.ts';
import type { BackgroundTask } from './background-task.ts';

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
 * Goes on where a crash left off. Goes on past images that cannot be indexed; the task then fails
 * at its end, and the next hour tries again. What they look like is found out by another task.
 */
export const backfillSearchIndex: BackgroundTask = async ({ store }, claim, signal) => {
  const { search } = store;
  const failed: string[] = [];
  let images = 0;
  while (failed.length < failedMax) {
    signal.throwIfAborted();
    const open = await search.unindexed(imagesAtOnce, failed);
    if (open.length === 0) break;
    const ids = open.map(({ imageId }) => imageId);
    const missed = await indexAll(search, ids, claim.fenced);
    failed.push(...missed);
    images += ids.length - missed.length;
    await claim.progress(claim.reached + images, 0);
    await setImmediate();
  }
  if (failed.length === 0) return { images };
  const message = `${failed.length} images could not be taken into the search index.`;
  throw new FoveaError('internal', `${message} ${images} were.`);
};

const imagesAtOnce = 64;

/** With so many failures, the cause is not the images. */
const failedMax = 1_000;

/** Together; one by one where that fails. Gives those that cannot be indexed. */
async function indexAll(
  search: SearchStore,
  imageIds: readonly string[],
  fenced: FencedTransaction,
): Promise<readonly string[]> {
  try {
    await search.index(imageIds, fenced);
    return [];
  } catch (thrown) {
    // None is about these images.
    if (thrown instanceof LeaseLost || awaitedService(thrown) !== undefined) throw thrown;
    if (thrown instanceof FoveaError && thrown.code === 'full') throw thrown;
    if (imageIds.length === 1) return imageIds;
    const missed: string[] = [];
    for (const imageId of imageIds) missed.push(...(await indexAll(search, [imageId], fenced)));
    return missed;
  }
}
