// Changes the metadata and tags of many images.

import { images } from '../../contract/images.ts';
import { limits } from '../../limits.ts';
import type { FailedUpdate } from '../store/bulk-metadata.ts';
import { type BackgroundTask, payloadText } from './background-task.ts';
import { fencedProgress } from './fenced-progress.ts';
import { inChunks } from './process-items.ts';

const { body } = images.images_set_metadata_bulk;

/**
 * The same change again changes nothing more, so another attempt begins at the first image: what it
 * reports is true of all of them.
 */
export const changeBulkMetadata: BackgroundTask = async ({ store }, claim, signal) => {
  const workspaceId = payloadText(claim, 'workspaceId');
  const { updates } = body.parse(JSON.parse(payloadText(claim, 'input')));
  const projectIds = readProjectIds(claim.payload);
  const failed: FailedUpdate[] = [];
  let done = 0;
  await claim.progress(0, updates.length);
  await inChunks(chunksOf(updates), 1, signal, async ([chunk = []]) => {
    done += chunk.length;
    const refused = await store.metadata.apply(
      workspaceId,
      projectIds,
      chunk.map(withDefaults),
      fencedProgress(claim, done, updates.length),
    );
    failed.push(...refused);
  });
  return {
    succeeded: updates.length - failed.length,
    failed: failed.length,
    failedItems: failed.map((item) => ({ ...item })),
  };
};

/** What is long about a transaction is the terms that it changes, not the images. */
function chunksOf(updates: readonly Update[]): readonly (readonly Update[])[] {
  const chunks: Update[][] = [];
  let chunk: Update[] = [];
  let terms = 0;
  for (const update of updates) {
    const more = termsIn(update);
    const isFull =
      chunk.length === limits.metadataRowsAtOnceMax || terms + more > limits.metadataTermsAtOnceMax;
    if (isFull && chunk.length > 0) {
      chunks.push(chunk);
      [chunk, terms] = [[], 0];
    }
    chunk.push(update);
    terms += more;
  }
  return chunk.length > 0 ? [...chunks, chunk] : chunks;
}

/** Each key and each tag is two terms, an old value of a key one more. */
function termsIn({ metadata = {}, removeMetadata = [], addTags = [], removeTags = [] }: Update) {
  const keys = Object.keys(metadata).length + removeMetadata.length;
  return 3 * keys + 2 * (addTags.length + removeTags.length);
}

/** Undefined: all of the workspace. */
function readProjectIds(payload: unknown): ReadonlySet<string> | undefined {
  if (typeof payload !== 'object' || payload === null) return undefined;
  if (!('projectIds' in payload)) return undefined;
  const { projectIds } = payload;
  if (!Array.isArray(projectIds)) throw new Error('the projects of a metadata change are no list');
  return new Set(projectIds.filter((id) => typeof id === 'string'));
}

type Update = ReturnType<typeof body.parse>['updates'][number];

function withDefaults(update: Update) {
  const { imageId, metadata = {}, removeMetadata = [], addTags = [], removeTags = [] } = update;
  return { imageId, metadata, removeMetadata, addTags, removeTags };
}
