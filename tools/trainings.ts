// Tools of the trainings family.

import { trainings } from '../src/contract/trainings.ts';
import { fromOperation, type Tool } from '../src/mcp/tool.ts';
import { lastPart, quoted } from './words.ts';

const confirmation = {
  description: 'Repeat "project/version".',
  expected: ({ project, version }: { project: string; version: number }) =>
    `${lastPart(project)}/${version}`,
};

export const trainingTools: readonly Tool[] = [
  fromOperation(trainings.trainings_recipe, {
    title: 'Get training recipe',
    description: 'Hyperparameters and augmentation that a training may set.',
    summarize: (_answer, { project, version }) =>
      `Training recipe for version ${version} of ${quoted(project)}.`,
  }),
  fromOperation(trainings.trainings_cancel, {
    title: 'Cancel training',
    description: 'Gives up a queued training. Cannot be undone.',
    confirmation,
    summarize: ({ refund }, { continueIfNoRefund }) =>
      refund === false && continueIfNoRefund !== true
        ? 'Not cancelled: there is no refund.'
        : 'Cancelled the training.',
  }),
  fromOperation(trainings.trainings_stop, {
    title: 'Stop training early',
    description: 'Ends a training and keeps its weights. Cannot be undone.',
    confirmation,
    summarize: () => 'Stopped the training; its weights so far are kept.',
  }),
  fromOperation(trainings.trainings_delete, {
    title: 'Delete training',
    description: 'Moves a training run to the trash for 30 days.',
    summarize: (_answer, { trainingId }) => `Training ${quoted(trainingId)} is in the trash.`,
    next: (_answer, { workspace }) => [
      { tool: 'trash_list', arguments: { workspace }, why: 'Has the id to restore it.' },
    ],
  }),
];
