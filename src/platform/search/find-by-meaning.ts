// Finds images by the vectors of the embedding model: for a text, or for another image.

import { setTimeout as sleep } from 'node:timers/promises';
import { limits } from '../../limits.ts';
import { quotedName } from '../../quoted-name.ts';
import type { PlatformDependencies } from '../dependencies.ts';
import type { Embeddings } from '../images/embeddings.ts';
import type { NearestPage, NearestRequest } from '../store/embeddings.ts';
import type { AccessibleProjects } from '../store/search.ts';
import type { Store } from '../store/store.ts';

export interface FoundByMeaning extends NearestPage {
  /** By which model, and how many images are not found yet. */
  readonly notes: readonly string[];
}

export interface MeaningRequest extends Omit<NearestRequest, 'model' | 'vector'> {
  /** What is sought, as the model sees it. */
  readonly vector: Float32Array;
}

/**
 * Waits a while for a few images that are not embedded yet. Throws `invalid_input` for
 * FOVEA_EMBEDDER where its folder cannot be used, and the reason of the signal.
 */
export async function findByMeaning(
  { store, clock }: Pick<PlatformDependencies, 'store' | 'clock'>,
  embeddings: Embeddings,
  accessible: AccessibleProjects,
  request: MeaningRequest,
  signal: AbortSignal,
): Promise<FoundByMeaning> {
  const { name, fingerprint } = await embeddings.embedder.identity(signal);
  const endMs = clock.monotonic() + limits.embeddingsWaitMsMax;
  for (;;) {
    const model = await store.embeddings.find(fingerprint);
    // Asked before the search: what it misses now was embedded meanwhile, or never will be.
    const isOpen = model === undefined || (await store.embeddings.hasOpen(model));
    const page = model
      ? await store.embeddings.nearest(accessible, { ...request, model: model.number })
      : await noneYet(store, accessible, request);
    const missing = page.hits - page.compared;
    if (missing === 0) return { ...page, notes: [modelNote(name)] };
    const open = model ? await store.embeddings.countOpen(model) : missing;
    const notes = [modelNote(name), missingNote(page, open)];
    const problem = await embeddings.hurry();
    if (problem !== undefined)
      return { ...page, notes: [...notes, `Embedding failed: ${problem}`] };
    const isSoon = missing <= limits.embeddingsWaitedForMax && clock.monotonic() < endMs;
    if (!isOpen || !isSoon) return { ...page, notes };
    await sleep(limits.embeddingsPollMs, undefined, { signal });
  }
}

/** The vector of an image of the platform: kept already, or made now. */
export async function vectorOfImage(
  { store, blobs }: Pick<PlatformDependencies, 'store' | 'blobs'>,
  { embedder }: Embeddings,
  image: { readonly id: string; readonly hash: string },
  signal: AbortSignal,
): Promise<Float32Array> {
  const { fingerprint } = await embedder.identity(signal);
  const model = await store.embeddings.find(fingerprint);
  const kept = model && (await store.embeddings.vectorOf(model, image.id));
  return kept ?? embedder.embedImage(await blobs.get(image.hash), signal);
}

async function noneYet(
  store: Store,
  accessible: AccessibleProjects,
  { query }: MeaningRequest,
): Promise<NearestPage> {
  const hits = await store.search.count(accessible, query);
  return { total: 0, images: [], hits, compared: 0 };
}

function modelNote(name: string): string {
  return `Similar by meaning, as the model ${quotedName(name)} sees it.`;
}

function missingNote({ hits, compared }: NearestPage, open: number): string {
  const which = `${hits - compared} of ${hits} images are not found`;
  const atLeast = open >= limits.embeddingsCountedMax ? 'at least ' : '';
  if (open > 0) return `${which} yet: ${atLeast}${open} wait to be embedded, in the background.`;
  return `${which}: the model cannot read them.`;
}
