// Tools of the events toolset: the Event Store of a device.

import * as z from 'zod';
import { eventStore } from '../src/contract/event-store.ts';
import { events } from '../src/contract/events.ts';
import { fromOperation, toolFor } from '../src/mcp/operation-tool.ts';
import type { NextCall, Tool } from '../src/mcp/tool.ts';
import { withAdvice } from './events/advice.ts';
import { attachFile, attachVideo, fileInput, videoInput } from './events/attach.ts';
import { createEvent, createInput, showCall } from './events/create.ts';
import { getEvent, latestEvents, latestInput, listEvents, listInput } from './events/read.ts';
import { readStats } from './events/stats.ts';
import { bare, count, quoted } from './format.ts';

/** Comma-separated forms of the filters: a model that wants several can call several times. */
const severalOf = ['device_id__in', 'event_schema__in', 'workflow_id__in', 'external_id__in'];

const reading: readonly Tool[] = [
  toolFor(events.events_list, {
    title: 'List device events',
    description: 'Finds stored events by time, device, schema or metadata.',
    app: 'event-timeline',
    meta: { searchHint: 'device camera detections history vision events' },
    input: listInput,
    hiddenArguments: [
      ...severalOf,
      'workflow_id',
      'external_id',
      'related_event_id',
      'include_drafts',
    ],
    run: listEvents,
  }),
  toolFor(events.events_get, {
    title: 'Get device event',
    description: 'One event with detections, attachments and images.',
    input: z.strictObject(events.events_get.pathParameters.shape),
    run: getEvent,
  }),
  toolFor(events.events_latest, {
    title: 'Get latest events',
    description: 'What happened last on the device.',
    input: latestInput,
    hiddenArguments: ['include_drafts'],
    run: latestEvents,
  }),
  fromOperation(events.events_count, {
    title: 'Count device events',
    description: 'How many events there are, from when to when.',
    hiddenArguments: ['workflow_id'],
    summarize: ({ total_count, filtered_count, oldest_timestamp, newest_timestamp }) => {
      const span = newest_timestamp
        ? `, from ${bare(oldest_timestamp ?? '')} to ${bare(newest_timestamp)}`
        : '';
      return `${filtered_count} of ${count(total_count, 'event')}${span}.`;
    },
  }),
];

const attaching: readonly Tool[] = [
  toolFor(events.events_attach_video, {
    title: 'Attach video',
    description: 'Adds a video to a draft event.',
    usesFiles: true,
    input: videoInput,
    run: attachVideo,
  }),
  toolFor(events.events_attach_file, {
    title: 'Attach local file',
    description: 'Adds a file, which never leaves the device, to a draft event.',
    usesFiles: true,
    input: fileInput,
    hiddenArguments: ['content_type'],
    run: attachFile,
  }),
  fromOperation(events.events_finalize, {
    title: 'Finalize draft event',
    description: 'Closes a draft: it takes no more files.',
    summarize: ({ already_finalized, auto_finalized_at }, { event_id }) => {
      const by = auto_finalized_at ? ', by the store after its time was up' : '';
      const state = already_finalized ? `was finalized already${by}` : 'is final';
      return `Event ${quoted(event_id)} ${state}.`;
    },
    next: (_answer, { event_id }) => [showCall(event_id)],
  }),
];

const keeping: readonly Tool[] = [
  toolFor(eventStore.events_stats, {
    title: 'Check event store',
    description: 'How full it is, what waits for upload, what was removed.',
    input: z.strictObject({}),
    run: (_input, context) => readStats(context),
  }),
  fromOperation(eventStore.events_ledger, {
    title: 'List removed events',
    description: 'What was removed, when and why.',
    hiddenArguments: ['event_id'],
    project: ({ lines, next }) => ({ next_before: next, lines }),
    page: ({ lines, next }) => ({
      shown: lines.length,
      truncated: next !== null,
      ...(next !== null && { next: { before: next } }),
    }),
    summarize: ({ lines, next }) =>
      `${count(lines.length, 'removal')}${next === null ? '' : '; older ones follow'}.`,
    next: ({ next }, input) => (next === null ? [] : [olderRemovals(input, next)]),
  }),
  fromOperation(eventStore.events_hold, {
    title: 'Hold event',
    description: 'Keeps an event from every cleanup.',
    summarize: (_answer, { event_id }) => `No cleanup removes event ${quoted(event_id)}.`,
    // Models follow proposals: none of them undoes anything.
    next: (_answer, { event_id }) => [showCall(event_id)],
  }),
  fromOperation(eventStore.events_release, {
    title: 'Release event',
    description: 'Ends a hold.',
    summarize: (_answer, { event_id }) =>
      `Event ${quoted(event_id)} follows the usual retention again.`,
  }),
  fromOperation(eventStore.events_retry_upload, {
    title: 'Retry refused uploads',
    description: 'Lets refused events wait for upload again.',
    summarize: ({ retried }) => `${count(retried, 'event')} wait for upload again.`,
    next: () => [{ tool: 'events_stats', arguments: {}, why: 'Shows how the upload goes.' }],
  }),
  fromOperation(eventStore.event_schemas_list, {
    title: 'List event schemas',
    description: 'What event_data must look like, per event_schema.',
    summarize: ({ schemas }) => `${count(schemas.length, 'event schema')}.`,
  }),
];

function olderRemovals(input: object, before: number): NextCall {
  return { tool: 'events_ledger', arguments: { ...input, before }, why: 'Older removals.' };
}

export const eventTools: readonly Tool[] = [
  toolFor(events.events_create, {
    title: 'Create device event',
    description: 'Stores what was seen on the device. A draft takes files until finalized.',
    fileArguments: ['images'],
    repeated: 'made',
    input: createInput,
    hiddenArguments: [
      'workflow_id',
      'workflow_version',
      'stream_id',
      'image_id',
      'displayImagePosition',
    ],
    run: createEvent,
  }),
  ...reading,
  ...attaching,
  ...keeping,
].map(withAdvice);
