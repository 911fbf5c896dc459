// events_create: an event with images of this machine.

import * as z from 'zod';
import { checkInput } from '../../src/contract/check.ts';
import { eventImage, events } from '../../src/contract/events.ts';
import { FoveaError } from '../../src/errors.ts';
import { limits } from '../../src/limits.ts';
import type { NextCall, ToolContext, ToolResult } from '../../src/mcp/tool.ts';
import { count, fileSize, quoted } from '../format.ts';
import { readBase64 } from '../local-file.ts';
import { holdCalls, keptWords } from './retention-words.ts';

const { images: _images, inference_timestamp, ...members } = events.events_create.body.shape;

const filePath = z.string().min(1);

/** The images of an event, with paths where the wire has base64. */
const eventImages = z
  .array(
    z.strictObject({
      file: filePath.optional().describe('Path of the image.'),
      inputFile: filePath.optional().describe('Path of the image before the model.'),
      ...eventImage.omit({ base64Image: true, inputBase64Image: true }).shape,
    }),
  )
  .max(limits.eventImagesMax);

export const createInput = z.strictObject({
  ...members,
  inference_timestamp: inference_timestamp.optional().describe('When seen, ISO 8601; default now.'),
  images: eventImages
    .optional()
    .describe('Images with detections; x, y: centre of a box, in pixels.'),
});

type EventImage = z.output<typeof eventImages>[number];

/** Reads the images and stores the event. Sends nothing if an image cannot be read. */
export async function createEvent(
  { images, ...input }: z.output<typeof createInput>,
  context: ToolContext,
): Promise<ToolResult> {
  const now = new Date(context.clock.now()).toISOString();
  const sent = images && (await readImages(images, context));
  const whole = checkInput(events.events_create, {
    inference_timestamp: now,
    ...input,
    ...(sent && { images: sent.images }),
  });
  const { signal } = context;
  const { body } = await context.client.call(events.events_create, whole, { signal });
  const isDraft = body.draft === true;
  const kind = `${isDraft ? 'draft' : 'event'} ${quoted(body.id)} (${quoted(whole.event_schema)})`;
  const what = sent ? ` with ${count(sent.files, 'image')} (${fileSize(sent.bytes)})` : '';
  return {
    summary: `Stored ${kind}${what}.${isDraft ? takesFiles : ''}${keptWords(body)}`,
    data: body,
    next: [isDraft ? finalizeCall(body.id) : showCall(body.id), ...holdCalls(body.id, body)],
  };
}

const takesFiles = ' events_attach_video and events_attach_file add files until it is finalized.';

/** The call that closes a draft. */
export function finalizeCall(event_id: string): NextCall {
  const why = 'Closes the draft once all its files are attached.';
  return { tool: 'events_finalize', arguments: { event_id }, why };
}

/** The call that shows an event. */
export function showCall(event_id: string): NextCall {
  return { tool: 'events_get', arguments: { event_id }, why: 'Shows it with its images.' };
}

/** One after the other, so that memory never holds more images than an event may have. */
async function readImages(images: readonly EventImage[], context: ToolContext) {
  let [files, bytes] = [0, 0];
  const read = async (path: string, argument: string) => {
    const text = await readBase64(path, argument, limits.imageBytesMax, context);
    files += 1;
    bytes += Buffer.byteLength(text, 'base64');
    if (bytes > imageBytesMax) {
      const most = fileSize(imageBytesMax);
      throw new FoveaError('too_large', `images: they have more than ${most} together.`);
    }
    return text;
  };
  const sent: Record<string, unknown>[] = [];
  for (const [at, { file, inputFile, ...image }] of images.entries()) {
    sent.push({
      ...image,
      ...(file !== undefined && { base64Image: await read(file, `images[${at}].file`) }),
      ...(inputFile !== undefined && {
        inputBase64Image: await read(inputFile, `images[${at}].inputFile`),
      }),
    });
  }
  return { images: sent, files, bytes };
}

/** As base64 they fill a JSON body; no Event Store accepts a larger one. */
const imageBytesMax = (limits.jsonBodyBytesMax / 4) * 3;
