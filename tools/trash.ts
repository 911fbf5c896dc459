// Tools of the trash toolset.

import { trash } from '../src/contract/trash.ts';
import { fromOperation } from '../src/mcp/operation-tool.ts';
import type { Tool } from '../src/mcp/tool.ts';
import { count, quoted } from './format.ts';

export const trashTools: readonly Tool[] = [
  fromOperation(trash.trash_list, {
    title: 'List trash',
    description:
      'Lists deleted projects, versions, trainings, workflows and images, and when each is gone for good. trash_restore takes the ids.',
    // The sections repeat the items.
    project: ({ items = [] }) => ({ total: items.length, items }),
    summarize: ({ items = [] }) => `${count(items.length, 'thing')} in the trash.`,
  }),
  fromOperation(trash.trash_restore, {
    title: 'Restore from trash',
    description:
      'Brings back a deleted project, version, training, workflow or images as they were. trash_list has type, id, parentId.',
    summarize: ({ name, url, parentName }, { type, id }) =>
      // Images go into the trash together: their name says how many.
      `Restored ${type === 'image' ? '' : `the ${type} `}${quoted(name ?? id)}` +
      `${type === 'project' && url !== undefined ? ` (${quoted(url)})` : ''}` +
      `${parentName === undefined ? '' : ` of ${quoted(parentName)}`}.`,
    next: ({ url }, { workspace, type }) =>
      type !== 'project' || url === undefined
        ? []
        : [{ tool: 'projects_get', arguments: { workspace, project: url }, why: 'Shows it.' }],
  }),
];
