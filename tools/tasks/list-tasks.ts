// tasks_list: the background tasks of a workspace.

import { taskExtensions } from '../../src/contract/tasks.ts';
import { fromOperation } from '../../src/mcp/operation-tool.ts';
import { count, tally } from '../format.ts';

export const tasksList = {
  ...fromOperation(taskExtensions.tasks_list, {
    title: 'List tasks',
    description:
      'Lists background tasks, the newest first: what each does, its state, progress and times. tasks_wait waits for one; tasks_get has its result.',
    summarize: ({ tasks }) => {
      const states = Object.groupBy(tasks, ({ status }) => status);
      const figures = Object.entries(states).map(([state, some]) => [state, some?.length ?? 0]);
      const told = tally(Object.fromEntries(figures));
      return `${count(tasks.length, 'task')}${told && `: ${told}`}.`;
    },
    // Results are long, and seldom what a list is read for.
    project: ({ tasks }) => ({ tasks: tasks.map(({ result: _, ...facts }) => facts) }),
  }),
  embeddedOnly: true,
} as const;
