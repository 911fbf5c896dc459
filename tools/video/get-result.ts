// video_inference_get: the state of a job, and its result in short and as a file.

import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Answer } from '../../src/contract/operation.ts';
import { video } from '../../src/contract/video.ts';
import { limits } from '../../src/limits.ts';
import type { ToolContext, ToolResult } from '../../src/mcp/tool.ts';
import { refuseExisting, saveLink, saveTarget } from '../download-link.ts';
import { asGiven, count, fileSize, quoted, tally } from '../format.ts';
import { withScratchFolder } from '../scratch-folder.ts';
import { summarizeVideo } from './summarize-result.ts';

interface Given {
  readonly job_id: string;
  readonly save_to?: string | undefined;
}

/** Throws `conflict` for an existing file before anything is sent. */
export async function getVideoJob(
  { job_id, save_to }: Given,
  context: ToolContext,
): Promise<ToolResult> {
  const { client, signal } = context;
  const path =
    save_to === undefined ? undefined : await saveTarget(save_to, 'video-result.json', context);
  if (path !== undefined) await refuseExisting(path);
  const { body, ageMs } = await client.call(video.video_inference_get, { job_id }, { signal });
  const age =
    ageMs > 0 ? ` As of ${Math.ceil(ageMs / 1000)} s ago: it is too early to ask again.` : '';
  const job = `Video job ${quoted(job_id)}`;
  const link = body.output_signed_url;
  if (body.status !== 0 || link === undefined) {
    const again = {
      tool: 'video_inference_get',
      arguments: { job_id },
      why: 'At most once a minute.',
    };
    const isRunning = body.status === undefined || body.status === 1;
    return {
      summary: `${job} ${stateOf(body)}.${age}`,
      data: body,
      ...(isRunning && { next: [again] }),
    };
  }
  return path === undefined
    ? withScratchFolder(context, (folder) =>
        resultIn(join(folder, 'result.json'), { job, link, body }, context),
      )
    : resultIn(path, { job, link, body, isKept: true }, context);
}

interface Done {
  /** In a sentence of ours. */
  readonly job: string;
  readonly link: string;
  readonly body: Answer<typeof video.video_inference_get>;
  readonly isKept?: boolean;
}

async function resultIn(
  path: string,
  { job, link, body, isKept = false }: Done,
  context: ToolContext,
): Promise<ToolResult> {
  await saveLink(link, path, false, context);
  const { size } = await stat(path);
  const isShort = size <= limits.videoResultReadBytesMax;
  const read = isShort ? summarizeVideo(parsed(await readFile(path, 'utf8'))) : undefined;
  const { events = [] } = read ?? {};
  const found = read && (Object.keys(read.classes).length === 0 ? 'nothing' : tally(read.classes));
  const words =
    read === undefined
      ? `Its result (${fileSize(size)}) is not read here`
      : `In ${count(read.frames, 'frame')} (${read.seconds.toFixed(1)} s) it found ${found}; that would make ${count(events.length, 'event')}`;
  const saved = isKept ? ` Saved to ${asGiven(path)}.` : '';
  const shown = events.slice(0, eventsShownMax);
  return {
    summary: `${job} is done. ${words}.${saved}`,
    data: {
      ...body,
      ...(read && { ...read, events: shown, events_total: events.length }),
      ...(isKept && { path }),
    },
    ...(isKept && {
      files: [{ path, mimeType: 'application/json', description: 'What was found in each frame' }],
    }),
  };
}

const eventsShownMax = 100;

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
