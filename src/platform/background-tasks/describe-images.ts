// Finds out how new images look, behind their upload: for searches by similarity and for
// near-duplicates. Whoever uploads does not wait for all pixels to be decoded.

import { FoveaError } from '../../errors.ts';
import { readDescribedImage } from '../../imaging/image-thread-pool.ts';
import { limits } from '../../limits.ts';
import type { BlobStore } from '../../storage/blob-store.ts';
import type { ImageLook, StoredImage } from '../store/search.ts';
import type { BackgroundTask, TaskDependencies } from './background-task.ts';
import { inParallel } from './process-items.ts';

/**
 * Goes on where a crash left off. An image whose pixels cannot be read stays, with the reason. On
 * the last attempt, the image at which the attempts before ended is passed over: its file may have
 * killed them.
 */
export const describeImages: BackgroundTask = async (dependencies, claim, signal) => {
  const { blobs } = dependencies;
  const { search } = dependencies.store;
  const isCareful = claim.attempt > 1;
  const atOnce = isCareful ? 1 : limits.imagesDescribedAtOnceMax;
  let isSuspect = claim.attempt >= limits.taskAttemptsMax;
  let images = 0;
  for (;;) {
    const open = await nextImages(dependencies, atOnce);
    if (open.length === 0) return { images };
    const looks: ImageLook[] = [];
    const look = async (image: StoredImage) => {
      const problem = 'reading it ended the program several times';
      looks.push(isSuspect ? { imageId: image.imageId, problem } : await lookAt(blobs, image));
    };
    await inParallel(open, limits.imagesReadToDescribeMax, look, signal);
    await search.describe(looks, claim.fenced);
    images += looks.length;
    isSuspect = false;
  }
};

/** Those that somebody waits for come first. */
async function nextImages(
  { store: { search }, descriptors }: TaskDependencies,
  countMax: number,
): Promise<readonly StoredImage[]> {
  const { nextScope } = descriptors;
  const wanted = nextScope === undefined ? [] : await search.undescribed(countMax, nextScope);
  return wanted.length > 0 ? wanted : search.undescribed(countMax, 'all');
}

async function lookAt(blobs: BlobStore, { imageId, hash }: StoredImage): Promise<ImageLook> {
  try {
    const { descriptor } = await readDescribedImage(await blobs.get(hash));
    return { imageId, descriptor };
  } catch (thrown) {
    if (!(thrown instanceof FoveaError)) throw thrown;
    if (thrown.code === 'not_found') return { imageId, problem: 'its file is lost' };
    return { imageId, problem: thrown.problems[0]?.message ?? thrown.message };
  }
}
