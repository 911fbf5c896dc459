// Whether background work that an earlier call started has failed since.

import { tasks } from '../../contract/tasks.ts';
import { versions } from '../../contract/versions.ts';
import type { BackgroundTask, ToolContext } from '../tool.ts';

/** Asks the service once. Work that cannot be read, or is gone, counts as not failed. */
export async function hasFailed(
  work: BackgroundTask,
  { client, signal }: ToolContext,
): Promise<boolean> {
  const { workspace } = work;
  try {
    if (work.kind === 'task') {
      const { taskId } = work;
      const { body } = await client.call(tasks.tasks_get, { workspace, taskId }, { signal });
      return body.status === 'failed' || body.status === 'cancelled';
    }
    const { project, version } = work;
    const input = { workspace, project, version: Number(version), nocache: true };
    const { body } = await client.call(versions.versions_get, input, { signal });
    return typeof body.version.error === 'string';
  } catch {
    return false;
  }
}
