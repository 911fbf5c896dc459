// The workspace: whose credential this is, and what the workspace holds.

import * as z from 'zod';
import { inWorkspace, open } from './fields.ts';
import { operation } from './operation.ts';
import { Project } from './projects.ts';

/** First segments of paths, beside those of operations, that mean something else. */
const reserved = [
  '.well-known',
  'blobs',
  'health',
  'oauth',
  'settings',
  'docs',
  'openapi.json',
  'page',
  'thumbs',
  'uploads',
  'favicon.ico',
] as const;

/**
 * First segments of paths that cannot be the slug of a workspace: those of operations, of links, of
 * the service's health, and of the sign-in service.
 */
export const reservedWorkspaces: readonly string[] = [
  ...reserved,
  'catalog',
  'dataset',
  'previews',
  'video_upload_signed_url',
  'videoinfer',
  'vision-events',
];

/** Whether another address would hide the workspace of that slug. */
export function isReservedWorkspace(slug: string): boolean {
  return reservedWorkspaces.includes(slug);
}

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
    scope: 'workspace:read',
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
