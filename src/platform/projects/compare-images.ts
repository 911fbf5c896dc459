// Near-duplicates of a project for work that goes on without them where they cannot be told.

import { asFoveaError } from '../../errors.ts';
import type { NearDuplicates, ProjectStore } from '../store/projects.ts';

const notCompared: NearDuplicates = {
  ordinals: new Float64Array(),
  splits: new Uint8Array(),
  ends: new Uint32Array(),
  leaks: 0,
  compared: 0,
  plain: 0,
  isComplete: false,
};

/**
 * None, not complete, where the comparison was given up: on a busy machine it takes too long, and
 * too many reads may wait. Throws as `nearDuplicates` does for all else, such as a service that
 * stops, or a signal that aborts.
 */
export async function compareImages(
  projects: Pick<ProjectStore, 'nearDuplicates'>,
  workspaceId: string,
  projectId: string,
  signal: AbortSignal,
): Promise<NearDuplicates> {
  try {
    return await projects.nearDuplicates(workspaceId, projectId, { signal });
  } catch (thrown) {
    const { code } = asFoveaError(thrown);
    if (code === 'invalid_input' || code === 'rate_limited') return notCompared;
    throw thrown;
  }
}
