// Extensions of our Event Store beyond its documented API: statistics, ledger, holds, uploads.

import * as z from 'zod';
import { limits } from '../limits.ts';
import { keptReason, keptUntil } from './events.ts';
import { closed, identifier, open } from './fields.ts';
import { operation } from './operation.ts';

const inEvent = closed({ event_id: identifier.describe('Id of the event.') });

/** Why a cleanup removes events. */
export const removalReasons = ['age', 'record_limit', 'byte_limit', 'disk_full'] as const;

const kept = open({ message: z.string(), kept_until: keptUntil, kept_reason: keptReason });

const bytes = z.int().min(0);
const figure = z.int().min(0);
const time = z.string().nullable();

export const eventStore = {
  events_stats: operation({
    id: 'events_stats',
    toolset: 'events',
    host: 'device',
    method: 'GET',
    path: '/v2/stats',
    summary: 'How full the store is, what waits for upload, and what was removed.',
    answer: open({
      records: figure,
      records_limit: figure,
      records_percent: z.number(),
      images: figure,
      videos: figure,
      local_only_files: figure,
      bytes_used: bytes.describe('On the disk, with the ledger and the log of the database.'),
      bytes_limit: bytes,
      bytes_percent: z.number().describe('Of the limit, by what removals can free.'),
      drafts: open({ records: figure, oldest_age_seconds: z.number().nullable() }),
      backup: open({
        enabled: z.boolean(),
        backed_up_records: figure,
        pending_records: figure,
        pending_bytes: bytes,
        oldest_pending_age_seconds: z.number().nullable(),
        refused_records: figure,
        last_error: z.string().nullable(),
        last_success_at: time,
        next_attempt_at: time,
      }),
      disk: open({ free_bytes: bytes, reserve_bytes: bytes }),
      capacity_blocked: z.boolean(),
      capacity_reason: z.string().nullable(),
      held_records: figure,
      removed: z.record(z.enum(removalReasons), figure),
      last_removal_at: time,
      retention_days: z.number(),
    }),
    scope: 'vision-events:read',
    effect: 'reads',
  }),
  events_ledger: operation({
    id: 'events_ledger',
    toolset: 'events',
    host: 'device',
    method: 'GET',
    path: '/v2/ledger',
    summary: 'What was removed, when and why; newest first.',
    query: closed({
      limit: z
        .int()
        .min(1)
        .max(limits.eventsPageMax)
        .optional()
        .describe('Rows per page; default 100.'),
      reason: z.enum(removalReasons).optional().describe('Only for this reason.'),
      event_id: z.string().min(1).optional().describe('Only of this event.'),
      before: z.int().min(0).optional().describe('next_before of the page before.'),
    }),
    answer: open({
      lines: z.array(
        open({
          ordinal: figure,
          removed_at: z.string(),
          reason: z.enum(removalReasons),
          event_id: z.string(),
          created_at: z.string(),
          event_schema: z.string(),
          device_id: z.string().nullable(),
          upload_status: z.string(),
          files: figure,
          disk_bytes: bytes,
        }),
      ),
      next: z.int().nullable(),
    }),
    scope: 'vision-events:read',
    effect: 'reads',
  }),
  events_hold: operation({
    id: 'events_hold',
    toolset: 'events',
    host: 'device',
    method: 'POST',
    path: '/v2/events/{event_id}/hold',
    summary: 'A legal hold: no cleanup removes the event until it is released.',
    pathParameters: inEvent,
    body: closed({
      reason: z.string().min(1).max(1_000).describe('Why it is kept; shown with the event.'),
    }),
    answer: kept,
    scope: 'vision-events:manage',
    effect: 'changes',
  }),
  events_release: operation({
    id: 'events_release',
    toolset: 'events',
    host: 'device',
    method: 'POST',
    path: '/v2/events/{event_id}/release',
    summary: 'Ends a hold.',
    pathParameters: inEvent,
    answer: kept,
    scope: 'vision-events:manage',
    effect: 'changes',
  }),
  events_retry_upload: operation({
    id: 'events_retry_upload',
    toolset: 'events',
    host: 'device',
    method: 'POST',
    path: '/v2/uploads/retry',
    summary: 'Lets refused events wait for upload again: one, or all.',
    body: closed({
      event_id: z.string().min(1).optional().describe('Id of the event; default all.'),
    }),
    answer: open({ retried: figure, upload_enabled: z.boolean().optional() }),
    scope: 'vision-events:manage',
    effect: 'changes',
  }),
  events_preview: operation({
    id: 'events_preview',
    toolset: 'events',
    host: 'device',
    method: 'GET',
    path: '/v2/previews',
    summary: 'The images of one event, or the main images of several, with what was detected.',
    query: closed({
      event_id: z
        .array(z.string().min(1))
        .min(1)
        .max(limits.eventPreviewImagesMax)
        .describe('Event id; may be given several times.'),
    }),
    answer: open({
      sheet: z.string().describe('A contact sheet as base64.'),
      contentType: z.string(),
      width: z.int().describe('Of the sheet, in pixels.'),
      height: z.int(),
      classes: z.record(z.string(), figure).describe('Class to detections in these images.'),
      images: z.array(
        open({
          event_id: z.string(),
          index: z.int().describe('Among the images of the event, from 0.'),
          label: z.string().nullable(),
          width: z.int(),
          height: z.int(),
          boxes: figure,
        }),
      ),
      warnings: z.array(z.string()),
    }),
    scope: 'vision-events:read',
    effect: 'reads',
  }),
  event_schemas_list: operation({
    id: 'event_schemas_list',
    toolset: 'events',
    host: 'device',
    method: 'GET',
    path: '/v2/event-schemas',
    summary: 'The event schemas that this store knows, as JSON Schema.',
    answer: open({ schemas: z.array(open({ name: z.string(), schema: open({}) })) }),
    scope: 'vision-events:read',
    effect: 'reads',
  }),
};
