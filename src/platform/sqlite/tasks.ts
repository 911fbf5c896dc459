// The background tasks of a workspace, for lists.

import type { Database } from '../../storage/database.ts';
import { readQueuedTask } from '../../storage/task-queue.ts';
import type { TaskStore } from '../store/tasks.ts';

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
