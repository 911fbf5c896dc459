// Work in the background (first document, Async task).

import { closed, inWorkspace, Task, taskId } from './fields.ts';
import { operation } from './operation.ts';

export const tasks = {
  tasks_get: operation({
    id: 'tasks_get',
    family: 'tasks',
    method: 'GET',
    path: '/{workspace}/asynctasks/{taskId}',
    summary: 'How far a task is, and its result or error.',
    pathParameters: closed({ ...inWorkspace.shape, taskId }),
    answer: Task,
    scope: 'workspace:read',
    effect: 'reads',
  }),
};
