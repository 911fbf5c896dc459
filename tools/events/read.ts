// events_get, events_list, events_latest: events as text, with previews.

import * as z from 'zod';
import { events } from '../../src/contract/events.ts';
import type { Answer, Input } from '../../src/contract/operation.ts';
import type { NextCall, ToolContext, ToolResult } from '../../src/mcp/tool.ts';
import { count } from '../format.ts';
import { finalizeCall, showCall } from './create.ts';
import { briefEvents, describeEvent } from './event-format.ts';
import { notesOnFilters } from './filter-notes.ts';
import { checkFiltersKnown } from './known-filters.ts';
import { showPictures } from './previews.ts';
import { firstRemovalWords, holdCalls, keptWords } from './retention-words.ts';

const { events_get, events_list, events_latest } = events;
const preview = z.boolean().optional();

export const listInput = z.strictObject({
  ...events_list.query.shape,
  preview: preview.describe('Their images in one picture; default false.'),
});

export const latestInput = z.strictObject({
  limit: events_latest.query.shape.limit.describe('How many events; default 10.'),
  include_drafts: events_latest.query.shape.include_drafts,
  preview: preview.describe('Their images in one picture; default true.'),
});

/** The default of the tool: the latest events are asked for more often than a hundred. */
const latestDefault = 10;

export async function getEvent(
  input: Input<typeof events_get>,
  context: ToolContext,
): Promise<ToolResult> {
  const { body } = await context.client.call(events_get, input, { signal: context.signal });
  const { data, images } = await showPictures([body], context);
  return {
    summary: `${describeEvent(body)}${keptWords(body)}`,
    data: { ...data, ...body },
    images,
    next: [...(body.draft ? [finalizeCall(body.id)] : []), ...holdCalls(body.id, body)],
  };
}

export async function listEvents(
  { preview: isShown = false, ...input }: z.output<typeof listInput>,
  context: ToolContext,
): Promise<ToolResult> {
  const { body } = await context.client.call(events_list, input, { signal: context.signal });
  checkFiltersKnown(['event_data_filter', 'detection_filter'], input, body);
  const { rows, left } = briefEvents(body.events);
  const shown = isShown ? body.events.slice(0, rows.length) : [];
  const { data, images } = await showPictures(shown, context);
  const next_timestamp = left[0]?.created_at ?? body.next_timestamp ?? null;
  // Where not all events were looked at, nothing is known of what filters left out.
  const isWhole = rows.length > 0 || next_timestamp === null;
  const notes = isWhole ? await notesOnFilters(input, rows.length, context) : [];
  const bound = input.sort_direction === 'asc' ? 'start_time' : 'end_time';
  const more: NextCall = {
    tool: 'events_list',
    arguments: { ...input, [bound]: next_timestamp, ...(isShown && { preview: true }) },
    why: 'The next page.',
  };
  return {
    summary: `${count(rows.length, 'event')} on this page.${endWords(body, next_timestamp)}${firstRemovalWords(body.events)}`,
    data: {
      count: rows.length,
      next_timestamp,
      ...(body.scanned !== undefined && { scanned: body.scanned }),
      ...data,
      events: rows,
      ...(notes.length > 0 && { notes }),
    },
    images,
    page: {
      shown: rows.length,
      truncated: next_timestamp !== null,
      ...(next_timestamp !== null && { next: { [bound]: next_timestamp } }),
    },
    ...(next_timestamp !== null && { next: [more] }),
  };
}

function endWords({ scanned }: Answer<typeof events_list>, next_timestamp: string | null): string {
  if (next_timestamp === null) return '';
  if (scanned === undefined) return ' More follow.';
  return ` ${count(scanned, 'event')} were looked at for it; others are left for the next page.`;
}

export async function latestEvents(
  { preview: isShown = true, limit = latestDefault, ...input }: z.output<typeof latestInput>,
  context: ToolContext,
): Promise<ToolResult> {
  const { signal } = context;
  const { body } = await context.client.call(events_latest, { ...input, limit }, { signal });
  const { rows } = briefEvents(body.events);
  const shown = isShown ? body.events.slice(0, rows.length) : [];
  const { data, images } = await showPictures(shown, context);
  const [newest] = body.events;
  const first = newest ? ` ${describeEvent(newest)}${keptWords(newest)}` : '';
  return {
    summary: `${newest ? `The latest ${count(rows.length, 'event')}.` : 'No event yet.'}${first}`,
    data: { count: rows.length, ...data, events: rows },
    images,
    ...(newest && { next: [showCall(newest.id), ...holdCalls(newest.id, newest)] }),
  };
}
