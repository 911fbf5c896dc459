// Training runs of a version.

import * as z from 'zod';
import { closed, inVersion, open } from './fields.ts';
import { operation } from './operation.ts';

const sole = z.string().min(1).optional().describe('Training id; left out: the only run.');

export const trainings = {
  trainings_recipe: operation({
    id: 'trainings_recipe',
    family: 'trainings',
    method: 'GET',
    path: '/{workspace}/{project}/{version}/v2/trainings/recipe',
    summary: 'Hyperparameters and augmentation steps that a training may set.',
    pathParameters: inVersion,
    query: closed({
      modelType: z.string().min(1).optional().describe('e.g. rfdetr-small; hosted: required.'),
    }),
    answer: open({ schema: open({}).optional(), template: open({}).optional() }),
    scope: 'version:read',
    effect: 'reads',
  }),
  trainings_cancel: operation({
    id: 'trainings_cancel',
    family: 'trainings',
    method: 'POST',
    path: '/{workspace}/{project}/{version}/v2/trainings/cancel',
    summary: 'Cancel a queued training; its work is lost.',
    pathParameters: inVersion,
    body: open({
      trainingId: sole,
      continueIfNoRefund: z.boolean().optional().describe('Cancel even without a refund.'),
    }),
    answer: open({ refund: z.boolean().optional() }),
    errors: [409],
    scope: 'training-job:create',
    effect: 'removes',
  }),
  trainings_stop: operation({
    id: 'trainings_stop',
    family: 'trainings',
    method: 'POST',
    path: '/{workspace}/{project}/{version}/v2/trainings/stop',
    summary: 'Stop an active training early; the weights so far are kept.',
    pathParameters: inVersion,
    body: open({ trainingId: sole }),
    answer: open({}),
    errors: [409],
    scope: 'training-job:create',
    effect: 'removes',
  }),
  trainings_delete: operation({
    id: 'trainings_delete',
    family: 'trainings',
    method: 'DELETE',
    path: '/{workspace}/{project}/{version}/v2/trainings/{trainingId}',
    summary: 'Move a training run to the trash.',
    pathParameters: closed({
      ...inVersion.shape,
      trainingId: z.string().min(1).describe('Training id.'),
    }),
    answer: open({ deleted: z.boolean().optional() }),
    scope: 'training-job:create',
    effect: 'removes',
    recoverable: true,
  }),
};
