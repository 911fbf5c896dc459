// The background tasks of a workspace, for lists: the store's interface.

import type { QueuedTask } from '../../storage/task-queue.ts';

export interface TaskStore {
  /** The newest first. */
  recent(workspaceId: string, countMax: number): Promise<readonly QueuedTask[]>;
}
