// The deployment of a project: its model, and Active Learning.

import * as z from 'zod';
import { limits } from '../limits.ts';
import { closed, inProject, open, text } from './fields.ts';
import { operation } from './operation.ts';

const Settings = open({
  enabled: z.boolean().optional(),
  collectionLimits: open({}).optional(),
  filters: z.array(open({})).optional(),
});

const share = z.number().min(0).max(1);
const images = z.int().min(1).max(1_000_000);

/** Left out: unchanged; null: reset to the default. */
const setting = <S extends z.ZodType>(schema: S) => schema.nullable().optional();

/** `collectionLimits`; the API does not document its members. */
const collectionLimits = closed({
  samplingRate: setting(share).describe('Share of the images that is kept.'),
  perMinute: setting(images).describe('Most images in a minute.'),
  perHour: setting(images),
  perDay: setting(images),
  maxImageSize: setting(z.int().min(32).max(16_400)).describe('Longer side in pixels.'),
  jpegCompression: setting(z.int().min(1).max(100)).describe('JPEG quality, to 100.'),
  batchRecreation: setting(z.enum(['never', 'daily', 'weekly', 'monthly'])).describe(
    'How often a new batch begins.',
  ),
  persistPredictions: setting(z.boolean()).describe(
    'Detections become labels, for a person to correct.',
  ),
});

/** `filters`: all of them must match; each needs a bound. */
const collectionFilters = z
  .array(
    z.union([
      closed({
        type: z.literal('classConfidence'),
        classes: z.array(text.min(1).max(limits.labelCharactersMax)).min(1).max(100).optional(),
        min: share.optional(),
        max: share.optional(),
      }),
      closed({ type: z.literal('detectionSize'), min: share.optional(), max: share.optional() }),
      closed({
        type: z.literal('detectionCount'),
        min: z.int().min(0).optional(),
        max: z.int().min(0).optional(),
      }),
    ]),
  )
  .max(20);

/** The Active Learning settings that the embedded platform accepts. */
export const learningConfiguration = closed({
  collectionLimits: collectionLimits.optional().describe('How much is collected.'),
  filters: collectionFilters.optional().describe('What an image must have; all must match.'),
});

export type LearningConfiguration = z.output<typeof learningConfiguration>;

export const deployment = {
  deployment_get: operation({
    id: 'deployment_get',
    toolset: 'deployment',
    method: 'GET',
    path: '/{workspace}/{project}/deploy',
    summary: 'What is deployed for a project.',
    pathParameters: inProject,
    answer: open({
      model: open({}).nullable().optional(),
      workflow: open({}).nullable().optional(),
    }),
    scope: 'project:read',
    effect: 'reads',
  }),
  deployment_set_model: operation({
    id: 'deployment_set_model',
    toolset: 'deployment',
    method: 'POST',
    path: '/{workspace}/{project}/deploy/model',
    summary: 'Choose the deployed model of a project.',
    pathParameters: inProject,
    body: open({
      model: open({
        type: z.enum(['model_id', 'sam3', 'clip']),
        modelId: z.string().min(1).optional().describe('For model_id, e.g. cells/3.'),
        classes: z.array(z.string().min(1)).optional().describe('For sam3 and clip.'),
      }).describe('A trained model (model_id), or a model that needs no training.'),
    }),
    answer: open({}),
    scope: 'model:deploy',
    effect: 'changes',
  }),
  active_learning_get: operation({
    id: 'active_learning_get',
    toolset: 'deployment',
    method: 'GET',
    path: '/{workspace}/{project}/deploy/active-learning',
    summary: 'Active Learning settings of a project.',
    pathParameters: inProject,
    answer: Settings,
    scope: 'project:read',
    effect: 'reads',
  }),
  active_learning_enable: operation({
    id: 'active_learning_enable',
    toolset: 'deployment',
    method: 'POST',
    path: '/{workspace}/{project}/deploy/active-learning/enable',
    summary: 'Start to collect images of the deployed model.',
    pathParameters: inProject,
    body: open({}),
    answer: Settings,
    scope: 'project:update',
    effect: 'changes',
  }),
  active_learning_disable: operation({
    id: 'active_learning_disable',
    toolset: 'deployment',
    method: 'POST',
    path: '/{workspace}/{project}/deploy/active-learning/disable',
    summary: 'Stop to collect images of the deployed model.',
    pathParameters: inProject,
    body: open({}),
    answer: Settings,
    scope: 'project:update',
    effect: 'changes',
  }),
  active_learning_configure: operation({
    id: 'active_learning_configure',
    toolset: 'deployment',
    method: 'POST',
    path: '/{workspace}/{project}/deploy/active-learning/configuration',
    summary: 'Change which images Active Learning collects.',
    pathParameters: inProject,
    body: open({
      collectionLimits: open({}).optional().describe('How much is collected.'),
      filters: z.array(open({})).optional().describe('What an image must have; all must match.'),
    }),
    answer: Settings,
    scope: 'project:update',
    effect: 'changes',
  }),
  active_learning_images: operation({
    id: 'active_learning_images',
    toolset: 'deployment',
    method: 'GET',
    path: '/{workspace}/{project}/deploy/active-learning/images',
    summary: 'Images that Active Learning collected.',
    pathParameters: inProject,
    query: closed({
      page: z.int().min(1).optional().describe('Which page, from 1.'),
      pageSize: z.int().min(1).max(50).optional().describe('Rows per page.'),
      search: z.string().min(1).optional().describe('Words of the name.'),
      status: z
        .enum(['all', 'not_started', 'in_progress'])
        .optional()
        .describe('How far the review is.'),
      sortBy: z
        .enum(['created', 'images', 'progress'])
        .optional()
        .describe('What the rows are sorted by.'),
      sortDirection: z.enum(['asc', 'desc']).optional().describe('Order of the rows.'),
      reviewer: z.string().min(1).optional().describe('Email of the reviewer, or "unassigned".'),
    }),
    answer: open({}),
    scope: 'image:read',
    effect: 'reads',
  }),
};
