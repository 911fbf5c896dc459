// Plans the making of a version: which of its images are made together. Of a million images it
// keeps their ordinals, not their rows.

import type { VersionSettings } from '../../contract/version-settings.ts';
import { BatchPlan, type PlannedSource } from '../../dataset-versions/render-batches.ts';
import { SourcesByHash } from '../../dataset-versions/sources-by-hash.ts';
import type { Store } from '../store/store.ts';
import type { Version } from '../store/versions.ts';

export interface VersionPlan {
  /** Sources of the version. */
  readonly count: number;
  /** How many of them are done. */
  readonly done: number;
  /** Ordinals of the sources of each batch in which one is missing. */
  readonly batches: readonly (readonly number[])[];
}

export async function planVersion(
  versions: Store['versions'],
  { id, settings }: Version,
): Promise<VersionPlan> {
  const count = await versions.countSources(id);
  const batches: (readonly number[])[] = [];
  let done = 0;
  const plan = new BatchPlan(settings, count, (batch: readonly PlannedSource[]) => {
    const made = batch.filter(({ isDone }) => isDone).length;
    done += made;
    if (made < batch.length) batches.push(batch.map(({ ordinal }) => ordinal));
  });
  for await (const sources of inOrder(versions, id, { settings, count })) {
    for (const source of sources) plan.add(source);
  }
  plan.end();
  return { count, done, batches };
}

async function* inOrder(
  versions: Store['versions'],
  versionId: string,
  { settings, count }: { readonly settings: VersionSettings; readonly count: number },
): AsyncGenerator<readonly PlannedSource[]> {
  const train = versions.outlines(versionId, { isTrain: true });
  if (settings.augmentation.mosaic) {
    const mixed = new SourcesByHash(count);
    for await (const sources of train) for (const source of sources) mixed.add(source);
    yield* mixed.inOrder();
  } else yield* train;
  yield* versions.outlines(versionId, { isTrain: false });
}
