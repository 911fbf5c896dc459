// activity_list: what was changed in a workspace, by whom, when, by which call.

import { activity } from '../../src/contract/activity.ts';
import { fromOperation } from '../../src/mcp/operation-tool.ts';
import type { Tool } from '../../src/mcp/tool.ts';
import { count } from '../format.ts';

export const activityList: Tool = {
  ...fromOperation(activity.activity_list, {
    title: 'List activity',
    description: 'Lists changes, the newest first: who, when, by which tool, before and after.',
    summarize: ({ total }) => `${count(total, 'change')}.`,
    page: ({ total, entries, next }) => ({
      total,
      shown: entries.length,
      truncated: next !== undefined,
      ...(next !== undefined && { next: { before: next } }),
    }),
  }),
  embeddedOnly: true,
};
