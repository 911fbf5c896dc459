// Splits the making of a version into parts, which all workers take.

import { limits } from '../../limits.ts';
import { SplitTask } from '../../storage/task-parts.ts';
import type { Claim } from '../../storage/task-queue.ts';
import { newId } from '../ids-and-slugs.ts';
import type { Store } from '../store/store.ts';
import type { Version, VersionPart } from '../store/versions.ts';
import { payloadText } from './background-task.ts';

/**
 * Keeps for each part which batches it makes: the partners of a mosaic come from its batch. What a
 * part makes is thus what one worker would make. Undefined where there is too little to do for it.
 */
export async function splitVersion(
  versions: Store['versions'],
  claim: Claim,
  version: Version,
  missing: readonly (readonly number[])[],
): Promise<SplitTask | undefined> {
  const size = batchesPerPart(missing.length);
  if (missing.length <= size) return undefined;
  const parts: VersionPart[] = [];
  for (let from = 0; from < missing.length; from += size) {
    parts.push({ taskId: newId(), batches: missing.slice(from, from + size) });
  }
  await versions.keepParts(version.id, parts, claim.fenced);
  const payload = { versionId: version.id, workspaceId: payloadText(claim, 'workspaceId') };
  return new SplitTask(parts.map(({ taskId }) => ({ id: taskId, kind: 'version-part', payload })));
}

/** Some dozens of parts are enough for all workers, and threads wait at the end of each. */
function batchesPerPart(batches: number): number {
  const wanted = Math.ceil(batches / limits.versionPartsWanted);
  const most = Math.max(limits.versionPartBatchesLeast, wanted);
  const parts = Math.ceil(batches / Math.min(limits.versionPartBatchesMax, most));
  return Math.ceil(batches / parts);
}
