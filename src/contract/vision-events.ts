// Vision events in the cloud; events.ts has those of a device.

import * as z from 'zod';
import { limits } from '../limits.ts';
import {
  described,
  detectionSchemas,
  isoDateTime,
  jsonBytes,
  open,
  openData,
  text,
} from './fields.ts';
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
  sourceId: id,
  inputSourceId: id.optional(),
  label: text.optional(),
  objectDetections: z.array(detectionSchemas.detection).max(items).optional(),
  classifications: z.array(detectionSchemas.classification).max(items).optional(),
  instanceSegmentations: z.array(detectionSchemas.instanceSegmentation).max(items).optional(),
  keypoints: z.array(detectionSchemas.keypoints).max(items).optional(),
});

const event = {
  eventId: id.describe('New UUID.'),
  eventType: z.enum(visionEventTypes).describe('Kind.'),
  useCaseId: id.describe('Use case.'),
  timestamp: isoDateTime.describe('ISO 8601.'),
  eventData: openData(limits.eventDataBytesMax).optional().describe('e.g. {result: "pass"}.'),
  images: described(
    z.array(image).max(limits.visionEventImagesMax),
    '{sourceId, objectDetections?: [{class, x, y, width, height, confidence}]}; x, y centre, pixels.',
  ).optional(),
  customMetadata: described(customMetadata, 'Flat.').optional(),
  deviceId: id.optional().describe('Device id.'),
  streamId: id.optional().describe('Stream id.'),
  workflowId: id.optional().describe('Workflow id.'),
  displayImagePosition: z.int().min(0).optional().describe('Main image.'),
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
      events: described(
        z
          .array(open(event).refine(...eventSize))
          .min(1)
          .max(limits.eventBatchMax),
        '1 to 100 events as in vision_events_create.',
      ),
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
      name: z.string().min(1).max(500).optional().describe('File name.'),
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
