// Embeds images by the model of FOVEA_EMBEDDER, behind their upload: for searches by meaning.

import { limits } from '../../limits.ts';
import type { Embedder } from '../../model-inference/embedder.ts';
import { isFaultOfImage } from '../../model-inference/embedder-folder.ts';
import type { Claim } from '../../storage/task-queue.ts';
import type { EmbeddedImage, EmbeddingModel, OpenImage } from '../store/embeddings.ts';
import type { BackgroundTask, TaskDependencies } from './background-task.ts';

/**
 * Goes on where a crash left off, as the vectors of each batch are kept before the next. Workspaces
 * take turns, a batch each. An image at which the program ended several times is passed over.
 */
export const embedImages: BackgroundTask = async (dependencies, claim, signal) => {
  const { embedder } = dependencies;
  if (embedder === undefined) return { images: 0 };
  const run = { dependencies, embedder, claim, signal };
  const model = await openModel(run);
  const images = await embedAll(run, model);
  const { embeddings } = dependencies.store;
  while (await embeddings.removeOld(model, claim.fenced)) signal.throwIfAborted();
  return { images, model: model.name };
};

interface Run {
  readonly dependencies: TaskDependencies;
  readonly embedder: Embedder;
  readonly claim: Claim;
  readonly signal: AbortSignal;
}

async function openModel({ dependencies, embedder, claim, signal }: Run): Promise<EmbeddingModel> {
  const { fingerprint, name } = await embedder.identity(signal);
  const dimensions = await embedder.dimensions(signal);
  const { store, clock } = dependencies;
  return store.embeddings.open({ fingerprint, name, dimensions }, clock.now(), claim.fenced);
}

/** Also those that come meanwhile. Gives how many were looked at. */
async function embedAll(run: Run, model: EmbeddingModel): Promise<number> {
  const { claim, signal, dependencies } = run;
  const { embeddings } = dependencies.store;
  // After a crash one at a time, each counted: so the one at which it ends is found.
  const countMax = claim.attempt > 1 ? 1 : limits.imagesEmbeddedAtOnceMax;
  let done = 0;
  let workspace = '';
  for (;;) {
    while (await embeddings.note(model, claim.fenced)) signal.throwIfAborted();
    for (;;) {
      const { workspaceId, images } = await embeddings.next(model, countMax, workspace);
      if (workspaceId === undefined) break;
      workspace = workspaceId;
      done += await embedSome(run, model, workspaceId, images);
      const all = claim.reached + done;
      await claim.progress(all, all + (await embeddings.countOpen(model)));
    }
    if (!(await embeddings.hasOpen(model))) return done;
  }
}

/** Gives how many of them need nothing more. */
async function embedSome(
  run: Run,
  model: EmbeddingModel,
  workspaceId: string,
  images: readonly OpenImage[],
): Promise<number> {
  const { claim, dependencies } = run;
  const { embeddings } = dependencies.store;
  const ordinals = images.map(({ ordinal }) => ordinal);
  const reused = await embeddings.reuse(model, workspaceId, ordinals, claim.fenced);
  // Which ones is seen by asking again.
  if (reused > 0) return reused;
  const [first] = images;
  if (claim.attempt > 1 && first) await embeddings.countTry(model, first.ordinal, claim.fenced);
  const embedded = await embedBatch(run, images);
  await embeddings.keep(model, embedded, claim.fenced);
  return embedded.length;
}

/** As many as there is time for: what is done is kept soon. */
async function embedBatch(run: Run, images: readonly OpenImage[]): Promise<EmbeddedImage[]> {
  const { clock } = run.dependencies;
  const endMs = clock.monotonic() + limits.embeddingTurnMs;
  const embedded: EmbeddedImage[] = [];
  for (let at = 0; at < images.length; at += limits.imagesEmbeddedTogether) {
    run.signal.throwIfAborted();
    const some = images.slice(at, at + limits.imagesEmbeddedTogether);
    embedded.push(...(await Promise.all(some.map((image) => embed(run, image)))));
    if (clock.monotonic() > endMs) break;
  }
  return embedded;
}

async function embed(
  { dependencies, embedder, signal }: Run,
  { ordinal, hash, tries }: OpenImage,
): Promise<EmbeddedImage> {
  if (tries >= limits.describeTriesMax) {
    return { ordinal, problem: 'embedding it failed several times' };
  }
  try {
    const bytes = await dependencies.blobs.get(hash);
    return { ordinal, vector: await embedder.embedImage(bytes, signal) };
  } catch (thrown) {
    if (isFaultOfImage(thrown)) return { ordinal, problem: thrown.message };
    throw thrown;
  }
}
