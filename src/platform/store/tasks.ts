// The background tasks of a workspace, for lists: the store's interface.

import type { QueuedTask, TaskStatus } from '../../storage/task-queue.ts';

/** Undefined members choose nothing. */
export interface WantedTasks {
  readonly status: TaskStatus | undefined;
  readonly kind: string | undefined;
  readonly countMax: number;
}

export interface TaskStore {
  /** The newest first, without the parts of tasks. */
  recent(workspaceId: string, wanted: WantedTasks): Promise<readonly QueuedTask[]>;
}
