// The workspace: whose credential this is, and what the workspace holds.

import * as z from 'zod';
import { inWorkspace, open } from './fields.ts';
import { operation } from './operation.ts';
import { Project } from './projects.ts';

export const workspace = {
  workspace_whoami: operation({
    id: 'workspace_whoami',
    family: 'workspace',
    method: 'GET',
    path: '/',
    summary: 'The workspace of the credential.',
    answer: open({
      welcome: z.string().optional(),
      instructions: z.string().optional(),
      docs: z.string().optional(),
      workspace: z.string().describe('Workspace slug.'),
    }),
    effect: 'reads',
  }),
  workspace_get: operation({
    id: 'workspace_get',
    family: 'workspace',
    method: 'GET',
    path: '/{workspace}',
    summary: 'A workspace and its projects.',
    pathParameters: inWorkspace,
    answer: open({
      workspace: open({
        name: z.string(),
        url: z.string().describe('Workspace slug.'),
        members: z.int().optional(),
        projects: z.array(Project),
      }),
    }),
    scope: 'workspace:read',
    effect: 'reads',
  }),
};
