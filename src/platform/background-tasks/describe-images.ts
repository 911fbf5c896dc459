// Finds out how new images look, behind their upload: for searches by similarity, for
// near-duplicates and for outliers. Whoever uploads does not wait for all pixels to be decoded.

import { setImmediate } from 'node:timers/promises';
import { FoveaError } from '../../errors.ts';
import { readDescribedImage } from '../../imaging/image-thread-pool.ts';
import { limits } from '../../limits.ts';
import type { BlobStore } from '../../storage/blob-store.ts';
import { isDamagedContent } from '../../storage/content-hash.ts';
import type { ImageLook, UndescribedImage } from '../store/search.ts';
import type { BackgroundTask, TaskDependencies } from './background-task.ts';
import { fencedProgress } from './fenced-progress.ts';

/**
 * Goes on where a crash left off. An image whose pixels cannot be read stays, with the reason; one
 * at which the program ended several times is passed over.
 */
export const describeImages: BackgroundTask = async (dependencies, claim, signal) => {
  const { store, clock } = dependencies;
  // After a crash one at a time, each counted: so the one at which it ends is found.
  const isCareful = claim.attempt > 1;
  let images = 0;
  for (;;) {
    const open = await nextImages(dependencies, isCareful ? 1 : limits.imagesDescribedAtOnceMax);
    if (open.length === 0) return { images };
    const looks: ImageLook[] = [];
    // Whoever waits for other images is not kept waiting by these.
    const endMs = clock.monotonic() + limits.describeTurnMs;
    for (const image of open) {
      signal.throwIfAborted();
      if (isCareful) await store.search.countTry(image.imageId, claim.fenced);
      looks.push(await lookAt(dependencies.blobs, image));
      if (clock.monotonic() > endMs) break;
    }
    images += looks.length;
    // So workers that lose their lease again and again do not end it.
    await store.search.describe(looks, fencedProgress(claim, claim.reached + images, 0));
    // Images without a file are settled without a wait: others would never have a turn.
    await setImmediate();
  }
};

/** Those that somebody waits for come first, and last those whose sharpness alone is not known. */
async function nextImages(
  { store: { search }, descriptors }: TaskDependencies,
  countMax: number,
): Promise<readonly UndescribedImage[]> {
  const { nextScope } = descriptors;
  const wanted = nextScope === undefined ? [] : await search.undescribed(countMax, nextScope);
  if (wanted.length > 0) return wanted;
  const others = await search.undescribed(countMax, 'all');
  return others.length > 0 ? others : search.unmeasured(countMax);
}

async function lookAt(
  blobs: BlobStore,
  { imageId, hash, tries }: UndescribedImage,
): Promise<ImageLook> {
  if (tries >= limits.describeTriesMax) {
    return { imageId, problem: 'reading it ended the program several times' };
  }
  try {
    const { descriptor } = await readDescribedImage(await blobs.get(hash));
    return { imageId, descriptor };
  } catch (thrown) {
    // A store that is away says nothing about the image.
    if (!(thrown instanceof FoveaError) || thrown.code === 'unavailable') throw thrown;
    if (thrown.code === 'not_found') return { imageId, problem: 'its file is lost' };
    if (isDamagedContent(thrown, hash)) return { imageId, problem: 'its stored file is damaged' };
    return { imageId, problem: thrown.problems[0]?.message ?? thrown.message };
  }
}
