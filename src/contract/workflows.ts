// Workflows: stored as given, so that the trash has all kinds of items of the API.

import * as z from 'zod';
import { limits } from '../limits.ts';
import { closed, displayName, inWorkspace, open, openData } from './fields.ts';
import { bodyLimits, operation } from './operation.ts';

const inWorkflow = closed({
  ...inWorkspace.shape,
  workflow: z.string().min(1).describe('Workflow slug.'),
});

const Workflow = open({ id: z.string(), name: z.string(), url: z.string().describe('Slug.') });

export const workflows = {
  workflows_create: operation({
    id: 'workflows_create',
    toolset: 'workflows',
    host: 'local',
    method: 'POST',
    path: '/{workspace}/workflows',
    summary: 'Keep a workflow.',
    pathParameters: inWorkspace,
    body: open({
      name: displayName.describe('Display name.'),
      config: openData(limits.workflowConfigBytesMax).describe('Kept as it is given.'),
    }),
    bodyLimits: bodyLimits({ elementsMax: limits.workflowConfigElementsMax }),
    answer: open({ workflow: Workflow }),
    success: 201,
    scope: 'workflow:create',
    effect: 'adds',
  }),
  workflows_list: operation({
    id: 'workflows_list',
    toolset: 'workflows',
    host: 'local',
    method: 'GET',
    path: '/{workspace}/workflows',
    summary: 'Workflows of a workspace.',
    pathParameters: inWorkspace,
    answer: open({ workflows: z.array(Workflow) }),
    scope: 'workflow:read',
    effect: 'reads',
  }),
  workflows_get: operation({
    id: 'workflows_get',
    toolset: 'workflows',
    host: 'local',
    method: 'GET',
    path: '/{workspace}/workflows/{workflow}',
    summary: 'A workflow with its config.',
    pathParameters: inWorkflow,
    answer: open({ workflow: Workflow.extend({ config: open({}) }) }),
    scope: 'workflow:read',
    effect: 'reads',
  }),
  workflows_delete: operation({
    id: 'workflows_delete',
    toolset: 'workflows',
    host: 'local',
    method: 'DELETE',
    path: '/{workspace}/workflows/{workflow}',
    summary: 'Move a workflow to the trash.',
    pathParameters: inWorkflow,
    answer: open({ deleted: z.boolean(), type: z.string(), id: z.string() }),
    scope: 'workflow:update',
    effect: 'removes',
    recoverable: true,
  }),
};
