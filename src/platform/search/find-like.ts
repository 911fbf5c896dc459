// Finds images that are like another one, or like what a text says: by meaning where there is an
// embedding model, else by look.

import type { FoveaError } from '../../errors.ts';
import type { Descriptor } from '../../imaging/similarity-descriptor.ts';
import { limits } from '../../limits.ts';
import { isFaultOfEmbedder, isFaultOfImage } from '../../model-inference/embedder-folder.ts';
import type { PlatformDependencies } from '../dependencies.ts';
import type { Embeddings } from '../images/embeddings.ts';
import type { AccessibleProjects, SimilarityPage, SimilarityRequest } from '../store/search.ts';
import { findByMeaning, vectorOfImage } from './find-by-meaning.ts';
import { similarityNotes } from './query-image.ts';

export type Example =
  | { readonly kind: 'image'; readonly image: { readonly id: string; readonly hash: string } }
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array; readonly look: Descriptor }
  | { readonly kind: 'text'; readonly text: string };

export interface LikeRequest extends Omit<SimilarityRequest, 'descriptor'> {
  /** Whether all images in reach have been looked at, as far as that matters. */
  readonly isDescribed: boolean;
  /** Makes an error of what is wrong with the example. */
  readonly wrong: (message: string, hint?: string) => FoveaError;
  readonly signal: AbortSignal;
}

export interface FoundLike extends SimilarityPage {
  /** What likeness means here, and which images are not found yet. */
  readonly notes: readonly string[];
}

/** Throws what `wrong` makes for an example that cannot be used, and as findByMeaning. */
export async function findLike(
  dependencies: PlatformDependencies,
  accessible: AccessibleProjects,
  example: Example,
  request: LikeRequest,
): Promise<FoundLike> {
  const { embeddings } = dependencies;
  const { query, offset, limit, withAnnotations, signal } = request;
  const wanted = { query, offset, limit, withAnnotations };
  if (embeddings === undefined) return findByLook(dependencies, accessible, example, request);
  try {
    const vector = await vectorOf(dependencies, embeddings, example, request);
    const meant = { ...wanted, vector };
    return await findByMeaning(dependencies, embeddings, accessible, meant, signal);
  } catch (thrown) {
    const isModelFault = !signal.aborted && isFaultOfEmbedder(thrown);
    if (!isModelFault || example.kind === 'text') throw thrown;
    // Nobody waited for them, as they were not to be needed.
    const isDescribed = await dependencies.descriptors.areComplete(accessible, signal);
    const seen = await findByLook(dependencies, accessible, example, { ...request, isDescribed });
    return { ...seen, notes: [brokenNote(thrown), ...seen.notes] };
  }
}

/** Why an answer is not by meaning, though it should be. */
export function brokenNote({ message }: FoveaError): string {
  return `Not by meaning, as the embedding model cannot be used: ${message} fovea doctor checks it.`;
}

async function findByLook(
  dependencies: PlatformDependencies,
  accessible: AccessibleProjects,
  example: Example,
  request: LikeRequest,
): Promise<FoundLike> {
  const { query, offset, limit, withAnnotations } = request;
  const descriptor = await lookOf(dependencies, example, request);
  const wanted = { query, offset, limit, withAnnotations, descriptor };
  const page = await dependencies.store.search.like(accessible, wanted);
  return { ...page, notes: similarityNotes(request.isDescribed) };
}

/** More cannot be paged through. */
export function candidatesNote(total: number): readonly string[] {
  return total >= limits.similarityCandidatesMax
    ? [`The ${total} most similar can be paged through.`]
    : [];
}

async function lookOf(
  { store }: PlatformDependencies,
  example: Example,
  { wrong }: LikeRequest,
): Promise<Descriptor> {
  if (example.kind === 'bytes') return example.look;
  if (example.kind === 'text') {
    throw wrong(
      'images are found by what they show only where there is an embedding model',
      'Set FOVEA_EMBEDDER to a folder with one, or search by words, tags and classes.',
    );
  }
  const descriptor = await store.search.descriptorOf(example.image.id);
  if (descriptor === undefined) throw wrong('this image has no description of its look yet');
  return descriptor;
}

async function vectorOf(
  dependencies: PlatformDependencies,
  embeddings: Embeddings,
  example: Example,
  { wrong, signal }: LikeRequest,
): Promise<Float32Array> {
  if (example.kind === 'text') return embeddings.embedder.embedText(example.text, signal);
  if (example.kind === 'bytes') return embeddings.embedder.embedImage(example.bytes, signal);
  return vectorOfImage(dependencies, embeddings, example.image, signal).catch((thrown) => {
    throw isFaultOfImage(thrown) ? wrong(`this image cannot be read: ${thrown.message}`) : thrown;
  });
}
