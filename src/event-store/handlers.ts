// The handlers of all Event Store operations; a missing one does not compile.

import type { deviceOperations } from '../contract/device-operations.ts';
import { notFound } from '../errors.ts';
import { type Handlers, RawTextHandler } from '../http-server/handlers.ts';
import { limits } from '../limits.ts';
import type { Caller } from './api-key.ts';
import { attachmentHandlers } from './attachments.ts';
import { createEvent, createEventFrom } from './create-event.ts';
import type { EventStoreDependencies } from './dependencies.ts';
import { eventResponse, keptFor, pageResponse, timeOrNull } from './event-response.ts';
import { arrivalOf } from './ids.ts';
import { previewHandlers } from './previews/preview-handlers.ts';
import { statsHandlers } from './stats.ts';
import type { CountFilter, EventCounts, EventFilter, EventQuery } from './store/store.ts';
import { parseMicroseconds } from './timestamps.ts';
import { parseDetectionFilters } from './validation/detection-filters.ts';
import { parseMemberFilters } from './validation/member-filters.ts';
import { reportingFullDisk } from './write-row-after-files.ts';

type DeviceHandlers = Handlers<typeof deviceOperations, Caller>;

export function eventStoreHandlers(dependencies: EventStoreDependencies): DeviceHandlers {
  return {
    ...writing(dependencies),
    ...reading(dependencies),
    ...attachmentHandlers(dependencies),
    ...statsHandlers(dependencies),
    ...previewHandlers(dependencies),
    ...keeping(dependencies),
  };
}

function writing(
  dependencies: EventStoreDependencies,
): Pick<DeviceHandlers, 'events_create' | 'events_finalize'> {
  return {
    events_create: new RawTextHandler(
      (request) => createEventFrom(dependencies, request),
      (input) => createEvent(dependencies, input),
    ),
    events_finalize: async ({ event_id }) => {
      const done = await reportingFullDisk(dependencies.admission, () =>
        dependencies.store.finalize(event_id),
      );
      dependencies.uploader.wake();
      const event = await dependencies.store.get(event_id);
      return {
        id: done.id,
        draft: false,
        finalized_at: timeOrNull(done.finalizedAt),
        auto_finalized_at: timeOrNull(done.autoFinalizedAt),
        already_finalized: done.alreadyFinalized,
        ...(event && keptFor(event, dependencies.settings)),
        message: done.alreadyFinalized ? 'It was finalized already.' : 'Finalized.',
      };
    },
  };
}

type Reading = 'events_list' | 'events_latest' | 'events_get' | 'events_count';

function reading({ store, settings }: EventStoreDependencies): Pick<DeviceHandlers, Reading> {
  return {
    events_list: async (input, { signal }) =>
      pageResponse(await store.list(queryOf(input), signal), settings),
    events_latest: async (input, { signal }) =>
      pageResponse(await store.list(queryOf(input), signal), settings),
    events_get: async ({ event_id }) => {
      const event = await store.get(event_id);
      if (event === undefined) throw notFound('event', event_id, otherPaths(event_id));
      return eventResponse(event, settings);
    },
    events_count: async (input, { signal }) => {
      if (isRolledUp(input)) return countResponse(await store.count(rollUpOf(input)));
      const counts = await store.countMatching(filterOf(input), signal);
      const { scanned, next } = counts;
      return { ...countResponse(counts), scanned, next_timestamp: timeOrNull(next) };
    },
  };
}

/** For who guesses at a path that looks like an event. */
function otherPaths(id: string): string | undefined {
  if (arrivalOf(id) !== undefined) return undefined;
  return 'That is no event id. Counts are at /events/count/stats, the latest events at /v2/events/latest/query.';
}

type ListInput = Parameters<
  Extract<DeviceHandlers['events_list'], (...args: never[]) => unknown>
>[0];

type CountInput = Parameters<
  Extract<DeviceHandlers['events_count'], (...args: never[]) => unknown>
>[0];

/** Whether there are sums for what is asked; all else is looked at event by event. */
function isRolledUp(input: CountInput): boolean {
  const { device_id: _, event_schema: __, workflow_id: ___, ...others } = input;
  return Object.values(others).every((value) => value === undefined);
}

function rollUpOf({ device_id, event_schema, workflow_id }: CountInput): CountFilter {
  return { deviceId: device_id, eventSchema: event_schema, workflowId: workflow_id };
}

function countResponse({ total, filtered, oldest, newest }: EventCounts) {
  return {
    total_count: total,
    filtered_count: filtered,
    oldest_timestamp: timeOrNull(oldest),
    newest_timestamp: timeOrNull(newest),
  };
}

function queryOf(input: ListInput): EventQuery {
  return {
    ...filterOf(input),
    limit: input.limit ?? limits.eventsPageDefault,
    order: input.sort_direction === 'asc' ? 'oldest_first' : 'newest_first',
  };
}

function filterOf(input: ListInput): EventFilter {
  const either = (one: string | undefined, list: string | undefined) => {
    const several = list?.split(',').filter((value) => value !== '');
    if (one === undefined) return several && [...new Set(several)];
    return several === undefined || several.includes(one) ? [one] : [];
  };
  const deviceIds = either(input.device_id, input.device_id__in);
  const eventSchemas = either(input.event_schema, input.event_schema__in);
  const workflowIds = either(input.workflow_id, input.workflow_id__in);
  const externalIds = either(input.external_id, input.external_id__in);
  const from = input.start_time && parseMicroseconds(input.start_time);
  const until = input.end_time && parseMicroseconds(input.end_time);
  return {
    includeDrafts: input.include_drafts ?? true,
    metadata: parseMemberFilters('metadata_filter', input.metadata_filter ?? []),
    eventData: parseMemberFilters('event_data_filter', input.event_data_filter ?? []),
    detections: parseDetectionFilters(input.detection_filter ?? []),
    ...(deviceIds && { deviceIds }),
    ...(eventSchemas && { eventSchemas }),
    ...(workflowIds && { workflowIds }),
    ...(externalIds && { externalIds }),
    ...(input.related_event_id !== undefined && { relatedEventId: input.related_event_id }),
    ...(typeof from === 'number' && { from }),
    ...(typeof until === 'number' && { until }),
  };
}

type Keeping = 'events_hold' | 'events_release' | 'events_retry_upload' | 'event_schemas_list';

function keeping({
  store,
  schemas,
  uploader,
  settings,
}: EventStoreDependencies): Pick<DeviceHandlers, Keeping> {
  const kept = async (eventId: string) => {
    const event = await store.get(eventId);
    return event && keptFor(event, settings);
  };
  return {
    events_hold: async ({ event_id, reason }) => {
      await store.hold(event_id, reason);
      const message = 'No cleanup removes this event until it is released.';
      return { message, ...(await kept(event_id)) };
    },
    events_release: async ({ event_id }) => {
      await store.release(event_id);
      const message = 'The event follows the usual retention again.';
      return { message, ...(await kept(event_id)) };
    },
    events_retry_upload: async ({ event_id }) => {
      const retried = await store.retryUpload(event_id);
      uploader.retry();
      return { retried, upload_enabled: settings.cloud !== undefined };
    },
    event_schemas_list: async () => ({
      schemas: [...schemas.all].map(([name, schema]) => ({ name, schema: { ...schema } })),
    }),
  };
}
