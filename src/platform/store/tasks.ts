// The tasks of a workspace.

import type { Database } from '../../storage/database.ts';
import { type QueuedTask, readQueuedTask } from '../../storage/task-queue.ts';

export interface TaskStore {
  /** The newest first. */
  recent(workspaceId: string, countMax: number): Promise<readonly QueuedTask[]>;
}

export function taskStore(database: Database): TaskStore {
  return {
    recent: async (workspaceId, countMax) =>
      database.all(
        `SELECT * FROM work WHERE payload ->> 'workspaceId' = ? ORDER BY ordinal DESC LIMIT ?`,
        [workspaceId, countMax],
        readQueuedTask,
      ),
  };
}
