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
  samplingRate: setting(share),
  perMinute: setting(images),
  perHour: setting(images),
  perDay: setting(images),
  // Longer side in pixels.
  maxImageSize: setting(z.int().min(32).max(16_400)),
  // JPEG quality, at most 100.
  jpegCompression: setting(z.int().min(1).max(100)),
  batchRecreation: setting(z.enum(['never', 'daily', 'weekly', 'monthly'])),
  // Detections become labels, for a person to correct.
  persistPredictions: setting(z.boolean()),
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
  collectionLimits: collectionLimits.optional(),
  filters: collectionFilters.optional(),
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
        modelId: z.string().min(1).optional(),
        classes: z.array(z.string().min(1)).optional(),
      }).describe('modelId for model_id; classes for sam3 and clip.'),
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
      collectionLimits: open({}).optional().describe('{samplingRate, perDay, …}; left out stays.'),
      filters: z
        .array(open({}))
        .optional()
        .describe('{type: classConfidence | detectionSize | detectionCount, min, max}.'),
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
      page: z.int().min(1).optional().describe('Default 1.'),
      pageSize: z.int().min(1).max(50).optional().describe('Per page.'),
      search: z.string().min(1).optional().describe('Words.'),
      status: z.enum(['all', 'not_started', 'in_progress']).optional().describe('Review.'),
      sortBy: z.enum(['created', 'images', 'progress']).optional().describe('Order.'),
      sortDirection: z.enum(['asc', 'desc']).optional().describe('Direction.'),
      reviewer: z.string().min(1).optional().describe('Email or "unassigned".'),
    }),
    answer: open({}),
    scope: 'image:read',
    effect: 'reads',
  }),
};
