// A process that takes background tasks of a platform, and answers no requests.

import { type LaneName, laneNames } from '../task-lanes.ts';
import { openRows } from './open-platform-database.ts';
import { openParts, type PartsOptions } from './platform-parts.ts';

export interface TaskServiceOptions extends PartsOptions {
  /** Whose tasks it takes; undefined: those of all. */
  readonly lanes: readonly LaneName[] | undefined;
}

export interface TaskService {
  /** Takes no more tasks, and gives back those that run: others go on with them at once. */
  close(): Promise<void>;
}

/** Throws as `startPlatform` does for its storage. */
export async function startTaskService({
  lanes = laneNames,
  ...options
}: TaskServiceOptions): Promise<TaskService> {
  const rows = await openRows(options, options.clock);
  try {
    const parts = await openParts(rows, options);
    parts.startWorkers(lanes);
    return {
      close: async () => {
        await parts.stopWork();
        await parts.close();
      },
    };
  } catch (thrown) {
    await rows.database.close();
    throw thrown;
  }
}
