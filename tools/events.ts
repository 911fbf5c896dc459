// Tools of the events family: the Event Store of a device.

import * as z from 'zod';
import { checkInput } from '../src/contract/check.ts';
import { events } from '../src/contract/events.ts';
import { described } from '../src/contract/fields.ts';
import { limits } from '../src/limits.ts';
import {
  fromOperation,
  type NextCall,
  type Tool,
  type ToolContext,
  toolFor,
} from '../src/mcp/tool.ts';
import { openPart, readBase64 } from './local-file.ts';
import { count, fileSize, quoted } from './words.ts';

const filePath = z.string().min(1);

/** The images of an event, with paths where the wire has base64. */
const eventImages = z.array(
  z.looseObject({ file: filePath.optional(), inputFile: filePath.optional() }),
);

type EventImage = z.output<typeof eventImages>[number];

const createInput = z.strictObject({
  ...events.events_create.body.omit({ images: true }).shape,
  images: described(
    eventImages,
    '{file?: path, label?, objectDetections?: [{class, x, y, width, height, confidence}]}; x, y centre, pixels.',
  ).optional(),
});

const videoInput = z.strictObject({
  ...events.events_attach_video.pathParameters.shape,
  ...events.events_attach_video.body.omit({ file: true }).shape,
  file: filePath.describe('Path of the video.'),
});

const fileInput = z.strictObject({
  ...events.events_attach_file.pathParameters.shape,
  ...events.events_attach_file.body.omit({ file: true }).shape,
  file: filePath.describe('Path of the file.'),
});

export const eventTools: readonly Tool[] = [
  toolFor(events.events_create, {
    title: 'Create device event',
    description: 'Stores what was seen on the device. A draft takes files until events_finalize.',
    input: createInput,
    run: async ({ images, ...input }, context) => {
      const sent = images && (await Promise.all(images.map((one, at) => asSent(one, at, context))));
      const whole = checkInput(events.events_create, { ...input, ...(sent && { images: sent }) });
      const { signal } = context;
      const { body } = await context.client.call(events.events_create, whole, { signal });
      const isDraft = body.draft === true;
      const state = isDraft ? ' as a draft' : '';
      const next: NextCall = {
        tool: 'events_finalize',
        arguments: { event_id: body.id },
        why: 'Closes the draft once its files are attached.',
      };
      return {
        summary: `Stored event ${quoted(body.id)}${state}.`,
        data: body,
        ...(isDraft && { next: [next] }),
      };
    },
  }),
  fromOperation(events.events_list, {
    title: 'List device events',
    description: 'Finds stored events by time of arrival, device, schema or metadata.',
    project: ({ events, ...facts }) => ({ ...facts, events }),
    summarize: ({ count: figure }) => `${count(figure, 'event')} on this page.`,
    next: ({ next_timestamp }, input) => {
      if (!next_timestamp) return [];
      const bound = input.sort_direction === 'asc' ? 'start_time' : 'end_time';
      const more = { ...input, [bound]: next_timestamp };
      return [{ tool: 'events_list', arguments: more, why: 'The next page.' }];
    },
  }),
  fromOperation(events.events_get, {
    title: 'Get device event',
    description: 'One event with its detections and attachments.',
    summarize: ({ id, draft, images = [] }) =>
      `${draft ? 'Draft' : 'Event'} ${quoted(id)} with ${count(images.length, 'image')}.`,
  }),
  fromOperation(events.events_latest, {
    title: 'Get latest events',
    description: 'What happened last on the device.',
    project: ({ events, ...facts }) => ({ ...facts, events }),
    summarize: ({ count: figure }) => `The latest ${count(figure, 'event')}.`,
  }),
  fromOperation(events.events_count, {
    title: 'Count device events',
    description: 'How many events there are, from when to when.',
    summarize: ({ total_count, filtered_count }) =>
      `${filtered_count} of ${count(total_count, 'event')}.`,
  }),
  toolFor(events.events_attach_video, {
    title: 'Attach video',
    description: 'Adds a video to a draft event.',
    input: videoInput,
    run: async ({ file, ...input }, context) => {
      const part = await openPart(file, 'file', context);
      const { signal } = context;
      const { body } = await context.client.call(
        events.events_attach_video,
        { ...input, file: part },
        { signal },
      );
      return { summary: `Attached a video of ${fileSize(body.size_bytes)}.`, data: body };
    },
  }),
  toolFor(events.events_attach_file, {
    title: 'Attach local file',
    description: 'Adds a file, which never leaves the device, to a draft event.',
    input: fileInput,
    run: async ({ file, ...input }, context) => {
      const part = await openPart(file, 'file', context);
      const { signal } = context;
      const { body } = await context.client.call(
        events.events_attach_file,
        { ...input, file: part },
        { signal },
      );
      return { summary: `Attached a file of ${fileSize(body.size_bytes)}.`, data: body };
    },
  }),
  fromOperation(events.events_finalize, {
    title: 'Finalize draft event',
    description: 'Closes a complete draft: it takes no more files.',
    summarize: ({ already_finalized }, { event_id }) =>
      `Event ${quoted(event_id)} ${already_finalized ? 'was finalized already' : 'is final'}.`,
  }),
];

async function asSent({ file, inputFile, ...image }: EventImage, at: number, context: ToolContext) {
  const read = (path: string, name: string) =>
    readBase64(path, `images[${at}].${name}`, limits.imageBytesMax, context);
  return {
    ...image,
    ...(file !== undefined && { base64Image: await read(file, 'file') }),
    ...(inputFile !== undefined && { inputBase64Image: await read(inputFile, 'inputFile') }),
  };
}
