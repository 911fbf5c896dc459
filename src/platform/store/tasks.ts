// The tasks of a workspace.

import type { Database } from '../../storage/database.ts';
import { readWorkItem, type WorkItem } from '../../storage/work.ts';

export interface TaskStore {
  /** The newest first. */
  recent(workspaceId: string, countMax: number): Promise<readonly WorkItem[]>;
}

export function taskStore(database: Database): TaskStore {
  return {
    recent: async (workspaceId, countMax) =>
      database.all(
        `SELECT * FROM work WHERE payload ->> 'workspaceId' = ? ORDER BY ordinal DESC LIMIT ?`,
        [workspaceId, countMax],
        readWorkItem,
      ),
  };
}
