// The log of what was changed in a workspace. Not in the hosted API.

import * as z from 'zod';
import { limits } from '../limits.ts';
import { closed, inWorkspace, isoDateTime, open, project } from './fields.ts';
import { operation } from './operation.ts';

const kinds = [
  'project',
  'version',
  'image',
  'training',
  'annotation_job',
  'deployment',
  'active_learning',
  'folder',
  'api_key',
  'account',
  'workflow',
  'use_case',
  'task',
] as const;

export const activity = {
  activity_list: operation({
    id: 'activity_list',
    toolset: 'workspace',
    method: 'GET',
    path: '/{workspace}/activity-log',
    summary: 'What was changed in a workspace, by whom and by which call; the newest first.',
    pathParameters: inWorkspace,
    query: closed({
      since: isoDateTime.optional().describe('From this ISO time.'),
      until: isoDateTime.optional().describe('Only before this time.'),
      kind: z
        .string()
        .refine((name) => kinds.some((kind) => kind === name), {
          error: `is none; the kinds are ${kinds.join(', ')}`,
        })
        .optional()
        .describe('E.g. image or api_key.'),
      action: z.string().min(1).max(100).optional().describe('Only by this tool.'),
      project: project.optional(),
      thing: z.string().min(1).max(300).optional().describe('Only about this id.'),
      who: z.string().min(1).max(300).optional().describe('Only by this credential.'),
      limit: z.int().min(1).max(limits.activityPageMax).optional().describe('Default 20.'),
      before: z.int().min(1).optional().describe('Only older than this id.'),
    }),
    answer: open({
      total: z.int().describe('Entries that fit, on all pages.'),
      next: z.int().optional().describe('As before, for the following page.'),
      entries: z.array(
        open({
          id: z.int(),
          time: z.string(),
          until: z.string().optional().describe('The last of several changes.'),
          who: z.string().nullable().describe('key:ID, token:SUBJECT, environment; null: Fovea.'),
          action: z.string().describe('The operation, or task:KIND.'),
          verb: z.string(),
          kind: z.string(),
          count: z.int(),
          thing_id: z.string().optional().describe('Of a single thing.'),
          names: z.array(z.string()).readonly(),
          images: z
            .array(open({ id: z.string(), name: z.string() }))
            .readonly()
            .optional()
            .describe('Changed or removed images: up to five, with limit 1 up to 1000.'),
          project: z.string().optional(),
          before: z.unknown().optional(),
          after: z.unknown().optional(),
        }),
      ),
    }),
    scope: 'workspace:read',
    effect: 'reads',
  }),
};
