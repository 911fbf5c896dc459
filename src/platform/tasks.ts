// Handlers of the toolset "tasks": background tasks as the API shows them.

import type { taskExtensions, tasks } from '../contract/tasks.ts';
import { notFound } from '../errors.ts';
import type { Handlers } from '../http-server/handlers.ts';
import { membersOf } from '../json-object.ts';
import { limits } from '../limits.ts';
import type { QueuedTask, TaskQueue } from '../storage/task-queue.ts';
import { accessibleProjects, isAccessible } from './access-control/accessible-projects.ts';
import type { Principal } from './access-control/authorization.ts';
import type { People } from './access-control/credential-names.ts';
import { describeReviewTask } from './annotation/review-tasks.ts';
import type { DownloadLinks } from './signed-links/download-links.ts';
import type { AccessibleProjects } from './store/search.ts';
import type { Store } from './store/store.ts';
import type { Workspace } from './store/workspaces.ts';

export interface Tasks {
  /** Looks for work now instead of at the next poll. */
  wake(): void;
  /** A task of this workspace. */
  find(workspaceId: string, taskId: string): Promise<QueuedTask | undefined>;
  /** 0 to 1. */
  progress(taskId: string): Promise<number>;
}

interface TaskHandlerDependencies {
  readonly tasks: Tasks;
  readonly store: Store;
  readonly links: DownloadLinks;
  readonly people: People | undefined;
}

export function taskHandlers(
  dependencies: TaskHandlerDependencies,
): Handlers<typeof tasks & typeof taskExtensions, Principal> {
  return {
    tasks_get: async ({ taskId }, { principal, origin }) => {
      const { tasks, links } = dependencies;
      const isQueued = (await tasks.find(principal.workspace.id, taskId)) !== undefined;
      const review = isQueued
        ? undefined
        : await describeReviewTask(dependencies, principal, taskId);
      return review ?? describeTask(await findTask(dependencies, principal, taskId), links, origin);
    },
    tasks_list: async ({ status, kind }, { principal, origin }) => {
      const { store, links } = dependencies;
      const accessible = await accessibleProjects(store, principal);
      const wanted = { status, kind, countMax: limits.tasksListedMax };
      const recent = await store.tasks.recent(principal.workspace.id, wanted);
      const { folderIds } = principal;
      const seen = await Promise.all(
        recent.map((item) => isVisible(store, accessible, item, folderIds)),
      );
      return {
        tasks: recent
          .filter((_, index) => seen[index])
          .map((item) => ({
            ...describeTask(item, links, origin),
            kind: item.kind,
            created: item.created / 1000,
            updated: item.updated / 1000,
          })),
      };
    },
  };
}

/**
 * A task that this caller may see. Throws `not_found` for one that is missing, of another
 * workspace, or of a project out of reach (API 18.4).
 */
export async function findTask(
  { tasks, store }: Pick<TaskHandlerDependencies, 'tasks' | 'store'>,
  principal: Principal,
  taskId: string,
): Promise<QueuedTask> {
  const item = await tasks.find(principal.workspace.id, taskId);
  const accessible = await accessibleProjects(store, principal);
  if (item && (await isVisible(store, accessible, item, principal.folderIds))) return item;
  throw notFound('task', taskId);
}

/**
 * A restricted credential sees the work on its own projects alone, and what was started with a
 * credential for folders of its own.
 */
async function isVisible(
  store: Store,
  accessible: AccessibleProjects,
  { payload }: QueuedTask,
  folderIds: readonly string[] = [],
): Promise<boolean> {
  if (accessible.projectIds === undefined) return true;
  const members = membersOf(payload);
  const projectIds = 'projectIds' in members ? members.projectIds : undefined;
  if (Array.isArray(projectIds) && projectIds.length > 0) {
    return projectIds.every((id) => isAccessible(accessible, String(id)));
  }
  if ('folderIds' in members && Array.isArray(members.folderIds)) {
    return members.folderIds.every((id) => folderIds.includes(String(id)));
  }
  if ('projectId' in members) return isAccessible(accessible, String(members.projectId));
  if (!('versionId' in members)) return false;
  const version = await store.versions.get(String(members.versionId));
  return isAccessible(accessible, version?.projectId);
}

/**
 * A task as the API shows it (API 6.1): `result` once it is completed, `error`
 * once it has failed. Members of the result that begin with `_` are ours alone; of them `_report`,
 * the hash of a CSV file, is shown as the link `reportUrl`.
 */
export function describeTask(item: QueuedTask, links: DownloadLinks, origin: string) {
  return {
    taskId: item.id,
    status: item.status,
    progress: item.total === 0 ? null : { current: item.current, total: item.total },
    ...(item.waitsFor !== undefined && { waitsFor: item.waitsFor }),
    ...(item.status === 'completed' && { result: describeResult(item.result, links, origin) }),
    ...(item.status === 'failed' && { error: item.error ?? 'It failed.' }),
  };
}

function describeResult(result: unknown, links: DownloadLinks, origin: string) {
  const members = Object.entries(membersOf(result));
  const report = members.find(([name]) => name === '_report')?.[1];
  return {
    ...Object.fromEntries(members.filter(([name]) => !name.startsWith('_'))),
    ...(typeof report === 'string' && {
      reportUrl: links.make(origin, {
        hash: report,
        name: 'report.csv',
        contentType: 'text/csv; charset=utf-8',
      }),
    }),
  };
}

/** The answer that starts a task: its id, and the address at which to ask for it. */
export function describeTaskStart(origin: string, workspace: Workspace, taskId: string) {
  return { taskId, url: `${origin}/${encodeURIComponent(workspace.slug)}/asynctasks/${taskId}` };
}

/** Tasks over the work of this database. A task belongs to the workspace of its payload. */
export function createTasks(queue: TaskQueue, wake: () => void): Tasks {
  return {
    wake,
    find: async (workspaceId, taskId) => {
      const item = await queue.get(taskId);
      const payload = membersOf(item?.payload);
      const isOwn = 'workspaceId' in payload && payload.workspaceId === workspaceId;
      return isOwn ? item : undefined;
    },
    progress: async (taskId) => {
      const item = await queue.get(taskId);
      return !item || item.total === 0 ? 0 : item.current / item.total;
    },
  };
}
