// The background tasks of a workspace, for lists.

import type { AsyncDatabase } from '../../storage/async-database.ts';
import { readQueuedTask } from '../../storage/task-queue.ts';
import type { TaskStore } from '../store/tasks.ts';

export function taskStore(database: AsyncDatabase): TaskStore {
  return {
    recent: (workspaceId, wanted) =>
      database.all(
        `SELECT * FROM work WHERE payload ->> 'workspaceId' = :workspaceId AND parent IS NULL
           AND (:status IS NULL OR status = :status)
           AND (:kind IS NULL OR kind IN (:kind, 'held:' || :kind))
         ORDER BY ordinal DESC LIMIT :countMax`,
        { workspaceId, ...wanted },
        readQueuedTask,
      ),
  };
}
