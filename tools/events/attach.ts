// events_attach_video and events_attach_file: upload a file of this machine to a draft, with
// progress.

import { stat } from 'node:fs/promises';
import * as z from 'zod';
import { events } from '../../src/contract/events.ts';
import type { Answer, FilePart } from '../../src/contract/operation.ts';
import { limits } from '../../src/limits.ts';
import type { ToolContext, ToolResult } from '../../src/mcp/tool.ts';
import { bare, fileSize, quoted } from '../format.ts';
import { openPart } from '../local-file.ts';
import { finalizeCall } from './create.ts';
import { holdCalls, keptWords } from './retention-words.ts';

const { events_attach_video, events_attach_file } = events;
const filePath = z.string().min(1);

export const videoInput = z.strictObject({
  ...events_attach_video.pathParameters.shape,
  file: filePath.describe('Path of the file.'),
  ...events_attach_video.body.omit({ file: true }).shape,
});

export const fileInput = z.strictObject({
  ...events_attach_file.pathParameters.shape,
  file: filePath.describe('Path of the file.'),
  ...events_attach_file.body.omit({ file: true }).shape,
});

export async function attachVideo(
  { file, ...input }: z.output<typeof videoInput>,
  context: ToolContext,
): Promise<ToolResult> {
  const part = await openPart(file, 'file', context);
  const sent = { ...input, file: part };
  const options = await sendingOptions(part, context);
  const { body } = await context.client.call(events_attach_video, sent, options);
  return attached('video', part, body);
}

export async function attachFile(
  { file, ...input }: z.output<typeof fileInput>,
  context: ToolContext,
): Promise<ToolResult> {
  const part = await openPart(file, 'file', context);
  const sent = { ...input, file: part };
  const options = await sendingOptions(part, context);
  const { body } = await context.client.call(events_attach_file, sent, options);
  return attached('file', part, body);
}

/** A large file gets the time that a slow line needs. */
async function sendingOptions({ name, content }: FilePart, context: ToolContext) {
  const { signal, settings, progress } = context;
  const bytes = 'path' in content ? (await stat(content.path)).size : content.length;
  const timeoutMs = settings.timeoutMs + Math.ceil((bytes / limits.sendBytesPerSecondMin) * 1_000);
  const onSent = (sent: number, total: number) => {
    progress(sent, total, `${bare(name)}: ${fileSize(sent)} of ${fileSize(total)}`);
  };
  return { signal, timeoutMs, onSent };
}

function attached(
  what: string,
  { name }: FilePart,
  body: Answer<typeof events_attach_video>,
): ToolResult {
  const facts = `${fileSize(body.size_bytes)}, ${quoted(body.content_type)}`;
  return {
    summary: `Attached the ${what} ${quoted(name)} (${facts}) to draft ${quoted(body.event_id)}.${keptWords(body)}`,
    data: body,
    next: [finalizeCall(body.event_id), ...holdCalls(body.event_id, body)],
  };
}
