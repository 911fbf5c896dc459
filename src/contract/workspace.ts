// The workspace of a credential, and what it holds.

import * as z from 'zod';
import { inWorkspace, open } from './fields.ts';
import { operation } from './operation.ts';
import { Project } from './projects.ts';

/** First path segments of routes that are not operations. */
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
 * Slugs that no workspace may have: the first path segments of operations, signed links, the health
 * check and the authorization server.
 */
export const reservedWorkspaces: readonly string[] = [
  ...reserved,
  'catalog',
  'dataset',
  'previews',
  'universe',
  'video_upload_signed_url',
  'videoinfer',
  'vision-events',
];

/** Whether another route would hide the workspace of that slug. */
export function isReservedWorkspace(slug: string): boolean {
  return reservedWorkspaces.includes(slug);
}

export const workspace = {
  workspace_whoami: operation({
    id: 'workspace_whoami',
    toolset: 'workspace',
    method: 'GET',
    path: '/',
    alsoAt: [{ method: 'POST', path: '/' }],
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
    toolset: 'workspace',
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
