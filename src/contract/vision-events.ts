// Vision events in the cloud; events.ts has those of a device.

import * as z from 'zod';
import { limits } from '../limits.ts';
import {
  closed,
  detectionSchemas,
  displayName,
  identifier,
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

const newUseCases = z
  .array(z.string())
  .readonly()
  .optional()
  .describe('Use cases that were not known, and are made.');

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
    answer: open({
      eventId: z.string().optional(),
      created: z.unknown().optional(),
      newUseCases,
    }),
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
    answer: open({
      created: z.unknown().optional(),
      eventIds: z.array(z.string()).optional(),
      newUseCases,
    }),
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

/** `neq` is the word of the hosted platform, `ne` that of the Event Store. */
const equality = ['eq', 'neq', 'ne'] as const;
const comparison = [...equality, 'gt', 'gte', 'lt', 'lte'] as const;

const isOrIsNot = z.union([id, closed({ operator: z.enum(equality), value: id })]);
const imageCount = z.int().min(0);
const scalar = z.union([text.max(limits.metadataValueCharactersMax), z.number(), z.boolean()]);
const name = text.min(1).max(limits.metadataKeyCharactersMax);
const compared = { operator: z.enum(comparison), value: scalar };
const eventType = z.enum(visionEventTypes);

const inUseCase = closed({ useCaseId: identifier.describe('Name or id of the use case.') });

const UseCase = open({
  id: z.string(),
  name: z.string(),
  status: z.string().describe('active or inactive.'),
  eventCount: z.int().min(0),
});

const lookbackDays = z.int().describe('How far back queries see.');

const changedUseCase = {
  pathParameters: inUseCase,
  answer: open({ success: z.boolean(), ...UseCase.shape }),
  scope: 'vision-events:manage',
  effect: 'changes',
} as const;

/** Not in the documented API, but on the hosted platform. */
export const visionEventExtensions = {
  vision_events_query: operation({
    id: 'vision_events_query',
    toolset: 'vision_events',
    method: 'POST',
    path: '/vision-events/query',
    summary: 'Events of a use case, the newest first, page by page.',
    body: closed({
      useCaseId: id.describe('Name or id of the use case.'),
      eventType: eventType.optional().describe('Kind.'),
      eventTypes: z
        .array(eventType)
        .min(1)
        .max(limits.queriedEventTypesMax)
        .optional()
        .describe('One of these kinds.'),
      startTime: isoDateTime.optional().describe('ISO 8601; included.'),
      endTime: isoDateTime.optional().describe('ISO 8601; included.'),
      deviceId: isOrIsNot.optional().describe('Device id, or {operator, value}.'),
      streamId: isOrIsNot.optional().describe('Stream id, or {operator, value}.'),
      workflowId: isOrIsNot.optional().describe('Workflow id, or {operator, value}.'),
      externalId: z
        .union([text.min(1).max(1000), closed({ operator: z.enum(equality), value: text })])
        .optional()
        .describe('externalId of eventData, or {operator, value}.'),
      customMetadataFilters: z
        .array(
          closed({
            field: name,
            ...compared,
            type: z.enum(['string', 'number', 'boolean']).optional(),
          }),
        )
        .max(limits.eventMetadataFiltersMax)
        .optional()
        .describe('All must hold.'),
      eventFieldFilters: z
        .array(closed({ column: name, ...compared }))
        .max(limits.eventMetadataFiltersMax)
        .optional()
        .describe('On members of eventData; all must hold.'),
      detection: closed({
        operator: z.enum(equality),
        value: text.min(1),
        confidence: z.number().min(0).max(1).optional(),
      })
        .optional()
        .describe('A class that was seen, or was not; confidence: at least.'),
      imageCount: z
        .union([imageCount, closed({ operator: z.enum(comparison), value: imageCount })])
        .optional()
        .describe('Number of images, or {operator, value}.'),
      limit: z.int().min(1).max(limits.eventsPageMax).optional().describe('Default 100.'),
      cursor: text.min(1).optional().describe('nextCursor of the page before.'),
    }),
    answer: open({
      events: z.array(open({ eventId: z.string(), eventType: z.string(), timestamp: z.string() })),
      nextCursor: z.string().nullable(),
      hasMore: z.boolean(),
      lookbackDays,
    }),
    scope: 'vision-events:read',
    effect: 'reads',
  }),
  vision_events_get: operation({
    id: 'vision_events_get',
    toolset: 'vision_events',
    method: 'GET',
    path: '/vision-events/use-cases/{useCaseId}/events/{eventId}',
    summary: 'One event of a use case.',
    pathParameters: closed({
      ...inUseCase.shape,
      eventId: identifier.describe('Id of the event.'),
    }),
    answer: open({
      event: open({ eventId: z.string(), eventType: z.string(), timestamp: z.string() }),
    }),
    scope: 'vision-events:read',
    effect: 'reads',
  }),
  vision_events_image: operation({
    id: 'vision_events_image',
    toolset: 'vision_events',
    method: 'GET',
    path: '/vision-events/images/{sourceId}',
    summary: 'Where an image of events can be seen.',
    pathParameters: closed({
      sourceId: identifier.describe('Id of the image, as events have it.'),
    }),
    answer: open({
      sourceId: z.string(),
      url: z.string().describe('The image as it was uploaded; the link expires.'),
      thumb: z.string().describe('A small JPEG of it.'),
      name: z.string(),
      contentType: z.string(),
    }),
    scope: 'vision-events:read',
    effect: 'reads',
  }),
  use_cases_list: operation({
    id: 'use_cases_list',
    toolset: 'vision_events',
    method: 'GET',
    path: '/vision-events/use-cases',
    summary: 'Use cases of a workspace, by name.',
    query: closed({
      status: z.enum(['active', 'inactive']).optional().describe('Default active.'),
    }),
    answer: open({
      useCases: z.array(UseCase),
      truncated: z.boolean().describe('There are more than are listed.'),
      lookbackDays,
    }),
    scope: 'vision-events:read',
    effect: 'reads',
  }),
  use_cases_create: operation({
    id: 'use_cases_create',
    toolset: 'vision_events',
    method: 'POST',
    path: '/vision-events/use-cases',
    summary: 'Make a use case.',
    body: open({ name: displayName.describe('Display name.') }),
    answer: UseCase,
    success: 201,
    errors: [409],
    scope: 'vision-events:manage',
    effect: 'adds',
  }),
  use_cases_rename: operation({
    ...changedUseCase,
    id: 'use_cases_rename',
    toolset: 'vision_events',
    method: 'PUT',
    path: '/vision-events/use-cases/{useCaseId}',
    summary: 'Give a use case another name; its id stays.',
    body: open({ name: displayName.describe('Display name.') }),
    errors: [409],
  }),
  use_cases_archive: operation({
    ...changedUseCase,
    id: 'use_cases_archive',
    toolset: 'vision_events',
    method: 'POST',
    path: '/vision-events/use-cases/{useCaseId}/archive',
    summary: 'Archive a use case: it takes no more events, and those it has stay.',
  }),
  use_cases_unarchive: operation({
    ...changedUseCase,
    id: 'use_cases_unarchive',
    toolset: 'vision_events',
    method: 'POST',
    path: '/vision-events/use-cases/{useCaseId}/unarchive',
    summary: 'Take a use case out of the archive.',
  }),
  use_cases_metadata_schema: operation({
    id: 'use_cases_metadata_schema',
    toolset: 'vision_events',
    method: 'GET',
    path: '/vision-events/custom-metadata-schema/{useCaseId}',
    summary: 'Custom metadata that the newest events of a use case have, and of which types.',
    pathParameters: inUseCase,
    answer: open({
      useCaseId: z.string(),
      fields: z.record(z.string(), open({ types: z.array(z.string()) })),
      eventsRead: z.int().min(0).describe('How many events were looked at, the newest first.'),
      truncated: z.boolean().describe('Older events may have more.'),
    }),
    scope: 'vision-events:read',
    effect: 'reads',
  }),
};
