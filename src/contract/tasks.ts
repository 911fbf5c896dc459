// Asynchronous tasks (API 6.1 to 6.6).

import * as z from 'zod';
import { closed, inWorkspace, open, Task, taskId } from './fields.ts';
import { operation } from './operation.ts';

export const tasks = {
  tasks_get: operation({
    id: 'tasks_get',
    toolset: 'tasks',
    method: 'GET',
    path: '/{workspace}/asynctasks/{taskId}',
    summary: 'How far a task is, and its result or error.',
    pathParameters: closed({ ...inWorkspace.shape, taskId }),
    answer: Task,
    scope: 'workspace:read',
    effect: 'reads',
  }),
};

/** Not in the hosted API. */
export const taskExtensions = {
  tasks_list: operation({
    id: 'tasks_list',
    toolset: 'tasks',
    method: 'GET',
    path: '/{workspace}/asynctasks',
    summary: 'The newest tasks of a workspace, at most 100.',
    pathParameters: inWorkspace,
    query: closed({
      status: z
        .enum(['created', 'running', 'completed', 'failed'])
        .optional()
        .describe('Only in this state.'),
      kind: z
        .string()
        .min(1)
        .max(50)
        .optional()
        .describe('Only of this kind, e.g. version, export, training, zip.'),
    }),
    answer: open({
      tasks: z.array(
        open({
          ...Task.shape,
          kind: z.string().describe('What it does, for example export.'),
          created: z.number().describe('Unix seconds.'),
          updated: z.number().describe('Unix seconds: its last progress, or its end.'),
        }),
      ),
    }),
    scope: 'workspace:read',
    effect: 'reads',
  }),
};
