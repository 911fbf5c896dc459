// video_frames_upload: frames of a video of this machine, or of a device event, become images of a
// project, in their order.

import { join } from 'node:path';
import * as z from 'zod';
import { identifier, project, tagName } from '../../src/contract/fields.ts';
import { images } from '../../src/contract/images.ts';
import { environmentOfOthers } from '../../src/environment.ts';
import { asFoveaError, type FoveaError, invalidArgument } from '../../src/errors.ts';
import { limits } from '../../src/limits.ts';
import {
  isOwnPlatform,
  type NextCall,
  type ToolContext,
  type ToolResult,
} from '../../src/mcp/tool.ts';
import { framesOf, probeVideo } from '../../src/video-frames/ffmpeg.ts';
import { count, quoted } from '../format.ts';
import { withScratchFolder } from '../scratch-folder.ts';
import { bringEventVideo } from './event-video.ts';
import { type LocalVideo, videoOfFile } from './local-video.ts';

const { images_upload: operation } = images;

export const framesInput = z.strictObject({
  project,
  file: z.string().min(1).optional().describe('Path of a local video.'),
  event_id: identifier.optional().describe('Or: an event with video.'),
  file_id: identifier.optional().describe('Which of its videos.'),
  frames_per_second: z.number().gt(0).max(120).optional().describe('Default 1.'),
  batch: operation.query.shape.batch.describe('Their batch; default: its name.'),
  split: operation.query.shape.split.describe('Split of new frames; default train.'),
  tags: z.array(tagName).optional().describe('Tags that all frames get.'),
  offset: z.int().min(0).optional().describe('Frames to skip, if continued.'),
});

type FramesInput = z.output<typeof framesInput>;

export async function uploadFrames(input: FramesInput, context: ToolContext): Promise<ToolResult> {
  const { file, event_id: eventId, file_id: fileId } = input;
  if ((file === undefined) === (eventId === undefined)) {
    throw invalidArgument('file', 'give either file or event_id');
  }
  if (fileId !== undefined && eventId === undefined) {
    throw invalidArgument('file_id', 'goes with event_id');
  }
  return withScratchFolder(context, async (folder) => {
    const video =
      eventId === undefined
        ? await videoOfFile(file ?? '', context)
        : await bringEventVideo({ eventId, fileId }, join(folder, 'video'), context);
    return sendFrames(input, video, context);
  });
}

interface Plan {
  readonly input: FramesInput;
  readonly video: LocalVideo;
  readonly batch: string;
  readonly perSecond: number;
  /** Frames that the whole video gives, or one more or less. */
  readonly expected: number;
}

async function sendFrames(
  input: FramesInput,
  video: LocalVideo,
  context: ToolContext,
): Promise<ToolResult> {
  const { signal } = context;
  const environment = environmentOfOthers();
  const facts = await probeVideo(video.path, { environment, signal });
  const { frames_per_second: wanted = 1, offset = 0, batch = video.name } = input;
  const perSecond = Math.min(wanted, facts.framesPerSecond);
  const expected = Math.max(1, Math.round(facts.seconds * perSecond));
  if (expected > limits.uploadedFramesMax) {
    const most = `at most ${limits.uploadedFramesMax} of a video become images`;
    throw invalidArgument('frames_per_second', `gives ${expected} frames; ${most}`);
  }
  const plan = { input, video, batch, perSecond, expected };
  const frames = framesOf(video.path, perSecond, { environment, signal });
  const report = await sendAll(frames, plan, context);
  if (report.sent.length === 0) {
    throw report.stoppedBy ?? invalidArgument('offset', 'must be less than the number of frames');
  }
  return resultOf(plan, report, offset + report.sent.length, context);
}

interface Report {
  readonly sent: readonly SentFrame[];
  /** Frames are left: the time was over, or the platform took no more. */
  readonly isCut: boolean;
  readonly stoppedBy?: FoveaError;
}

/** In their order, several at once. What is left after a failure begins with what failed. */
async function sendAll(
  frames: AsyncIterable<Buffer>,
  plan: Plan,
  context: ToolContext,
): Promise<Report> {
  const { clock, settings, progress, signal } = context;
  const end = clock.monotonic() + limits.toolWaitMsMax;
  const isEmbedded = settings.baseUrl === undefined;
  const size = isEmbedded ? limits.embeddedUploadConcurrency : limits.uploadConcurrency;
  const { offset = 0 } = plan.input;
  const sent: SentFrame[] = [];
  for await (const group of inGroups(frames, offset, size)) {
    if (clock.monotonic() >= end) return { sent, isCut: true };
    const outcomes = await Promise.allSettled(group.map((one) => sendFrame(one, plan, context)));
    for (const outcome of outcomes) {
      if (outcome.status === 'fulfilled') sent.push(outcome.value);
      else {
        signal.throwIfAborted();
        return { sent, isCut: true, stoppedBy: asFoveaError(outcome.reason) };
      }
    }
    progress(offset + sent.length, plan.expected, 'Frames are in the project');
  }
  return { sent, isCut: false };
}

interface Frame {
  /** From 0, in the video. */
  readonly number: number;
  readonly content: Buffer;
}

async function* inGroups(
  frames: AsyncIterable<Buffer>,
  from: number,
  size: number,
): AsyncGenerator<readonly Frame[]> {
  let number = 0;
  let group: Frame[] = [];
  for await (const content of frames) {
    if (number >= from) group.push({ number, content });
    number += 1;
    if (group.length < size) continue;
    yield group;
    group = [];
  }
  if (group.length > 0) yield group;
}

interface SentFrame {
  readonly id: string;
  /** `other`: an image of another name has the same bytes, and stands for it. */
  readonly kind: 'new' | 'there' | 'other';
}

async function sendFrame(
  { number, content }: Frame,
  { input, video, batch, perSecond }: Plan,
  { client, signal }: ToolContext,
): Promise<SentFrame> {
  const name = `${video.name}-${String(number).padStart(numberDigits, '0')}.jpg`;
  const seconds = Number((number / perSecond).toFixed(3));
  const { body } = await client.call(
    operation,
    {
      project: input.project,
      name,
      batch,
      split: input.split,
      tag: input.tags && [...input.tags],
      sequence_number: number,
      file: { name, content },
      metadata: JSON.stringify({ ...video.metadata, seconds }),
    },
    { signal },
  );
  if (body.duplicate !== true) return { id: body.id, kind: 'new' };
  return { id: body.id, kind: body.name === name || body.name === undefined ? 'there' : 'other' };
}

/** Names of frames sort as they follow each other. */
const numberDigits = 5;

function resultOf(
  { input, video, batch, perSecond, expected }: Plan,
  { sent, isCut, stoppedBy }: Report,
  offset: number,
  { settings }: ToolContext,
): ToolResult {
  const figure = (kind: SentFrame['kind']) => sent.filter((one) => one.kind === kind).length;
  const [uploaded, duplicates, equal] = [figure('new'), figure('there'), figure('other')];
  const words = [
    `Uploaded ${count(uploaded, 'frame')} of ${quoted(video.name)}, ${perSecond} a second`,
    ...(duplicates > 0 ? [`${duplicates} there already`] : []),
    ...(equal > 0 ? [`${equal} equal to another image, which stands for them`] : []),
  ];
  const left = Math.max(1, expected - offset);
  const rest = isCut ? ` Some ${left} remain.` : '';
  const why = stoppedBy === undefined ? '' : ` Stopped: ${stoppedBy.message}`;
  return {
    summary: `${words.join(', ')}.${rest}${why}`,
    data: {
      uploaded,
      duplicates,
      equal,
      batch,
      framesPerSecond: perSecond,
      ...(isCut && { offset }),
      ...(stoppedBy && { stoppedBy: stoppedBy.message }),
      ...(sent.length <= limits.uploadIdsShownMax && { images: sent.map(({ id }) => id) }),
    },
    next: nextOf(input, { batch, isCut, offset, isThere: uploaded + duplicates > 0 }, settings),
  };
}

interface Rest {
  readonly batch: string;
  readonly isCut: boolean;
  readonly offset: number;
  /** Whether the batch has frames. */
  readonly isThere: boolean;
}

function nextOf(
  input: FramesInput,
  { batch, isCut, offset, isThere }: Rest,
  settings: ToolContext['settings'],
): readonly NextCall[] {
  if (isCut) {
    const rest = { ...input, offset };
    return [{ tool: 'video_frames_upload', arguments: rest, why: 'Uploads the rest.' }];
  }
  if (!isThere || !isOwnPlatform(settings) || batch.includes('"')) return [];
  const { workspace } = settings;
  const where = { ...(workspace !== undefined && { workspace }), project: input.project };
  return [
    {
      tool: 'annotation_review',
      arguments: { ...where, query: `batch:"${batch}"` },
      why: 'A person labels them in their order; Shift+F fills the frames between labelled ones.',
    },
  ];
}
