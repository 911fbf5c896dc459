// Work in the background, as the API shows it: the async tasks of the first document.

import type { tasks } from '../contract/tasks.ts';
import { notFound } from '../errors.ts';
import type { Handlers } from '../http-server/handlers.ts';
import type { Work, WorkItem } from '../storage/work.ts';
import type { Principal } from './principal.ts';
import type { Workspace } from './store/store.ts';

export interface Tasks {
  /** Looks for work now instead of at the next poll. */
  wake(): void;
  /** A task of this workspace. */
  find(workspaceId: string, taskId: string): Promise<WorkItem | undefined>;
  /** 0 to 1. */
  progress(taskId: string): Promise<number>;
}

export function taskHandlers(work: Tasks): Handlers<typeof tasks, Principal> {
  return {
    tasks_get: async ({ taskId }, { principal }) => {
      const item = await work.find(principal.workspace.id, taskId);
      if (!item) throw notFound('task', taskId);
      return {
        taskId,
        status: item.status,
        progress: item.total === 0 ? null : { current: item.current, total: item.total },
        ...(item.status === 'completed' && { result: { ...asObject(item.result) } }),
        ...(item.status === 'failed' && { error: item.error }),
      };
    },
  };
}

function asObject(value: unknown): object {
  return typeof value === 'object' && value !== null ? value : {};
}

/** The answer that starts a task: its id, and the address at which to ask for it. */
export function describeTaskStart(origin: string, workspace: Workspace, taskId: string) {
  return { taskId, url: `${origin}/${encodeURIComponent(workspace.slug)}/asynctasks/${taskId}` };
}

/** Tasks over the work of this database. A task belongs to the workspace of its payload. */
export function createTasks(work: Work, wake: () => void): Tasks {
  return {
    wake,
    find: async (workspaceId, taskId) => {
      const item = work.get(taskId);
      const { payload } = item ?? {};
      const owned =
        typeof payload === 'object' &&
        payload !== null &&
        'workspaceId' in payload &&
        payload.workspaceId === workspaceId;
      return owned ? item : undefined;
    },
    progress: async (taskId) => {
      const item = work.get(taskId);
      return !item || item.total === 0 ? 0 : item.current / item.total;
    },
  };
}
