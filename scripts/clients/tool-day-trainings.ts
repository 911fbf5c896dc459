// Trainings of the day, and what their models see.

import { readFile } from 'node:fs/promises';
import { picture } from './day-folders.ts';
import { clip } from './day-platform.ts';
import type { ToolCalls } from './tool-calls.ts';
import { makeVersion } from './tool-day-projects.ts';

const where = { project: 'cells-object-detection', version: 1 };
const modelType = 'fovea-example';

const hasEnded = (status: string) => !['queued', 'running', 'stopping'].includes(status);

export async function train(calls: ToolCalls): Promise<void> {
  await calls.ok('trainings_recipe', { ...where, modelType });
  const first = await start(calls, 60, hasEnded);
  await infer(calls, { overlap: 0.3 });
  await seeVideos(calls, 1);
  const stopped = await start(calls, 300, (status) => status !== 'queued');
  await calls.ok('trainings_stop', { ...where, trainingId: stopped, confirm: confirmed });
  await calls.untilTraining(where, stopped, hasEnded);
  const cancelled = await start(calls, 300, () => true);
  await calls.ok('trainings_cancel', { ...where, trainingId: cancelled, confirm: confirmed });
  await start(calls, 3, hasEnded);
  const resize = { width: 640, height: 640, format: 'Stretch to' };
  const plain = { preprocessing: { 'auto-orient': true, resize }, augmentation: {} };
  await makeVersion(calls, where.project, [], plain);
  await infer(calls, { overlap: 0.3 });
  await seeVideos(calls, 1);
  await infer(calls, {});
  await infer(calls, { version: first, overlap: 0.3 });
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

/** What the client sends as overlap: 30 percent by most methods, 50 by its command line. */
interface Seen {
  readonly version?: unknown;
  readonly overlap?: number;
}

async function infer(calls: ToolCalls, seen: Seen): Promise<void> {
  await calls.ok('inference_run', {
    project: where.project,
    version: String(where.version),
    file: picture(0),
    confidence: 0.05,
    ...seen,
  });
}

/** Two jobs for the same video. */
async function seeVideos(calls: ToolCalls, infer_fps: number): Promise<void> {
  for (const _job of ['first', 'second']) {
    const file_name = 'clip.webm';
    const { signed_url } = await calls.ok('video_upload_url_create', { file_name });
    const body = new Uint8Array(await readFile(clip));
    const { ok, status } = await fetch(String(signed_url), { method: 'PUT', body });
    if (!ok) throw new Error(`the upload of a video: ${status}`);
    const model = { model_id: where.project, model_version: String(where.version) };
    const { job_id: taskId } = await calls.ok('video_inference_start', {
      input_url: signed_url,
      infer_fps,
      models: [{ ...model, inference_type: 'object-detection' }],
    });
    // Its model is in the trash for a moment at the end of the day.
    await calls.wait({ taskId });
  }
}

/** What the day does by the command line. */
export async function trainByCommand(calls: ToolCalls): Promise<void> {
  await infer(calls, { overlap: 0.5 });
  await infer(calls, { overlap: 0.5 });
  await calls.ok('trainings_recipe', { ...where, modelType });
  const trainingId = await start(calls, 300, () => true);
  await calls.ok('trainings_cancel', { ...where, trainingId, confirm: confirmed });
  await seeVideos(calls, 5);
}
