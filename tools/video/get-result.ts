// video_inference_get: the state of a job, and its result in words, as a file and as a picture.

import { readFile, stat } from 'node:fs/promises';
import { extname, join } from 'node:path';
import * as z from 'zod';
import type { Answer } from '../../src/contract/operation.ts';
import { video } from '../../src/contract/video.ts';
import { FoveaError } from '../../src/errors.ts';
import { limits } from '../../src/limits.ts';
import { isOwnPlatform, type ToolContext, type ToolResult } from '../../src/mcp/tool.ts';
import { refuseExisting, saveLink, saveTarget } from '../download-link.ts';
import { asGiven, count, fileSize, quoted, tally } from '../format.ts';
import { withScratchFolder } from '../scratch-folder.ts';
import { noFrames, type ShownFrames, showFrames } from './show-frames.ts';
import { describeEvents, summarizeVideo, type VideoSummary } from './summarize-result.ts';

const { video_inference_get: get } = video;

export const getInput = z.strictObject({
  ...get.query.shape,
  frames: z.boolean().optional().describe('Show some frames with their boxes.'),
  save_to: z.string().min(1).optional().describe('Path of a .json, or a .jpg of frames, to write.'),
});

type Given = z.output<typeof getInput>;

/** Throws `conflict` for an existing file before anything is sent. */
export async function getVideoJob(given: Given, context: ToolContext): Promise<ToolResult> {
  const { job_id } = given;
  const { client, signal } = context;
  const wanted = await wantedOf(given, context);
  const { body, ageMs } = await client.call(get, { job_id }, { signal });
  const age =
    ageMs > 0 ? ` As of ${Math.ceil(ageMs / 1000)} s ago: it is too early to ask again.` : '';
  const job = `Video job ${quoted(job_id)}`;
  const link = body.output_signed_url;
  if (body.status !== 0 || link === undefined) {
    const again = {
      tool: 'video_inference_get',
      arguments: { ...given },
      why: 'At most once a minute.',
    };
    const isRunning = body.status === undefined || body.status === 1;
    return {
      summary: `${job} ${stateOf(body)}.${age}`,
      data: body,
      ...(isRunning && { next: [again] }),
    };
  }
  const { result, sheet, showsFrames } = wanted;
  const read =
    result === undefined
      ? await withScratchFolder(context, (folder) =>
          readResult(link, join(folder, 'result.json'), context),
        )
      : await readResult(link, result, context);
  const shown = showsFrames ? await showFrames(job_id, sheet, context) : noFrames;
  return resultOf({ job, body, read, path: result, shown });
}

interface Wanted {
  /** Where the whole result is kept. */
  readonly result?: string;
  /** Where the picture is kept. */
  readonly sheet?: string;
  readonly showsFrames: boolean;
}

/** What is asked for: a .jpg is the picture, any other path is, or gets, the whole result. */
async function wantedOf({ save_to, frames = false }: Given, context: ToolContext): Promise<Wanted> {
  const isPicture = save_to !== undefined && pictures.includes(extname(save_to).toLowerCase());
  const showsFrames = frames || isPicture;
  if (showsFrames && !isOwnPlatform(context.settings)) {
    throw new FoveaError('not_implemented', 'frames: a hosted platform keeps none of a video.', {
      hint: 'Leave it out, and save a .json. inference_run draws what is found in an image.',
    });
  }
  if (save_to === undefined) return { showsFrames };
  const path = isPicture
    ? await saveTarget(save_to, 'video-frames.jpg', context, pictures)
    : await saveTarget(save_to, 'video-result.json', context);
  await refuseExisting(path);
  return isPicture ? { sheet: path, showsFrames } : { result: path, showsFrames };
}

const pictures = ['.jpg', '.jpeg'];

interface ReadResult {
  readonly size: number;
  /** Undefined where it is too much to read, or no result as platforms give it. */
  readonly summary: VideoSummary | undefined;
}

async function readResult(link: string, path: string, context: ToolContext): Promise<ReadResult> {
  await saveLink(link, path, false, context);
  const { size } = await stat(path);
  if (size > limits.videoResultReadBytesMax) return { size, summary: undefined };
  return { size, summary: summarizeVideo(parsed(await readFile(path, 'utf8'))) };
}

interface Done {
  /** In a sentence of ours. */
  readonly job: string;
  readonly body: Answer<typeof get>;
  readonly read: ReadResult;
  /** Of the whole result, where it is kept. */
  readonly path: string | undefined;
  readonly shown: ShownFrames;
}

function resultOf({ job, body, read, path, shown }: Done): ToolResult {
  const { summary } = read;
  const kept = [path, shown.path].flatMap((one) => (one === undefined ? [] : asGiven(one)));
  const saved = kept.length > 0 ? ` Saved to ${kept.join(' and ')}.` : '';
  const { files = [], images } = shown;
  return {
    summary: `${job} is done. ${wordsOf(read)}${saved}`,
    data: {
      ...body,
      ...(summary && {
        ...summary,
        events: summary.events.slice(0, eventsShownMax),
        events_total: summary.events.length,
      }),
      ...(path !== undefined && { path }),
      ...(shown.path !== undefined && { frames_path: shown.path }),
      ...shown.notes,
    },
    ...(images && { images }),
    files: [
      ...(path === undefined
        ? []
        : [{ path, mimeType: 'application/json', description: 'What was found in each frame' }]),
      ...files,
    ],
  };
}

const eventsShownMax = 100;

function wordsOf({ size, summary }: ReadResult): string {
  if (summary === undefined) return `Its result (${fileSize(size)}) is not read here.`;
  const { frames, seconds, classes, events } = summary;
  const found = Object.keys(classes).length === 0 ? 'nothing' : tally(classes);
  const all = `In ${count(frames, 'frame')} (${seconds.toFixed(1)} s) it found ${found}`;
  return `${all}; that would make ${count(events.length, 'event')}${describeEvents(events)}.`;
}

/** API 8.5 to 8.7. */
function stateOf({ status }: Pick<Done['body'], 'status'>): string {
  if (status === 0) return 'is done, but gave no link';
  return status === undefined || status === 1 ? 'is still running' : 'has failed: "error" says why';
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
