// Training runs of a version.

import * as z from 'zod';
import { limits } from '../limits.ts';
import { closed, identifier, inVersion, open, openData } from './fields.ts';
import { operation } from './operation.ts';

const sole = identifier.optional().describe('Training id; default: the only training.');

export const trainings = {
  trainings_recipe: operation({
    id: 'trainings_recipe',
    toolset: 'trainings',
    method: 'GET',
    path: '/{workspace}/{project}/{version}/v2/trainings/recipe',
    summary: 'Hyperparameters and augmentation steps that a training may set.',
    pathParameters: inVersion,
    query: closed({
      modelType: z.string().min(1).optional().describe("Model type; default: the platform's."),
    }),
    answer: open({ schema: open({}).optional(), template: open({}).optional() }),
    scope: 'version:read',
    effect: 'reads',
  }),
  trainings_cancel: operation({
    id: 'trainings_cancel',
    toolset: 'trainings',
    method: 'POST',
    path: '/{workspace}/{project}/{version}/v2/trainings/cancel',
    alsoAt: [{ method: 'POST', path: '/{workspace}/{project}/{version}/train/cancel' }],
    summary: 'Cancel a queued training; its work is lost.',
    pathParameters: inVersion,
    body: open({
      trainingId: sole,
      continueIfNoRefund: z
        .boolean()
        .optional()
        .describe('Cancel even where credits are not refunded.'),
    }),
    answer: open({
      trainingId: z.string().optional(),
      status: z.string().optional(),
      refund: z.boolean().optional(),
    }),
    errors: [409],
    scope: 'training-job:create',
    effect: 'removes',
  }),
  trainings_stop: operation({
    id: 'trainings_stop',
    toolset: 'trainings',
    method: 'POST',
    path: '/{workspace}/{project}/{version}/v2/trainings/stop',
    alsoAt: [{ method: 'POST', path: '/{workspace}/{project}/{version}/train/stop' }],
    summary: 'Stop an active training early; the weights so far are kept.',
    pathParameters: inVersion,
    body: open({ trainingId: sole }),
    answer: open({ trainingId: z.string().optional(), status: z.string().optional() }),
    errors: [409],
    scope: 'training-job:create',
    effect: 'removes',
  }),
  trainings_delete: operation({
    id: 'trainings_delete',
    toolset: 'trainings',
    method: 'DELETE',
    path: '/{workspace}/{project}/{version}/v2/trainings/{trainingId}',
    summary: 'Move a training run to the trash.',
    pathParameters: closed({
      ...inVersion.shape,
      trainingId: identifier.describe('Id of the training.'),
    }),
    answer: open({ deleted: z.boolean().optional() }),
    errors: [409],
    scope: 'training-job:create',
    effect: 'removes',
    recoverable: true,
  }),
};

const figure = z.number().nullable().optional();

/** A training run and its progress. */
const Training = open({
  trainingId: z.string(),
  status: z.string().describe('queued, running, stopping, finished, stopped, cancelled or failed.'),
  modelType: z.string().optional(),
  epochs: figure.describe('Wanted.'),
  epoch: figure.describe('Done.'),
  progress: figure.describe('0 to 1.'),
  metrics: z.record(z.string(), z.number()).nullable().optional(),
  modelIds: z.array(z.string()).optional().describe('What deployment_set_model takes.'),
  error: z.string().optional(),
  log: z.string().optional().describe('The last words of a trainer that failed.'),
});

/** Not in the documented API, but on hosted platforms. */
export const trainingExtensions = {
  trainings_start: operation({
    id: 'trainings_start',
    toolset: 'trainings',
    method: 'POST',
    path: '/{workspace}/{project}/{version}/v2/trainings',
    alsoAt: [{ method: 'POST', path: '/{workspace}/{project}/{version}/train' }],
    idleQuery: { nocache: /^(true|false)$/ },
    summary: 'Train a model on a version, in the background.',
    pathParameters: inVersion,
    body: open({
      modelType: z.string().min(1).optional().describe("Model type; default: the platform's."),
      epochs: z
        .int()
        .min(1)
        .max(limits.epochsMax)
        .optional()
        .describe('Passes over the train images.'),
      checkpoint: z
        .string()
        .min(1)
        .max(limits.foreignIdCharactersMax)
        .optional()
        .describe('Model id to start from.'),
      trainRecipe: openData(limits.trainRecipeBytesMax)
        .optional()
        .describe('Hyperparameters, as in trainings_recipe.'),
    }),
    answer: open({
      trainingId: z.string(),
      status: z.string().optional(),
      jobId: z.string().optional(),
    }),
    errors: [409],
    scope: 'training-job:create',
    effect: 'adds',
    longRunning: true,
  }),
  trainings_list: operation({
    id: 'trainings_list',
    toolset: 'trainings',
    method: 'GET',
    path: '/{workspace}/{project}/{version}/v2/trainings',
    summary: 'The training runs of a version, newest first.',
    pathParameters: inVersion,
    answer: open({ trainings: z.array(Training) }),
    scope: 'version:read',
    effect: 'reads',
  }),
  trainings_get: operation({
    id: 'trainings_get',
    toolset: 'trainings',
    method: 'GET',
    path: '/{workspace}/{project}/{version}/v2/trainings/get',
    alsoAt: [{ method: 'GET', path: '/{workspace}/{project}/{version}/training/results' }],
    summary: 'A training run of a version, with its models.',
    pathParameters: inVersion,
    query: closed({ trainingId: sole }),
    answer: Training.extend({
      models: z.array(open({ modelId: z.string() })),
      history: z
        .array(open({ epoch: z.number(), metrics: z.record(z.string(), z.number()) }))
        .optional()
        .describe('What was reported after each epoch, the first first.'),
    }),
    errors: [409],
    scope: 'version:read',
    effect: 'reads',
  }),
};
