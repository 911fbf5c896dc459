// Runs models over the frames of a video.

import { createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { FoveaError, notFound } from '../../errors.ts';
import { limits } from '../../limits.ts';
import { detectInFrames } from '../../model-inference/detect-in-frames.ts';
import type { Labelled, Labeller } from '../../model-inference/detection-models.ts';
import { givenByTask } from '../../model-inference/model-layout.ts';
import type { Claim } from '../../storage/task-queue.ts';
import { framesOf, probeVideo } from '../../video-frames/ffmpeg.ts';
import { counted, type DiskReservation, type DiskReservations } from '../disk-reservations.ts';
import type { NewInference } from '../store/inferences.ts';
import type { VideoJob, VideoModel } from '../store/video-jobs.ts';
import { chooseFrames, type FrameChoice } from '../video/frame-choice.ts';
import { openVideoResult, type VideoResult } from '../video/video-result.ts';
import { drawVideoSheet } from '../video/video-sheet.ts';
import { type BackgroundTask, payloadText, type TaskDependencies } from './background-task.ts';
import { throttleProgress } from './process-items.ts';

/**
 * Runs all models over all frames, and keeps what they saw as one file. An attempt that starts over
 * runs all of it again: what it records has the same ids, and counts once.
 */
export const runVideoInference: BackgroundTask = async (dependencies, claim, signal) => {
  const job = await dependencies.store.videoJobs.find(payloadText(claim, 'workspaceId'), claim.id);
  if (!job) throw notFound('video job', claim.id);
  const models = await resolveModels(dependencies, job);
  return dependencies.temporaryFiles.withFile(async (folder) => {
    await mkdir(folder, { mode: 0o700 });
    const path = join(folder, 'video');
    await bringVideo(dependencies, job, path, signal);
    const result = await openVideoResult(join(folder, 'result'), models);
    try {
      return await runFrames(dependencies, claim, { job, models, path, result, signal });
    } finally {
      await result.close();
    }
  });
};

interface RunningModel extends VideoModel {
  readonly labeller: Labeller;
  readonly classes: readonly string[];
}

async function resolveModels(
  { models }: TaskDependencies,
  { workspaceId, settings }: VideoJob,
): Promise<readonly RunningModel[]> {
  const resolved: RunningModel[] = [];
  for (const model of settings.models) {
    if (model.inferenceType !== 'object-detection') {
      const message = `Models of the type ${model.inferenceType} are not run here.`;
      throw new FoveaError('invalid_input', message, { hint: 'Choose object-detection.' });
    }
    const labeller = await models.resolve(workspaceId, model.modelId);
    if (labeller.task === 'classification' || labeller.task === 'semantic') {
      const message = `The model ${model.modelId} gives ${givenByTask[labeller.task]}, and no boxes.`;
      throw new FoveaError('invalid_input', message, { hint: 'Choose a detection model.' });
    }
    resolved.push({ ...model, labeller, classes: labeller.classes });
  }
  return resolved;
}

async function bringVideo(
  { store, uploads, fetchVideo }: TaskDependencies,
  { input }: VideoJob,
  path: string,
  signal: AbortSignal,
): Promise<void> {
  if (input.kind === 'url') {
    return within(uploads.diskReservations, undefined, (wrote) =>
      fetchVideo(input.url, path, signal, wrote),
    );
  }
  const upload = await store.uploads.find(input.uploadId);
  if (upload?.file === undefined) {
    throw new FoveaError('not_found', 'The uploaded video is not there any more.');
  }
  const content = await uploads.received.open(upload.file);
  await within(uploads.diskReservations, upload.bytes, (wrote) => {
    const target = createWriteStream(path, { flags: 'wx', mode: 0o600 });
    return pipeline(counted(content, wrote), target, { signal });
  });
}

/** A video in the folder of its job takes its size a second time. */
async function within(
  diskReservations: DiskReservations,
  bytes: number | undefined,
  write: (wrote: DiskReservation['wrote']) => Promise<void>,
): Promise<void> {
  const reservation = await diskReservations.reserve(bytes);
  try {
    await write(reservation.wrote);
  } finally {
    reservation.release();
  }
}

interface Run {
  readonly job: VideoJob;
  readonly models: readonly RunningModel[];
  readonly path: string;
  readonly result: VideoResult;
  readonly signal: AbortSignal;
}

async function runFrames(dependencies: TaskDependencies, claim: Claim, run: Run) {
  const { job, path, result, signal } = run;
  const options = { environment: dependencies.environment, signal };
  const facts = await probeVideo(path, options);
  const wanted = job.settings.framesPerSecond;
  const framesPerSecond = Math.min(wanted, facts.framesPerSecond);
  const expected = Math.max(1, Math.round(facts.seconds * framesPerSecond));
  if (expected > limits.videoFramesMax) {
    const figures = `${expected} frames at ${wanted} per second; at most ${limits.videoFramesMax}`;
    throw new FoveaError('invalid_input', `The video has ${figures} are run.`);
  }
  const report = throttleProgress((done, total) => claim.progress(done, total));
  await claim.progress(0, expected);
  const record = createRecords(dependencies, claim, run);
  const choice = chooseFrames();
  let done = 0;
  const frames = framesOf(path, framesPerSecond, options);
  for await (const { frame, seen } of detectInFrames(frames, run.models, signal)) {
    const seconds = done / framesPerSecond;
    await choice.offer(frame, { seconds, seen });
    await result.add({ offset: Math.round(seconds * facts.framesPerSecond), seconds }, seen);
    await record.add(done, seen);
    done += 1;
    if (done < expected) await report({ done, total: expected });
  }
  await record.flush();
  return finish(dependencies, claim, { run, choice, framesPerSecond, frames: done });
}

/** Records of what was seen, some at a time: each write is a commit on the disk. */
function createRecords({ store, clock }: TaskDependencies, claim: Claim, { job, models }: Run) {
  let waiting: NewInference[] = [];
  const flush = async () => {
    if (waiting.length > 0) await store.inferences.add(waiting, claim.fenced);
    waiting = [];
  };
  return {
    flush,
    add: async (frame: number, seen: readonly Labelled[]) => {
      for (const [index, { modelId }] of models.entries()) {
        const { detections = [], ms } = seen[index] ?? {};
        waiting.push({
          id: `${job.id}-${index}-${frame}`,
          workspaceId: job.workspaceId,
          projectId: undefined,
          modelName: modelId,
          source: 'video',
          created: clock.now(),
          responseMs: ms,
          error: undefined,
          seen: detections.map(({ label, confidence }) => ({ class: label, confidence })),
        });
      }
      if (waiting.length >= recordsAtOnce) await flush();
    },
  };
}

const recordsAtOnce = 100;

interface Ended {
  readonly run: Run;
  readonly choice: FrameChoice;
  readonly framesPerSecond: number;
  readonly frames: number;
}

/** The result and the end of the work are one transaction. */
async function finish({ store, blobs }: TaskDependencies, claim: Claim, ended: Ended) {
  const { run, choice, framesPerSecond, frames } = ended;
  if (frames === 0) throw new FoveaError('invalid_input', 'The video has no frame to be read.');
  const { hash, bytes } = await blobs.put(run.result.pieces(framesPerSecond));
  const sheet = await drawVideoSheet(choice.chosen(), { frames, models: run.models });
  const { hash: sheetHash } = await blobs.put(sheet);
  const result = { frames, fps: framesPerSecond, models: run.models.map(({ modelId }) => modelId) };
  await store.videoJobs.finish(claim.id, { hash, bytes, sheetHash }, (writes) =>
    claim.fenced(async () => {
      const written = await writes();
      await claim.progress(frames, frames);
      await claim.complete(result);
      return written;
    }),
  );
  return result;
}
