// Tools of the folders toolset.

import * as z from 'zod';
import { described } from '../src/contract/fields.ts';
import { folders } from '../src/contract/folders.ts';
import { fromOperation } from '../src/mcp/operation-tool.ts';
import type { Tool } from '../src/mcp/tool.ts';
import { confirmFolderDeletion } from './confirmation-prompts.ts';
import { count, quoted } from './format.ts';

const { folders_create: create, folders_update: update } = folders;

const groups = described(create.body.shape.auth_groups, '{read?: [group], write?: [group]}.');

export const folderTools: readonly Tool[] = [
  fromOperation(folders.folders_list, {
    title: 'List folders',
    description: 'How projects are grouped.',
    summarize: ({ data }) => `${count(data.length, 'folder')}.`,
  }),
  fromOperation(create, {
    title: 'Create folder',
    offered: z.strictObject({
      ...create.pathParameters.shape,
      ...create.body.shape,
      auth_groups: groups,
    }),
    description: 'Groups projects.',
    hiddenArguments: ['external_id', 'auth_groups'],
    summarize: ({ id }, { name }) => `Created folder ${quoted(name)} with id ${quoted(id)}.`,
  }),
  fromOperation(update, {
    title: 'Update folder',
    offered: z.strictObject({
      ...update.pathParameters.shape,
      ...update.body.shape,
      auth_groups: described(update.body.shape.auth_groups, 'As in folders_create.'),
    }),
    description: 'Renames or moves a folder; projects replaces its list.',
    hiddenArguments: ['external_id', 'auth_groups'],
    mistake: (input) =>
      Object.keys(update.body.shape).some((name) => Object.hasOwn(input, name))
        ? undefined
        : { path: '', message: 'nothing to change: give name, parent_id or projects' },
    summarize: (_answer, { folderId }) => `Changed folder ${quoted(folderId)}.`,
  }),
  fromOperation(folders.folders_delete, {
    title: 'Delete folder',
    description: 'Deletes a folder; its projects stay. Cannot be undone.',
    confirmation: {
      description: 'Repeat folderId.',
      expected: ({ folderId }) => folderId,
      prompt: confirmFolderDeletion,
    },
    summarize: (_answer, { folderId }) =>
      `Deleted folder ${quoted(folderId)}; its projects are still there.`,
  }),
  fromOperation(folders.folders_set_projects, {
    title: 'Put projects in folder',
    description: 'Adds projects to a folder, or removes them.',
    summarize: (_answer, { folderId, projects, operation }) =>
      operation === 'remove'
        ? `Took ${count(projects.length, 'project')} out of folder ${quoted(folderId)}.`
        : `Put ${count(projects.length, 'project')} into folder ${quoted(folderId)}.`,
  }),
];
