// video_inference_start: sends a video of this machine, and starts the job.

import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import * as z from 'zod';
import type { Answer } from '../../src/contract/operation.ts';
import { video } from '../../src/contract/video.ts';
import { FoveaError, invalidArgument } from '../../src/errors.ts';
import { openRealFile } from '../../src/file-access/open-real-file.ts';
import { limits } from '../../src/limits.ts';
import type { ToolContext, ToolResult } from '../../src/mcp/tool.ts';
import { count, fileSize, quoted } from '../format.ts';
import { openPart } from '../local-file.ts';

const { video_inference_start: start, video_upload_url_create: createUrl } = video;

const { input_url, ...others } = start.body.shape;

export const startInput = z.strictObject({
  file: z.string().min(1).optional().describe('Path of a local video.'),
  input_url: input_url.optional().describe('Or: the URL of a video.'),
  ...others,
});

export async function startVideoJob(
  { file, input_url, ...input }: z.output<typeof startInput>,
  context: ToolContext,
): Promise<ToolResult> {
  if ((file === undefined) === (input_url === undefined)) {
    throw invalidArgument('file', 'give either file or input_url');
  }
  const { client, signal } = context;
  const url = input_url ?? (await sendVideo(file ?? '', context));
  const { body } = await client.call(start, { ...input, input_url: url }, { signal });
  const job_id = jobIdOf(body);
  return {
    summary: `Job ${quoted(job_id)} runs ${count(input.models.length, 'model')} on the video.`,
    data: { job_id },
    next: [
      {
        tool: 'video_inference_get',
        arguments: { job_id },
        why: 'Shows how far it is, then what was found; at most once a minute.',
      },
    ],
  };
}

function jobIdOf(answer: Answer<typeof start>): string {
  return typeof answer === 'string' ? answer : answer.job_id;
}

/** The address under which the platform knows the video once it is there. */
async function sendVideo(path: string, context: ToolContext): Promise<string> {
  const { client, signal, settings, progress } = context;
  const { content } = await openPart(path, 'file', context);
  if (!('path' in content)) throw invalidArgument('file', 'must be a path');
  const real = content.path;
  const { size } = await stat(real);
  if (size > limits.videoBytesMax) {
    const figures = `${fileSize(size)}; at most ${fileSize(limits.videoBytesMax)} are run`;
    throw new FoveaError('too_large', `file: the video has ${figures}.`);
  }
  const { body } = await client.call(createUrl, { file_name: basename(real) }, { signal });
  if (body.signed_url === undefined) {
    throw new FoveaError('upstream_failed', 'The platform gave no address for the video.');
  }
  await client.upload(
    body.signed_url,
    { bytes: size, open: () => piecesOf(real, size) },
    {
      contentType: 'application/octet-stream',
      signal,
      timeoutMs: settings.timeoutMs + Math.ceil((size / limits.sendBytesPerSecondMin) * 1_000),
      onSent: (bytes, total) => progress(bytes, total, `Sending ${fileSize(total)}`),
    },
  );
  return body.signed_url;
}

/** Exactly what was announced, also where the file grows meanwhile. */
async function* piecesOf(real: string, size: number): AsyncGenerator<Uint8Array> {
  const handle = await openRealFile(real);
  try {
    const stream = handle.createReadStream({ end: size - 1, autoClose: false });
    for await (const piece of stream) yield Buffer.from(piece);
  } finally {
    await handle.close();
  }
}
