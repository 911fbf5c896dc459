// Tools of the folders family.

import { folders } from '../src/contract/folders.ts';
import { fromOperation, type Tool } from '../src/mcp/tool.ts';
import { count, quoted } from './words.ts';

export const folderTools: readonly Tool[] = [
  fromOperation(folders.folders_list, {
    title: 'List folders',
    description: 'Use this to see how projects are grouped.',
    summarize: ({ data }) => `${count(data.length, 'folder')}.`,
  }),
  fromOperation(folders.folders_create, {
    title: 'Create folder',
    description: 'Use this to group projects.',
    summarize: ({ id }, { name }) => `Created folder ${quoted(name)} with id ${quoted(id)}.`,
  }),
  fromOperation(folders.folders_update, {
    title: 'Update folder',
    description: 'Use this to rename or move a folder. A list of projects replaces the old one.',
    summarize: (_answer, { folderId }) => `Changed folder ${quoted(folderId)}.`,
  }),
  fromOperation(folders.folders_delete, {
    title: 'Delete folder',
    description: 'Deletes a folder; its projects stay. It cannot be undone.',
    confirmation: { description: 'Repeat folderId.', expected: ({ folderId }) => folderId },
    summarize: (_answer, { folderId }) =>
      `Deleted folder ${quoted(folderId)}; its projects are still there.`,
  }),
  fromOperation(folders.folders_set_projects, {
    title: 'Put projects in folder',
    description: 'Use this to move projects into a folder; those already in it stay.',
    summarize: (_answer, { folderId, projects }) =>
      `Put ${count(projects.length, 'project')} into folder ${quoted(folderId)}.`,
  }),
];
