// projects_list: the projects of a workspace, filtered and in an order.

import * as z from 'zod';
import { projectTypes } from '../../src/contract/projects.ts';
import { workspace } from '../../src/contract/workspace.ts';
import { toolFor } from '../../src/mcp/operation-tool.ts';
import { count, lastPart, nameList } from '../format.ts';
import { pageOf, pageShape } from '../list-page.ts';
import {
  countDeletedProjects,
  deletedProjectsCalls,
  deletedProjectsWords,
} from './deleted-projects.ts';

const { workspace_get } = workspace;

export const projectsList = toolFor(workspace_get, {
  name: 'projects_list',
  toolset: 'projects',
  title: 'List projects',
  description:
    'Lists projects, the last changed first, with type, image counts and times. projects_get tells more about one.',
  input: z.strictObject({
    ...workspace_get.pathParameters.shape,
    name: z.string().min(1).optional().describe('Only with these letters in name or slug.'),
    type: z.enum(projectTypes).optional().describe('Only of this type.'),
    ...pageShape,
  }),
  run: async ({ workspace, name, type, ...wanted }, context) => {
    const { client, signal } = context;
    const { body } = await client.call(workspace_get, { workspace }, { signal });
    const isEmpty = body.workspace.projects.length === 0;
    const deleted = isEmpty ? await countDeletedProjects(workspace, context) : 0;
    const letters = name?.toLowerCase() ?? '';
    const found = body.workspace.projects
      .filter((project) =>
        `${project.name} ${lastPart(project.id)}`.toLowerCase().includes(letters),
      )
      .filter((project) => type === undefined || isOfType(project, type))
      .toSorted(({ updated: one = 0 }, { updated: other = 0 }) => other - one);
    const { shown, page } = pageOf(found, wanted);
    const names = nameList(shown.map(({ id }) => lastPart(id)));
    return {
      summary: `${count(found.length, 'project')}${names && `: ${names}`}.${deletedProjectsWords(deleted)}`,
      data: { projects: shown.map(inShort) },
      next: deletedProjectsCalls(deleted, workspace),
      page,
    };
  },
});

type Project = z.output<typeof workspace_get.answer>['workspace']['projects'][number];

function inShort({ id, name, type, images, unannotated, created, updated }: Project) {
  return { id, name, type, images, unannotated, created, updated };
}

/** Answers call both kinds of classification by one name. */
function isOfType({ type, multilabel }: Project, wanted: string): boolean {
  if (type !== 'classification') return type === wanted;
  return (
    wanted === (multilabel === true ? 'multi-label-classification' : 'single-label-classification')
  );
}
