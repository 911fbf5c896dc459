// Tools of the workspace toolset.

import type * as z from 'zod';
import type { Project } from '../src/contract/projects.ts';
import { workspace } from '../src/contract/workspace.ts';
import { fromOperation } from '../src/mcp/operation-tool.ts';
import type { Tool } from '../src/mcp/tool.ts';
import { count, lastPart, nameList, quoted } from './format.ts';
import {
  countDeletedProjects,
  deletedProjectsCalls,
  deletedProjectsWords,
} from './projects/deleted-projects.ts';
import { activityList } from './workspace/list-activity.ts';

/** Without splits and classes, which `projects_get` gives. */
function inShort({ id, name, type, images, unannotated, updated }: z.output<typeof Project>) {
  return { id, name, type, images, unannotated, updated };
}

export const workspaceTools: readonly Tool[] = [
  fromOperation(workspace.workspace_whoami, {
    title: 'Who am I',
    description:
      'Names the workspace of the credential, in which all tools work. Use it to check access; workspace_get lists its projects.',
    summarize: ({ workspace }) => `The workspace is ${quoted(workspace)}.`,
    next: () => [{ tool: 'workspace_get', arguments: {}, why: 'Lists its projects.' }],
  }),
  fromOperation(workspace.workspace_get, {
    title: 'Get workspace',
    description:
      'Lists all projects with type and image counts. projects_get tells more; detail "full" adds splits and classes.',
    complete: async (answer, { workspace }, context) =>
      answer.workspace.projects.length > 0
        ? answer
        : { ...answer, deletedProjects: await countDeletedProjects(workspace, context) },
    summarize: ({ workspace: { projects }, deletedProjects }) => {
      const names = nameList(projects.map(({ id }) => lastPart(id)));
      const deleted = deletedProjectsWords(Number(deletedProjects ?? 0));
      return `${count(projects.length, 'project')}${names && `: ${names}`}.${deleted}`;
    },
    next: ({ deletedProjects }, { workspace }) =>
      deletedProjectsCalls(Number(deletedProjects ?? 0), workspace),
    brief: ({ workspace: { projects, ...facts } }) => ({
      workspace: { ...facts, projects: projects.map(inShort) },
    }),
  }),
  activityList,
];
