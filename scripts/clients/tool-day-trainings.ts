// Trainings of the day, and what their models see.

import { picture } from './day-folders.ts';
import type { ToolCalls } from './tool-calls.ts';
import { makeVersion } from './tool-day-projects.ts';

const where = { project: 'cells-object-detection', version: 1 };
const modelType = 'fovea-example';

const hasEnded = (status: string) => !['queued', 'running', 'stopping'].includes(status);

export async function train(calls: ToolCalls): Promise<void> {
  await calls.ok('trainings_recipe', { ...where, modelType });
  await start(calls, 60, hasEnded);
  await infer(calls, 0.3);
  const stopped = await start(calls, 300, (status) => status !== 'queued');
  await calls.ok('trainings_stop', { ...where, trainingId: stopped, confirm: confirmed });
  await calls.untilTraining(where, stopped, hasEnded);
  const cancelled = await start(calls, 300, () => true);
  await calls.ok('trainings_cancel', { ...where, trainingId: cancelled, confirm: confirmed });
  await start(calls, 3, hasEnded);
  const { project } = where;
  const resize = { width: 640, height: 640, format: 'Stretch to' };
  const plain = { preprocessing: { 'auto-orient': true, resize }, augmentation: {} };
  const version = await makeVersion(calls, project, [], plain);
  const { trainingId } = await calls.ok('trainings_start', {
    project,
    version,
    accept_cost: true,
  });
  await calls.untilTraining({ project, version }, trainingId, hasEnded);
  await infer(calls, 0.3);
}

const confirmed = `${where.project}/${where.version}`;

async function start(calls: ToolCalls, epochs: number, holds: (status: string) => boolean) {
  const { trainingId } = await calls.ok('trainings_start', {
    ...where,
    modelType,
    epochs,
    accept_cost: true,
  });
  await calls.untilTraining(where, trainingId, holds);
  return trainingId;
}

/** The methods of the client always send an overlap of 30 percent, its command line of 50. */
async function infer(calls: ToolCalls, overlap: number): Promise<void> {
  await calls.ok('inference_run', {
    project: where.project,
    version: String(where.version),
    file: picture(0),
    confidence: 0.05,
    overlap,
  });
}

/** What the day does by the command line. */
export async function trainByCommand(calls: ToolCalls): Promise<void> {
  await infer(calls, 0.5);
  await infer(calls, 0.5);
  await calls.ok('trainings_recipe', { ...where, modelType });
  const trainingId = await start(calls, 300, () => true);
  await calls.ok('trainings_cancel', { ...where, trainingId, confirm: confirmed });
}
