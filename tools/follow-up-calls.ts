// Follow-up calls and background tasks that several toolsets share.

import type { BackgroundTask, NextCall } from '../src/mcp/tool.ts';

export function waitForTask(workspace: string, taskId: string): NextCall {
  return { tool: 'tasks_wait', arguments: { workspace, taskId }, why: 'Waits until it is done.' };
}

/** Of a version that is ready. */
export function exportCall(version: {
  readonly workspace: string;
  readonly project: string;
  readonly version: number | string;
}): NextCall {
  return {
    tool: 'versions_export',
    arguments: { ...version, format: 'coco' },
    why: 'Then gives it as a file, in the format of your choice.',
  };
}

export function taskWork(workspace: string, taskId: string): BackgroundTask {
  return { kind: 'task', workspace, taskId };
}

/** Of a job with an address of its own, where its answer says that it is an async task as well. */
export function jobWork(
  workspace: string,
  id: string | undefined,
  answer: object,
): BackgroundTask | undefined {
  const url: unknown = 'url' in answer ? answer.url : undefined;
  const isTask = typeof url === 'string' && url.endsWith(`/asynctasks/${id}`);
  return isTask && id !== undefined ? taskWork(workspace, id) : undefined;
}
