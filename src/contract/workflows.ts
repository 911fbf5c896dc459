// Workflows: stored as given, so that the trash has all kinds of items of the API.

import * as z from 'zod';
import { isJsonObject, parsedJson } from '../json-object.ts';
import { excessWords, hasPrototypeName, jsonExcess } from '../json-scanner.ts';
import { limits } from '../limits.ts';
import { closed, displayName, identifier, inWorkspace, open, openData } from './fields.ts';
import { bodyLimits, operation } from './operation.ts';

const inWorkflow = closed({
  ...inWorkspace.shape,
  workflow: identifier.describe('Slug of the workflow.'),
});

const configBounds = bodyLimits({ elementsMax: limits.workflowConfigElementsMax });

/** The hosted platform keeps a text; what is given as one is given back as one. */
const config = z
  .union([
    openData(limits.workflowConfigBytesMax),
    z.string().refine((text) => problemOfConfig(text) === undefined, {
      error: ({ input }) => problemOfConfig(String(input)),
    }),
  ])
  .describe('An object or its JSON text, kept as it is given.');

/** Why a text is no config, in words that follow its name. */
function problemOfConfig(text: string): string | undefined {
  const bytes = Buffer.byteLength(text);
  const most = limits.workflowConfigBytesMax;
  if (bytes > most) return `has ${bytes} bytes; at most ${most} are taken`;
  const excess = jsonExcess(text, configBounds);
  if (excess !== undefined) return `is JSON text that ${excessWords(excess, configBounds)}`;
  const parsed = parsedJson(text);
  if (!isJsonObject(parsed)) return 'must be an object, or the JSON text of one';
  return hasPrototypeName(parsed)
    ? 'has a member named __proto__, which is not allowed'
    : undefined;
}

const slug = displayName.describe('Slug; of a new workflow that of its name unless given.');

const Workflow = open({ id: z.string(), name: z.string(), url: z.string().describe('Slug.') });

export const workflows = {
  workflows_create: operation({
    id: 'workflows_create',
    toolset: 'workflows',
    host: 'local',
    method: 'POST',
    path: '/{workspace}/workflows',
    alsoAt: [{ method: 'POST', path: '/{workspace}/createWorkflow' }],
    idleQuery: { template: /^\{\}$/ },
    summary: 'Keep a workflow.',
    pathParameters: inWorkspace,
    body: open({
      name: displayName.describe('Display name.'),
      url: slug.optional(),
      config,
    }),
    bodyInQuery: ['name', 'url', 'config'],
    bodyLimits: configBounds,
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
    answer: open({ workflow: Workflow.extend({ config: z.union([z.string(), open({})]) }) }),
    scope: 'workflow:read',
    effect: 'reads',
  }),
  /** Not in the documented API; the address is that of the hosted platform, as is the next. */
  workflows_update: operation({
    id: 'workflows_update',
    toolset: 'workflows',
    host: 'local',
    method: 'POST',
    path: '/{workspace}/updateWorkflow',
    summary: 'Change the name, the slug or the config of a workflow.',
    pathParameters: inWorkspace,
    body: open({
      id: identifier.describe('Id of the workflow.'),
      name: displayName.optional().describe('Display name.'),
      url: slug.optional(),
      config: config.optional(),
    }),
    bodyLimits: configBounds,
    answer: open({ workflow: Workflow }),
    errors: [409],
    scope: 'workflow:update',
    effect: 'changes',
  }),
  workflows_fork: operation({
    id: 'workflows_fork',
    toolset: 'workflows',
    host: 'local',
    method: 'POST',
    path: '/{workspace}/forkWorkflow',
    summary: 'Copy a workflow.',
    pathParameters: inWorkspace,
    body: open({
      source_workspace: z
        .string()
        .min(1)
        .describe('Slug of its workspace, which must be this one.'),
      source_workflow: identifier.describe('Workflow slug.'),
      name: displayName.optional().describe('Display name; that of the source unless given.'),
      url: slug.optional(),
    }),
    answer: open({ workflow: Workflow }),
    success: 201,
    scope: 'workflow:create',
    effect: 'adds',
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
