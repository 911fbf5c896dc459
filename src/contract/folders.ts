// Folders of projects; called groups in the paths.

import * as z from 'zod';
import { limits } from '../limits.ts';
import { closed, displayName, identifier, inWorkspace, open, text } from './fields.ts';
import { operation } from './operation.ts';

const inFolder = closed({
  ...inWorkspace.shape,
  folderId: identifier.describe('Id of the folder.'),
});

const name = displayName.describe('Name of the folder.');
const projects = z
  .array(
    z
      .string()
      .min(1)
      .refine(({ length }) => length <= limits.projectSlugCharactersMax, {
        error: `must have at most ${limits.projectSlugCharactersMax} characters`,
      }),
  )
  .max(limits.folderProjectsMax);
const groups = z
  .array(text.max(limits.folderGroupCharactersMax))
  .max(limits.folderGroupsMax)
  .optional();

const more = {
  projects: projects.optional().describe('Slugs of its projects.'),
  parent_id: z
    .string()
    .min(1)
    .nullable()
    .optional()
    .describe('Id of the folder that holds it; null: none.'),
  external_id: text
    .min(1)
    .max(limits.foreignIdCharactersMax)
    .optional()
    .describe('Id in a system of your own.'),
  auth_groups: closed({ read: groups, write: groups })
    .optional()
    .describe('Groups of members that may read or write it.'),
};

const Folder = open({
  id: z.string(),
  name: z.string().optional(),
  projects: z.array(z.unknown()).optional(),
});

export const folders = {
  folders_list: operation({
    id: 'folders_list',
    toolset: 'folders',
    method: 'GET',
    path: '/{workspace}/groups',
    alsoAt: [{ method: 'GET', path: '/{workspace}/groups/{groupId}' }],
    summary: 'Folders of a workspace.',
    pathParameters: inWorkspace,
    query: closed({
      groupId: identifier.optional().describe('Id of the only folder to list.'),
    }),
    answer: open({ data: z.array(Folder) }),
    scope: 'folder:read',
    effect: 'reads',
  }),
  folders_create: operation({
    id: 'folders_create',
    toolset: 'folders',
    method: 'POST',
    path: '/{workspace}/groups',
    summary: 'Create a folder.',
    pathParameters: inWorkspace,
    body: closed({ name, ...more }),
    answer: open({ id: z.string() }),
    success: 201,
    errors: [409],
    scope: 'folder:create',
    effect: 'adds',
  }),
  folders_update: operation({
    id: 'folders_update',
    toolset: 'folders',
    method: 'POST',
    path: '/{workspace}/groups/{folderId}',
    summary: 'Change a folder; what is left out stays.',
    pathParameters: inFolder,
    query: closed({
      returnUpdated: z.boolean().optional().describe('Answer with the changed folder.'),
    }),
    body: closed({ name: name.optional(), ...more }),
    answer: open({ data: z.array(Folder).optional() }),
    errors: [409],
    scope: 'folder:update',
    effect: 'changes',
  }),
  folders_delete: operation({
    id: 'folders_delete',
    toolset: 'folders',
    method: 'DELETE',
    path: '/{workspace}/groups/{folderId}',
    summary: 'Delete a folder; its projects stay, outside of it.',
    pathParameters: inFolder,
    answer: open({}),
    success: 204,
    errors: [409],
    scope: 'folder:delete',
    effect: 'removes',
  }),
  folders_set_projects: operation({
    id: 'folders_set_projects',
    toolset: 'folders',
    method: 'PATCH',
    path: '/{workspace}/groups/{folderId}/projects',
    summary: 'Put projects into a folder, or take them out.',
    pathParameters: inFolder,
    body: closed({
      projects: projects.describe('Slugs of the projects.'),
      operation: z
        .enum(['add', 'remove'])
        .optional()
        .describe('add (default) or remove these projects.'),
    }),
    answer: open({}),
    success: 204,
    scope: 'folder:update',
    effect: 'changes',
  }),
};

/** Not in the hosted API. */
export const folderExtensions = {
  folders_remove_projects: operation({
    id: 'folders_remove_projects',
    toolset: 'folders',
    host: 'local',
    method: 'DELETE',
    path: '/{workspace}/groups/{folderId}/projects',
    summary: 'Take projects out of a folder.',
    pathParameters: inFolder,
    body: closed({ projects: projects.describe('Slugs of the projects.') }),
    answer: open({}),
    success: 204,
    scope: 'folder:update',
    effect: 'changes',
  }),
};
