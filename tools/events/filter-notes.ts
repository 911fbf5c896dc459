// What filters left out, seen in the latest events: a model takes an answer that lacks events for
// the truth about the device.

import { eventStore } from '../../src/contract/event-store.ts';
import { events } from '../../src/contract/events.ts';
import type { Answer, Input } from '../../src/contract/operation.ts';
import { limits } from '../../src/limits.ts';
import type { ToolContext } from '../../src/mcp/tool.ts';
import { asGiven } from '../format.ts';
import {
  absentClassNotes,
  detectionNotes,
  distinct,
  eventDataNotes,
  keysOf,
  others,
} from './detection-and-data-notes.ts';
import { meaningNotes } from './meaning-notes.ts';

/** Those of events_list and of events_count. */
type Filters = Input<typeof events.events_count>;
type StoredEvent = Answer<typeof events.events_list>['events'][number];

/** Enough to know how events are written here. */
const latestSeen = 100;

/**
 * One sentence for each filter that no event can have met, where none was found; always for
 * metadata that stands in event_data, which metadata_filter does not read, and for classes that
 * are counted and not there. Other Event Stores may tell nothing.
 */
export async function notesOnFilters(
  filters: Filters,
  found: number,
  { client, signal }: ToolContext,
): Promise<readonly string[]> {
  const { metadata_filter, detection_filter } = filters;
  if (found > 0 && metadata_filter === undefined && detection_filter === undefined) return [];
  try {
    const latest = await client.call(events.events_latest, { limit: latestSeen }, { signal });
    const seen = latest.body.events;
    if (found > 0) return [...dataNotes(filters, seen), ...absentClassNotes(filters, seen)];
    if (seen.length === 0) return ['No event is stored here yet.'];
    const schemas = await schemaNotes(filters.event_schema, seen, { client, signal });
    return [
      ...schemas,
      ...exactNotes(filters, seen),
      ...metadataNotes(filters, seen),
      ...eventDataNotes(filters, seen),
      ...detectionNotes(filters, seen),
      ...meaningNotes(filters),
      ...(await conditionNotes(filters, { client, signal })),
    ];
  } catch {
    signal.throwIfAborted();
    return [];
  }
}

async function schemaNotes(
  wanted: string | undefined,
  seen: readonly StoredEvent[],
  { client, signal }: Pick<ToolContext, 'client' | 'signal'>,
): Promise<readonly string[]> {
  if (wanted === undefined || seen.some((event) => event.event_schema === wanted)) return [];
  const { body } = await client.call(eventStore.event_schemas_list, {}, { signal });
  const names = body.schemas.map(({ name }) => name);
  if (names.includes(wanted)) return [];
  return [`No event schema is called ${asGiven(wanted)}; there are ${names.join(', ')}.`];
}

/** Filters by one value of an event. */
const exact = ['device_id', 'workflow_id'] as const;

function exactNotes(filters: Filters, seen: readonly StoredEvent[]): readonly string[] {
  return exact.flatMap((name) => {
    const wanted = filters[name];
    const values = distinct(seen.map((event) => event[name]));
    if (wanted === undefined || values.includes(wanted)) return [];
    return [`None of the latest ${seen.length} events has the ${name} asked for${others(values)}`];
  });
}

/** Events that say it in event_data alone are not among those found. */
function dataNotes(filters: Filters, seen: readonly StoredEvent[]): readonly string[] {
  const keys = keysOf(filters.metadata_filter ?? []);
  const outside = seen.filter(({ custom_metadata: metadata, event_data }) =>
    keys.some((key) => metadata?.[key] === undefined && event_data[key] !== undefined),
  );
  return keys.filter((key) => isInData(key, outside)).map((key) => `Of some events ${inData(key)}`);
}

function isInData(key: string, seen: readonly StoredEvent[]): boolean {
  return seen.some(({ event_data }) => event_data[key] !== undefined);
}

function inData(key: string): string {
  return `${asGiven(key)} stands in event_data: ask for it in event_data_filter.`;
}

function metadataNotes(filters: Filters, seen: readonly StoredEvent[]): readonly string[] {
  return keysOf(filters.metadata_filter ?? []).map((key) => {
    const values = distinct(seen.map(({ custom_metadata }) => custom_metadata?.[key]));
    if (values.length > 0) {
      return `custom_metadata has ${asGiven(key)} in the latest ${seen.length} events${others(values)}`;
    }
    return isInData(key, seen)
      ? inData(key)
      : `None of the latest ${seen.length} events has ${asGiven(key)} in custom_metadata.`;
  });
}

/** Which conditions no event meets: each is asked about alone. */
async function conditionNotes(
  filters: Filters,
  { client, signal }: Pick<ToolContext, 'client' | 'signal'>,
): Promise<readonly string[]> {
  const { metadata_filter = [], event_data_filter = [], detection_filter = [] } = filters;
  const conditions = [
    ...metadata_filter.map((text) => ({ metadata_filter: [text] })),
    ...event_data_filter.map((text) => ({ event_data_filter: [text] })),
    ...detection_filter.map((text) => ({ detection_filter: [text] })),
  ];
  const isAlone = conditions.length === 1 && Object.keys(filters).length === 1;
  if (isAlone || conditions.length > limits.eventConditionsAskedMax) return [];
  const notes: string[] = [];
  let met = 0;
  for (const condition of conditions) {
    const input = { ...condition, limit: 1 };
    const { body } = await client.call(events.events_list, input, { signal });
    const isMet = body.events.length > 0;
    if (isMet) met += 1;
    // Else it may be met by an event that was not looked at.
    else if (body.next_timestamp === null) notes.push(...Object.entries(condition).map(unmet));
  }
  const isEachMet = met === conditions.length && met > 0;
  return isEachMet ? ['Each condition alone is met by some events, all filters by none.'] : notes;
}

function unmet([name, [text = '']]: readonly [string, readonly string[]]): string {
  return `No event meets ${asGiven(text)} of ${name}.`;
}
