// Tools of the vision_events toolset: events in the cloud.

import * as z from 'zod';
import { flatMetadata } from '../src/contract/fields.ts';
import { visionEvents } from '../src/contract/vision-events.ts';
import { fromOperation, toolFor } from '../src/mcp/operation-tool.ts';
import type { Tool } from '../src/mcp/tool.ts';
import { count, nameList, quoted } from './format.ts';
import { openPart } from './local-file.ts';

const { vision_events_upload_image: upload } = visionEvents;

const uploadInput = z.strictObject({
  file: z.string().min(1).describe('Path of a local image.'),
  name: upload.body.shape.name,
  metadata: flatMetadata.optional().describe('Key to text, number or boolean.'),
});

export const visionEventTools: readonly Tool[] = [
  fromOperation(visionEvents.vision_events_create, {
    title: 'Create vision event',
    description:
      'Records on the platform what a camera saw. Upload its images first with vision_events_upload_image. On a device, also offline, use events_create.',
    summarize: ({ created, newUseCases }, { eventId, eventType }) =>
      created === false
        ? `The ${eventType} event ${quoted(eventId)} was recorded before: nothing is new.`
        : `Recorded ${eventType} event ${quoted(eventId)}.${newUseCaseWords(newUseCases)}`,
  }),
  fromOperation(visionEvents.vision_events_create_batch, {
    title: 'Create vision events',
    description:
      'Records up to 100 events on the platform in one call. For one event use vision_events_create.',
    summarize: ({ created, newUseCases }, { events }) => {
      const fresh = typeof created === 'number' ? created : events.length;
      const before = events.length - fresh;
      const repeated = before > 0 ? `; ${before} had been recorded before` : '';
      return `Recorded ${count(fresh, 'event')}${repeated}.${newUseCaseWords(newUseCases)}`;
    },
  }),
  toolFor(upload, {
    title: 'Upload event image',
    description:
      'Uploads a local image for an event and gives its sourceId, which images of vision_events_create name.',
    usesFiles: true,
    repeated: 'made',
    input: uploadInput,
    run: async ({ file, name, metadata }, context) => {
      const { client, signal } = context;
      const input = {
        file: await openPart(file, 'file', context),
        ...(name !== undefined && { name }),
        ...(metadata && { metadata: JSON.stringify(metadata) }),
      };
      const { body } = await client.call(upload, input, { signal });
      return { summary: `Uploaded the image as ${quoted(body.sourceId ?? '')}.`, data: body };
    },
  }),
];

function newUseCaseWords(names: readonly string[] = []): string {
  return names.length === 0 ? '' : ` Not known before, and made: use case ${nameList(names)}.`;
}
