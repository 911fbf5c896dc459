// events_count: what filters leave. A store looks at so many events in one answer: it is asked on.

import * as z from 'zod';
import { events } from '../../src/contract/events.ts';
import type { Answer, Input } from '../../src/contract/operation.ts';
import { limits } from '../../src/limits.ts';
import type { NextCall, ToolContext, ToolResult } from '../../src/mcp/tool.ts';
import { bare, count } from '../format.ts';
import { notesOnFilters } from './filter-notes.ts';
import { checkFiltersKnown } from './known-filters.ts';

const { events_count } = events;

type Filters = Input<typeof events_count>;
type Counts = Answer<typeof events_count>;

export const countInput = z.strictObject(events_count.query.shape);

export async function countEvents(
  filters: z.output<typeof countInput>,
  context: ToolContext,
): Promise<ToolResult> {
  const counts = await countAll(filters, context);
  const next_timestamp = counts.next_timestamp ?? null;
  const isFiltered = Object.keys(filters).length > 0;
  const notes =
    isFiltered && next_timestamp === null
      ? await notesOnFilters(filters, counts.filtered_count, context)
      : [];
  return {
    summary: `${countWords(counts)}${restWords(counts)}`,
    data: { ...counts, ...(notes.length > 0 && { notes }) },
    ...(next_timestamp !== null && { next: [restCall(filters, next_timestamp)] }),
  };
}

async function countAll(filters: Filters, context: ToolContext): Promise<Counts> {
  const { client, signal } = context;
  const ask = async (input: Filters) => (await client.call(events_count, input, { signal })).body;
  let counts = await ask(filters);
  checkFiltersKnown(countFilters, filters, counts);
  for (let answers = 1; answers < limits.eventCountAnswersMax; answers += 1) {
    const end_time = counts.next_timestamp;
    if (end_time === undefined || end_time === null) break;
    context.progress(counts.scanned ?? 0, counts.total_count, 'events looked at');
    counts = summedUp(counts, await ask({ ...filters, end_time }));
  }
  return counts;
}

/** What the documented API does not have. */
const countFilters = [
  'metadata_filter',
  'event_data_filter',
  'detection_filter',
  'start_time',
  'end_time',
] as const;

/** `older`: the counts of the events before. */
function summedUp(newer: Counts, older: Counts): Counts {
  return {
    ...older,
    filtered_count: newer.filtered_count + older.filtered_count,
    oldest_timestamp: older.oldest_timestamp ?? newer.oldest_timestamp,
    newest_timestamp: newer.newest_timestamp ?? older.newest_timestamp,
    scanned: (newer.scanned ?? 0) + (older.scanned ?? 0),
  };
}

function countWords(counts: Counts): string {
  const { total_count, filtered_count, oldest_timestamp, newest_timestamp } = counts;
  const span = newest_timestamp
    ? `, from ${bare(oldest_timestamp ?? '')} to ${bare(newest_timestamp)}`
    : '';
  return `${filtered_count} of ${count(total_count, 'event')}${span}.`;
}

function restWords({ next_timestamp, scanned = 0 }: Counts): string {
  if (next_timestamp === undefined || next_timestamp === null) return '';
  return ` Only the newest ${count(scanned, 'event')} were looked at: add the count of the rest.`;
}

function restCall(filters: Filters, end_time: string): NextCall {
  return {
    tool: 'events_count',
    arguments: { ...filters, end_time },
    why: 'Counts the rest, to add to this.',
  };
}
