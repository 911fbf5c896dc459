// The deployment of a project: its model, and Active Learning.

import * as z from 'zod';
import { closed, inProject, open } from './fields.ts';
import { operation } from './operation.ts';

const Settings = open({});

export const deployment = {
  deployment_get: operation({
    id: 'deployment_get',
    family: 'deployment',
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
    family: 'deployment',
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
    family: 'deployment',
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
    family: 'deployment',
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
    family: 'deployment',
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
    family: 'deployment',
    method: 'POST',
    path: '/{workspace}/{project}/deploy/active-learning/configuration',
    summary: 'Change which images Active Learning collects.',
    pathParameters: inProject,
    body: open({
      collectionLimits: open({}).optional().describe('How much to collect; left out stays.'),
      filters: z
        .array(open({}))
        .optional()
        .describe('Conditions of type classConfidence or detectionSize.'),
    }),
    answer: Settings,
    scope: 'project:update',
    effect: 'changes',
  }),
  active_learning_images: operation({
    id: 'active_learning_images',
    family: 'deployment',
    method: 'GET',
    path: '/{workspace}/{project}/deploy/active-learning/images',
    summary: 'Images that Active Learning collected.',
    pathParameters: inProject,
    query: closed({
      page: z.int().min(1).optional().describe('Default 1.'),
      pageSize: z.int().min(1).max(50).optional().describe('Per page.'),
      search: z.string().min(1).optional().describe('Words.'),
      status: z
        .enum(['all', 'not_started', 'in_progress'])
        .optional()
        .describe('State of the review.'),
      sortBy: z.enum(['created', 'images', 'progress']).optional().describe('Order.'),
      sortDirection: z.enum(['asc', 'desc']).optional().describe('Direction.'),
      reviewer: z.string().min(1).optional().describe('Email or "unassigned".'),
    }),
    answer: open({}),
    scope: 'image:read',
    effect: 'reads',
  }),
};
