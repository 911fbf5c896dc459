// Tools of the events toolset: the Event Store of a device.

import * as z from 'zod';
import { eventStore } from '../src/contract/event-store.ts';
import { events } from '../src/contract/events.ts';
import { fromOperation, toolFor } from '../src/mcp/operation-tool.ts';
import type { NextCall, Tool } from '../src/mcp/tool.ts';
import { withAdvice } from './events/advice.ts';
import { attachFile, attachVideo, fileInput, videoInput } from './events/attach.ts';
import { countEvents, countInput } from './events/count.ts';
import { createEvent, createInput, showCall } from './events/create.ts';
import { getEvent, latestEvents, latestInput, listEvents, listInput } from './events/read.ts';
import { holdCalls, keptWords } from './events/retention-words.ts';
import { readStats } from './events/stats.ts';
import { count, quoted } from './format.ts';

const reading: readonly Tool[] = [
  toolFor(events.events_list, {
    title: 'List device events',
    description:
      'Finds events of this device by time, device, facts or detections, newest first. events_count only counts.',
    app: 'event-timeline',
    input: listInput,
    run: listEvents,
  }),
  toolFor(events.events_get, {
    title: 'Get device event',
    description: 'Shows one event, and its images with boxes. events_list has the ids.',
    input: z.strictObject(events.events_get.pathParameters.shape),
    run: getEvent,
  }),
  toolFor(events.events_latest, {
    title: 'Get latest events',
    description: 'Shows the newest events of this device with pictures. To filter use events_list.',
    input: latestInput,
    run: latestEvents,
  }),
  toolFor(events.events_count, {
    title: 'Count device events',
    description: 'Counts events of this device, and tells from when to when they are.',
    input: countInput,
    run: countEvents,
  }),
];

const attaching: readonly Tool[] = [
  toolFor(events.events_attach_video, {
    title: 'Attach video',
    description: 'Attaches a video to a draft event, made by events_create.',
    usesFiles: true,
    input: videoInput,
    run: attachVideo,
  }),
  toolFor(events.events_attach_file, {
    title: 'Attach local file',
    description:
      'Attaches any file to a draft event; it never leaves this device. For a video use events_attach_video.',
    usesFiles: true,
    input: fileInput,
    run: attachFile,
  }),
  fromOperation(events.events_finalize, {
    title: 'Finalize draft event',
    description: 'Closes a draft event: it takes no more files, and may be uploaded.',
    summarize: ({ already_finalized, auto_finalized_at, ...event }, { event_id }) => {
      const by = auto_finalized_at ? ', by the store after its time was up' : '';
      const state = already_finalized ? `was finalized already${by}` : 'is final';
      return `Event ${quoted(event_id)} ${state}.${keptWords(event)}`;
    },
    next: (answer, { event_id }) => [showCall(event_id), ...holdCalls(event_id, answer)],
  }),
];

const keeping: readonly Tool[] = [
  toolFor(eventStore.events_stats, {
    title: 'Check event store',
    description:
      'Tells how full the Event Store is, what waits for upload and what was removed. Use it where events are refused or missing.',
    input: z.strictObject({}),
    run: (_input, context) => readStats(context),
  }),
  fromOperation(eventStore.events_ledger, {
    title: 'List removed events',
    description: 'Lists events removed from this device: when and why, newest first.',
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
    description:
      'Keeps an event for ever, until events_release. Others go by age, usually after a day, or for space.',
    summarize: (answer, { event_id }) =>
      `No cleanup removes event ${quoted(event_id)}.${keptWords(answer)}`,
    // Models follow proposals: none of them undoes anything.
    next: (_answer, { event_id }) => [showCall(event_id)],
  }),
  fromOperation(eventStore.events_release, {
    title: 'Release event',
    description: 'Ends a hold: the event may be removed again.',
    summarize: (answer, { event_id }) =>
      `Event ${quoted(event_id)} follows the usual retention again.${keptWords(answer)}`,
  }),
  fromOperation(eventStore.events_retry_upload, {
    title: 'Retry refused uploads',
    description: 'Uploads events again that the cloud refused.',
    summarize: ({ retried, upload_enabled = true }) =>
      upload_enabled
        ? `${count(retried, 'event')} wait for upload again.`
        : `${count(retried, 'event')} would be sent again, but cloud upload is off: nothing sends them.`,
    next: () => [{ tool: 'events_stats', arguments: {}, why: 'Shows how the upload goes.' }],
  }),
  fromOperation(eventStore.event_schemas_list, {
    title: 'List event schemas',
    description: 'Lists event schemas with a JSON Schema of their event_data, for events_create.',
    summarize: ({ schemas }) => `${count(schemas.length, 'event schema')}.`,
  }),
];

function olderRemovals(input: object, before: number): NextCall {
  return { tool: 'events_ledger', arguments: { ...input, before }, why: 'Older removals.' };
}

export const eventTools: readonly Tool[] = [
  toolFor(events.events_create, {
    title: 'Create device event',
    description:
      'Stores on this device what was seen, with images by path and detections. A draft takes files until events_finalize. Age removes it, usually after a day, unless events_hold keeps it for ever. On the platform: vision_events_create.',
    fileArguments: ['images'],
    repeated: 'made',
    input: createInput,
    run: createEvent,
  }),
  ...reading,
  ...attaching,
  ...keeping,
].map(withAdvice);
