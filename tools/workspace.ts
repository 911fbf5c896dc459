// Tools of the workspace toolset.

import type * as z from 'zod';
import type { Project } from '../src/contract/projects.ts';
import { workspace } from '../src/contract/workspace.ts';
import { fromOperation } from '../src/mcp/operation-tool.ts';
import type { Tool } from '../src/mcp/tool.ts';
import { count, lastPart, nameList, quoted } from './format.ts';

/** Without splits and classes, which `projects_get` gives. */
function inShort({ id, name, type, images, unannotated, updated }: z.output<typeof Project>) {
  return { id, name, type, images, unannotated, updated };
}

export const workspaceTools: readonly Tool[] = [
  fromOperation(workspace.workspace_whoami, {
    title: 'Who am I',
    description: 'Whose credential this is: all tools work in that workspace.',
    summarize: ({ workspace }) => `The workspace is ${quoted(workspace)}.`,
    next: () => [{ tool: 'workspace_get', arguments: {}, why: 'Lists its projects.' }],
  }),
  fromOperation(workspace.workspace_get, {
    title: 'Get workspace',
    description: 'All projects, with type and size.',
    summarize: ({ workspace: { projects } }) => {
      const names = nameList(projects.map(({ id }) => lastPart(id)));
      return `${count(projects.length, 'project')}${names && `: ${names}`}.`;
    },
    brief: ({ workspace: { projects, ...facts } }) => ({
      workspace: { ...facts, projects: projects.map(inShort) },
    }),
  }),
];
