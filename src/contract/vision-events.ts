// Vision events in the cloud; events.ts has those of a device.

import * as z from 'zod';
import { limits } from '../limits.ts';
import { detectionSchemas, isoDateTime, jsonBytes, open, openData, text } from './fields.ts';
import { bodyLimits, filePart, operation } from './operation.ts';

const visionEventTypes = [
  'quality_check',
  'inventory_count',
  'safety_alert',
  'custom',
  'operator_feedback',
] as const;

const id = text.min(1).max(limits.foreignIdCharactersMax);

const customMetadata = z
  .record(
    z.string().regex(/^[A-Za-z0-9_ -]{1,100}$/, {
      error: 'must be 1 to 100 letters, digits, blanks, hyphens, underscores',
    }),
    z.union([text.max(1000), z.number(), z.boolean()]),
  )
  .refine((pairs) => Object.keys(pairs).length <= limits.customMetadataPairsMax, {
    error: 'must have at most 100 pairs',
  });

/** The hosted platform stores an event with a longer list, but drops all its images. */
const items = limits.annotationItemsMax;

const image = open({
  sourceId: id.describe('From vision_events_upload_image.'),
  inputSourceId: id.optional(),
  label: text.optional(),
  objectDetections: z.array(detectionSchemas.detection).max(items).optional(),
  classifications: z.array(detectionSchemas.classification).max(items).optional(),
  instanceSegmentations: z.array(detectionSchemas.instanceSegmentation).max(items).optional(),
  keypoints: z.array(detectionSchemas.keypoints).max(items).optional(),
});

const event = {
  eventId: id.describe('A new UUID; again adds nothing.'),
  eventType: z.enum(visionEventTypes).describe('Which kind of event.'),
  useCaseId: id.describe('Name or id of the use case.'),
  timestamp: isoDateTime.describe('When seen, in ISO 8601.'),
  eventData: openData(limits.eventDataBytesMax)
    .optional()
    .describe('Facts of the event, e.g. {"result": "pass"}.'),
  images: z
    .array(image)
    .max(limits.visionEventImagesMax)
    .optional()
    .describe('With what was detected; x, y: centre, pixels.'),
  customMetadata: customMetadata.optional().describe('Key to text, number or boolean.'),
  deviceId: id.optional().describe('Device that saw it.'),
  streamId: id.optional().describe('Camera or stream of the device.'),
  workflowId: id.optional().describe('Workflow that made it.'),
  displayImagePosition: z.int().min(0).optional().describe('Main image, from 0.'),
};

/** Limit of the whole event: detections may have any number of points. */
const eventSize = [
  (value: unknown) => jsonBytes(value) <= limits.visionEventBytesMax,
  { error: `has more than ${limits.visionEventBytesMax} bytes as JSON` },
] as const;

/** Of an event, and of a batch. */
const eventBounds = bodyLimits({
  bytesMax: limits.eventBodyBytesMax,
  elementsMax: limits.eventElementsMax,
});

export const visionEvents = {
  /**
   * The caller chooses the event id, unique in its use case: repeating an event adds nothing,
   * another event under the same id is a 409.
   */
  vision_events_create: operation({
    id: 'vision_events_create',
    toolset: 'vision_events',
    method: 'POST',
    path: '/vision-events',
    summary: 'Record an event.',
    body: open(event).refine(...eventSize),
    bodyLimits: eventBounds,
    answer: open({ eventId: z.string().optional(), created: z.unknown().optional() }),
    success: 201,
    errors: [409],
    scope: 'vision-events:write',
    effect: 'adds',
    idempotent: true,
  }),
  vision_events_create_batch: operation({
    id: 'vision_events_create_batch',
    toolset: 'vision_events',
    method: 'POST',
    path: '/vision-events/batch',
    summary: 'Record up to 100 events.',
    body: open({
      events: z
        .array(open(event).refine(...eventSize))
        .min(1)
        .max(limits.eventBatchMax)
        .describe('Events, as vision_events_create takes them.'),
    }),
    bodyLimits: eventBounds,
    answer: open({ created: z.unknown().optional(), eventIds: z.array(z.string()).optional() }),
    success: 201,
    errors: [409],
    scope: 'vision-events:write',
    effect: 'adds',
    idempotent: true,
  }),
  vision_events_upload_image: operation({
    id: 'vision_events_upload_image',
    toolset: 'vision_events',
    method: 'POST',
    path: '/vision-events/upload',
    summary: 'Upload an image that events refer to.',
    body: open({
      file: filePart,
      name: z.string().min(1).max(500).optional().describe('Name of the file.'),
      metadata: z.string().optional().describe('Flat metadata as JSON text.'),
    }),
    bodyType: 'multipart',
    answer: open({
      sourceId: z.string().optional().describe('What the images of an event name.'),
      url: z.string().optional(),
      success: z.boolean().optional(),
    }),
    strictClientSuccess: 201,
    errors: [413, 415],
    scope: 'vision-events:write',
    effect: 'adds',
  }),
};
