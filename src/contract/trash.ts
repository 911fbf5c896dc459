// The trash: deleted items that can be restored.

import * as z from 'zod';
import { inWorkspace, open } from './fields.ts';
import { operation } from './operation.ts';

const TrashItem = open({
  id: z.string(),
  type: z.string(),
  name: z.string().optional(),
  url: z.string().optional(),
  deletedAt: z.unknown().optional(),
  scheduledCleanupAt: z.unknown().optional(),
  parentId: z.string().optional(),
  parentName: z.string().optional(),
  parentUrl: z.string().optional(),
  deletedBy: z.string().nullable().optional(),
  images: z.int().optional().describe('Of deleted images: how many.'),
  versions: z.array(z.int()).optional().describe('Live versions that still hold some of them.'),
});

export const trash = {
  trash_list: operation({
    id: 'trash_list',
    toolset: 'trash',
    method: 'GET',
    path: '/{workspace}/trash',
    summary: 'Deleted projects, versions, trainings and workflows.',
    pathParameters: inWorkspace,
    answer: open({
      items: z.array(TrashItem),
      sections: open({
        projects: z.array(TrashItem).optional(),
        versions: z.array(TrashItem).optional(),
        workflows: z.array(TrashItem).optional(),
        trainings: z.array(TrashItem).optional(),
        images: z.array(TrashItem).optional(),
      }).optional(),
    }),
    scope: 'workspace:read',
    effect: 'reads',
  }),
  trash_restore: operation({
    id: 'trash_restore',
    toolset: 'trash',
    method: 'POST',
    path: '/{workspace}/trash/restore',
    summary: 'Bring something back from the trash.',
    pathParameters: inWorkspace,
    body: open({
      type: z
        .enum(['project', 'version', 'workflow', 'training', 'image'])
        .describe('What kind of thing it is.'),
      id: z.string().min(1).describe('Its id in trash_list.'),
      parentId: z
        .string()
        .min(1)
        .optional()
        .describe('Of a version or training: its parentId in trash_list.'),
    }),
    answer: open({
      restored: z.boolean(),
      type: z.string().optional(),
      id: z.string().optional(),
      name: z.string().optional(),
      url: z.string().optional().describe('Its path below the workspace; of a project its slug.'),
      parentName: z.string().optional(),
      images: z.int().optional(),
    }),
    errors: [409],
    scope: 'project:update',
    effect: 'changes',
  }),
};
