// Tools of the folders toolset.

import { folders } from '../src/contract/folders.ts';
import { fromOperation } from '../src/mcp/operation-tool.ts';
import type { Tool } from '../src/mcp/tool.ts';
import { confirmFolderDeletion } from './confirmation-prompts.ts';
import { count, quoted } from './format.ts';

const { folders_create: create, folders_update: update } = folders;

export const folderTools: readonly Tool[] = [
  fromOperation(folders.folders_list, {
    title: 'List folders',
    description: 'Lists the folders of the workspace with their ids and projects.',
    summarize: ({ data }) => `${count(data.length, 'folder')}.`,
  }),
  fromOperation(create, {
    title: 'Create folder',
    description:
      'Creates a folder that groups projects, and gives its id. folders_set_projects adds projects later.',
    summarize: ({ id }, { name }) => `Created folder ${quoted(name)} with id ${quoted(id)}.`,
  }),
  fromOperation(update, {
    title: 'Update folder',
    description:
      'Renames a folder, moves it, or replaces its list of projects; what is left out stays. For single projects use folders_set_projects.',
    mistake: (input) =>
      Object.keys(update.body.shape).some((name) => Object.hasOwn(input, name))
        ? undefined
        : { path: '', message: 'nothing to change: give name, parent_id or projects' },
    summarize: (_answer, { folderId }) => `Changed folder ${quoted(folderId)}.`,
  }),
  fromOperation(folders.folders_delete, {
    title: 'Delete folder',
    description: 'Deletes a folder. Its projects stay, outside of it. Cannot be undone.',
    confirmation: {
      description: 'Repeat the folderId here.',
      expected: ({ folderId }) => folderId,
      prompt: confirmFolderDeletion,
    },
    summarize: (_answer, { folderId }) =>
      `Deleted folder ${quoted(folderId)}; its projects are still there.`,
  }),
  fromOperation(folders.folders_set_projects, {
    title: 'Put projects in folder',
    description: 'Adds projects to a folder, or removes them from it. Its other projects stay.',
    summarize: (_answer, { folderId, projects, operation }) =>
      operation === 'remove'
        ? `Took ${count(projects.length, 'project')} out of folder ${quoted(folderId)}.`
        : `Put ${count(projects.length, 'project')} into folder ${quoted(folderId)}.`,
  }),
];
