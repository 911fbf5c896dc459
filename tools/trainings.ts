// Tools of the trainings toolset.

import type { Answer } from '../src/contract/operation.ts';
import { trainingExtensions, trainings } from '../src/contract/trainings.ts';
import { fromOperation } from '../src/mcp/operation-tool.ts';
import type { Tool } from '../src/mcp/tool.ts';
import { confirmTrainingCost, confirmTrainingEnd } from './confirmation-prompts.ts';
import { taskWork, waitForTask } from './follow-up-calls.ts';
import { count, lastPart, quoted, tally } from './format.ts';

const confirmation = {
  description: 'Repeat project/version, e.g. cells/3.',
  expected: ({ project, version }: { project: string; version: number }) =>
    `${lastPart(project)}/${version}`,
};

type Run = Answer<typeof trainingExtensions.trainings_list>['trainings'][number];

export const trainingTools: readonly Tool[] = [
  fromOperation(trainingExtensions.trainings_start, {
    title: 'Start training',
    description:
      'Trains a model on a version, in the background. trainings_list shows progress, metrics and errors; inference_run then uses the model. A hosted platform charges for it.',
    cost: confirmTrainingCost,
    summarize: ({ trainingId }, { version, project }) =>
      `Training ${quoted(trainingId)} of version ${version} of ${quoted(project)} is queued.`,
    next: ({ jobId }, { workspace }) =>
      jobId === undefined ? [] : [waitForTask(workspace, jobId)],
    work: ({ jobId }, { workspace }) =>
      jobId === undefined ? undefined : taskWork(workspace, jobId),
  }),
  fromOperation(trainingExtensions.trainings_list, {
    title: 'List trainings',
    description:
      'Lists the trainings of a version: status, epochs, metrics, model ids and errors. models_list has the models of all versions.',
    summarize: ({ trainings: runs }) =>
      runs.length === 0
        ? 'No training yet.'
        : `${count(runs.length, 'training')}: ${tally(byStatus(runs.map(({ status }) => status)))}.` +
          runs.map(timeLeft).join(''),
  }),
  fromOperation(trainings.trainings_recipe, {
    title: 'Get training recipe',
    description:
      'Tells which hyperparameters trainRecipe of trainings_start may set, as a JSON Schema with a template.',
    summarize: (_answer, { project, version }) =>
      `Training recipe for version ${version} of ${quoted(project)}.`,
  }),
  fromOperation(trainings.trainings_cancel, {
    title: 'Cancel training',
    description:
      'Cancels a training; its work is lost. To keep the weights so far use trainings_stop. Cannot be undone.',
    confirmation: {
      ...confirmation,
      prompt: (input, context) => confirmTrainingEnd('Cancel', input, context),
    },
    summarize: ({ refund }, { continueIfNoRefund }) =>
      refund === false && continueIfNoRefund !== true
        ? 'Not cancelled: there is no refund.'
        : 'Cancelled the training.',
  }),
  fromOperation(trainings.trainings_stop, {
    title: 'Stop training early',
    description:
      'Ends a training early and keeps the weights so far as its model. To give it up use trainings_cancel. Cannot be undone.',
    confirmation: {
      ...confirmation,
      prompt: (input, context) => confirmTrainingEnd('Stop', input, context),
    },
    summarize: () => 'The training is stopping; trainings_list says what became of it.',
  }),
  fromOperation(trainings.trainings_delete, {
    title: 'Delete training',
    description:
      'Moves a training that has ended to the trash for 30 days. trash_restore undoes it.',
    summarize: (_answer, { trainingId }) => `Training ${quoted(trainingId)} is in the trash.`,
    next: (_answer, { workspace }) => [
      { tool: 'trash_list', arguments: { workspace }, why: 'Has the id to restore it.' },
    ],
  }),
];

/** Trainers say how long they will take: people want to know before they wait. */
function timeLeft({ trainingId, status, epoch, epochs, metrics }: Run): string {
  const seconds = metrics?.seconds_left;
  if (status !== 'running' || seconds === undefined || seconds <= 0) return '';
  const left = count(Math.max(1, Math.round(seconds / 60)), 'minute');
  const done = `${epoch ?? 0} of ${count(epochs ?? 0, 'epoch')}`;
  return ` ${quoted(trainingId)} has done ${done}, about ${left} left, where it does not end early.`;
}

function byStatus(statuses: readonly string[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const status of statuses) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}
