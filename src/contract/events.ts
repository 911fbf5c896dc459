// The device Event Store. Input is spelled as documented; answers are snake_case.

import * as z from 'zod';
import { limits } from '../limits.ts';
import { closed, detectionSchemas, identifier, isoDateTime, open } from './fields.ts';
import { bodyLimits, filePart, operation } from './operation.ts';

const maybeText = z.string().nullable().optional();

const inEvent = closed({ event_id: identifier.describe('Id of the event.') });

/** An image of an event, with what was detected in it (Event Store 4 and 5). */
export const eventImage = closed({
  label: maybeText.describe('What the image shows.'),
  base64Image: maybeText,
  inputBase64Image: maybeText,
  objectDetections: z.array(detectionSchemas.detection).optional(),
  classifications: z.array(detectionSchemas.classification).optional(),
  instanceSegmentations: z.array(detectionSchemas.instanceSegmentation).optional(),
  keypoints: z.array(detectionSchemas.keypoints).optional(),
  metadata: open({}).nullable().optional(),
});

/** metadata_filter matches flat values; nested ones are only stored. */
const customMetadata = open({})
  .refine((pairs) => Object.keys(pairs).length <= limits.customMetadataPairsMax, {
    error: `must have at most ${limits.customMetadataPairsMax} members`,
  })
  .meta({ maxProperties: limits.customMetadataPairsMax });

const Attachment = open({
  file_id: z.string(),
  label: maybeText,
  content_type: maybeText,
  size_bytes: z.int().nullable().optional(),
});

/** Only stores of Fovea tell it. */
export const keptUntil = z
  .string()
  .nullable()
  .optional()
  .describe('When its age removes it; null: its age does not.');

/** Why it is kept until then, or for ever. */
export const keptReason = z
  .string()
  .optional()
  .describe('age; hold; upload: until the cloud has it; retention: age removes nothing.');

/** Event Store 6.1 to 6.18). */
const StoredEvent = open({
  id: z.string(),
  solution: maybeText,
  workflow_id: maybeText,
  workflow_version: maybeText,
  device_id: maybeText,
  stream_id: maybeText,
  inference_timestamp: z.string(),
  images: z
    .array(
      open({
        file_id: maybeText,
        input_file_id: maybeText,
        label: maybeText,
        object_detections: z.array(open({})).optional(),
        classifications: z.array(open({})).optional(),
        instance_segmentations: z.array(open({})).optional(),
        keypoints: z.array(open({})).optional(),
        metadata: open({}).nullable().optional(),
      }),
    )
    .optional(),
  videos: z.array(Attachment).optional(),
  local_only_files: z.array(Attachment).optional(),
  display_image_position: z.int().nullable().optional(),
  event_schema: z.string(),
  event_data: open({}),
  custom_metadata: open({}).nullable().optional(),
  created_at: z.string(),
  api_version: z.string().optional().describe('Default v2.'),
  original_file_count: z.int().optional(),
  current_file_count: z.int().optional(),
  draft: z.boolean().optional(),
  finalized_at: z.string().nullable().optional(),
  auto_finalized_at: z.string().nullable().optional(),
  upload_status: z.string().optional().describe('draft, waiting, uploaded, refused or off.'),
  upload_error: z.string().nullable().optional().describe('Why the cloud refused it.'),
  uploaded_at: z.string().nullable().optional(),
  hold: z.string().nullable().optional().describe('Why no cleanup may remove it.'),
  kept_until: keptUntil,
  kept_reason: keptReason,
});

/** Only stores of Fovea tell it (Event Store 18.15). */
const scanned = z.int().optional().describe('Events looked at for the filters.');

const eventsPage = open({
  events: z.array(StoredEvent),
  count: z.int(),
  next_timestamp: z.string().nullable().optional(),
  scanned,
});

const attachmentStored = open({
  file_id: z.string(),
  event_id: z.string(),
  label: maybeText,
  content_type: z.string(),
  size_bytes: z.int(),
  message: z.string(),
  kept_until: keptUntil,
  kept_reason: keptReason,
});

/** Event Store 9.10: error statuses of every operation. */
const always = [422, 500, 529];

const limit = z
  .int()
  .min(1)
  .max(limits.eventsPageMax)
  .optional()
  .describe('Events per page; default 100.');
const includeDrafts = z.boolean().optional().describe('Drafts too; default true.');
const memberFilter = z
  .array(
    z.string().regex(/^[^:]+:/, {
      error: 'must be key:value or key:op:value, as in line:3 or line:gte:3',
    }),
  )
  .optional();
const detectionFilter = z
  .array(
    z.string().regex(/^\s*(class|confidence|count)\s*[:<>=!]/, {
      error: 'must be terms as in class:person,confidence:gte:0.5,count:gte:3',
    }),
  )
  .optional();
const exactly = z.string().min(1).optional();
const anyOf = z.string().min(1).optional();
const asInList = 'As in events_list.';
/** The last two are beyond the documented API (Event Store 18.12 to 18.15). */
const filtersAsInList = {
  metadata_filter: memberFilter.describe(asInList),
  event_data_filter: memberFilter.describe(asInList),
  detection_filter: detectionFilter.describe(asInList),
};

export const events = {
  events_create: operation({
    id: 'events_create',
    toolset: 'events',
    host: 'device',
    method: 'POST',
    path: '/v2/events',
    summary: 'Store an event; as a draft, files can be attached until it is finalized.',
    body: closed({
      event_schema: z
        .string()
        .min(1)
        .describe('Kind of event, e.g. quality_check; event_schemas_list names them.'),
      event_data: open({}).describe('Facts of the event, e.g. {"result": "pass"}.'),
      inference_timestamp: isoDateTime.describe('When it was seen, in ISO 8601.'),
      solution: maybeText.describe('Use case; cloud upload needs it.'),
      workflow_id: maybeText.describe('Workflow that made it.'),
      workflow_version: maybeText.describe('Version of that workflow.'),
      device_id: maybeText.describe('Device that saw it.'),
      stream_id: maybeText.describe('Camera or stream of the device.'),
      image_id: maybeText.describe('Id of an image of your own.'),
      custom_metadata: customMetadata
        .nullable()
        .optional()
        .describe('Flat facts; metadata_filter finds them.'),
      images: z
        .array(eventImage)
        .max(limits.eventImagesMax)
        .optional()
        .describe('With what was detected; x, y: centre, pixels.'),
      displayImagePosition: z
        .int()
        .min(0)
        .nullable()
        .optional()
        .describe('Place of the main image, from 0.'),
      draft: z.boolean().optional().describe('Takes files until events_finalize. Default false.'),
    }),
    // Includes base64 images; a setting of the store lowers it.
    bodyLimits: bodyLimits({
      bytesMax: limits.jsonBodyBytesMax,
      elementsMax: limits.eventElementsMax,
    }),
    answer: open({
      id: z.string(),
      image_ids: z.array(z.string()),
      created_at: z.string(),
      draft: z.boolean().optional(),
      kept_until: keptUntil,
      kept_reason: keptReason,
      message: z.string(),
    }),
    success: 201,
    errors: [413, ...always],
    scope: 'vision-events:write',
    effect: 'adds',
  }),
  events_list: operation({
    id: 'events_list',
    toolset: 'events',
    host: 'device',
    method: 'GET',
    path: '/v2/events',
    summary: 'Stored events, by time of arrival.',
    query: closed({
      start_time: isoDateTime.optional().describe('Stored since; ISO 8601.'),
      end_time: isoDateTime.optional().describe('Stored until; ISO 8601.'),
      limit,
      device_id: exactly.describe('Only of this device.'),
      event_schema: exactly.describe('Only of this event_schema.'),
      workflow_id: exactly.describe('Only of this workflow.'),
      external_id: exactly.describe('Only with this external_id.'),
      related_event_id: exactly.describe('Only feedback on this event.'),
      sort_direction: z.enum(['asc', 'desc']).optional().describe('Default desc: newest first.'),
      device_id__in: anyOf.describe('Several devices, comma-separated.'),
      event_schema__in: anyOf.describe('Several schemas, comma-separated.'),
      workflow_id__in: anyOf.describe('Several workflows, comma-separated.'),
      external_id__in: anyOf.describe('Several external ids, comma-separated.'),
      metadata_filter: memberFilter.describe(
        'On custom_metadata: key:value or key:op:value (eq, ne, gt, lt, gte, lte).',
      ),
      event_data_filter: memberFilter.describe('The same on event_data.'),
      detection_filter: detectionFilter.describe(
        'E.g. class:bolt,confidence:gte:0.5,count:gte:3: all of the same detections.',
      ),
      include_drafts: includeDrafts,
    }),
    answer: eventsPage,
    errors: always,
    scope: 'vision-events:read',
    effect: 'reads',
  }),
  events_get: operation({
    id: 'events_get',
    toolset: 'events',
    host: 'device',
    method: 'GET',
    path: '/v2/events/{event_id}',
    summary: 'One event.',
    pathParameters: inEvent,
    answer: StoredEvent,
    errors: always,
    scope: 'vision-events:read',
    effect: 'reads',
  }),
  events_latest: operation({
    id: 'events_latest',
    toolset: 'events',
    host: 'device',
    method: 'GET',
    path: '/v2/events/latest/query',
    summary: 'The newest events.',
    query: closed({
      limit,
      include_drafts: includeDrafts,
      ...filtersAsInList,
    }),
    answer: eventsPage,
    errors: always,
    scope: 'vision-events:read',
    effect: 'reads',
  }),
  events_count: operation({
    id: 'events_count',
    toolset: 'events',
    host: 'device',
    method: 'GET',
    path: '/events/count/stats',
    summary: 'How many events there are, and from when to when.',
    query: closed({
      device_id: exactly.describe('Only of this device.'),
      event_schema: exactly.describe('Only of this event_schema.'),
      workflow_id: exactly.describe('Only of this workflow.'),
      start_time: isoDateTime.optional().describe(asInList),
      end_time: isoDateTime.optional().describe(asInList),
      ...filtersAsInList,
    }),
    answer: open({
      total_count: z.int(),
      filtered_count: z.int(),
      oldest_timestamp: z.string().nullable().optional(),
      newest_timestamp: z.string().nullable().optional(),
      scanned,
      next_timestamp: z
        .string()
        .nullable()
        .optional()
        .describe('The end_time of the count of the rest; null: all were counted.'),
    }),
    errors: always,
    scope: 'vision-events:read',
    effect: 'reads',
  }),
  events_attach_video: operation({
    id: 'events_attach_video',
    toolset: 'events',
    host: 'device',
    method: 'POST',
    path: '/v2/events/{event_id}/videos',
    summary: 'Attach a video to a draft.',
    pathParameters: inEvent,
    body: closed({
      file: filePart,
      label: z.string().min(1).optional().describe('What the video is; default video.'),
    }),
    bodyType: 'multipart',
    answer: attachmentStored,
    success: 201,
    errors: [409, 413, 415, ...always],
    scope: 'vision-events:write',
    effect: 'adds',
  }),
  events_attach_file: operation({
    id: 'events_attach_file',
    toolset: 'events',
    host: 'device',
    method: 'POST',
    path: '/v2/events/{event_id}/local-only-files',
    summary: 'Attach a file, which never leaves the device, to a draft.',
    pathParameters: inEvent,
    body: closed({
      file: filePart,
      label: z.string().min(1).optional().describe('What the file is; default file.'),
      content_type: z.string().min(1).optional().describe('Media type; default by name.'),
    }),
    bodyType: 'multipart',
    answer: attachmentStored,
    success: 201,
    errors: [409, 413, ...always],
    scope: 'vision-events:write',
    effect: 'adds',
  }),
  events_finalize: operation({
    id: 'events_finalize',
    toolset: 'events',
    host: 'device',
    method: 'POST',
    path: '/v2/events/{event_id}/finalize',
    summary: 'Close a draft: it enters upload and cleanup.',
    pathParameters: inEvent,
    answer: open({
      id: z.string().optional(),
      draft: z.boolean().optional(),
      finalized_at: z.string().nullable().optional(),
      already_finalized: z.boolean().optional(),
      kept_until: keptUntil,
      kept_reason: keptReason,
      auto_finalized_at: z.string().nullable().optional(),
      message: z.string().optional(),
    }),
    errors: always,
    scope: 'vision-events:write',
    effect: 'changes',
  }),
};
