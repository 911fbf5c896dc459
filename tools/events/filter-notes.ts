// What filters left out, seen in the latest events: a model takes an answer that lacks events for
// the truth about the device.

import { eventStore } from '../../src/contract/event-store.ts';
import { events } from '../../src/contract/events.ts';
import type { Answer, Input } from '../../src/contract/operation.ts';
import type { ToolContext } from '../../src/mcp/tool.ts';
import { asGiven, nameList } from '../format.ts';

type Filters = Input<typeof events.events_list>;
type StoredEvent = Answer<typeof events.events_list>['events'][number];

/** Enough to know how events are written here. */
const latestSeen = 100;

/** More values would hide what matters. */
const valuesToldMax = 5;

/**
 * One sentence for each filter that no event can have met, where none was found; always for
 * metadata that stands in event_data, which no filter reads. Other Event Stores may tell nothing.
 */
export async function notesOnFilters(
  filters: Filters,
  found: number,
  { client, signal }: ToolContext,
): Promise<readonly string[]> {
  if (found > 0 && filters.metadata_filter === undefined) return [];
  try {
    const latest = await client.call(events.events_latest, { limit: latestSeen }, { signal });
    const seen = latest.body.events;
    if (found > 0) return dataNotes(filters, seen);
    if (seen.length === 0) return ['No event is stored here yet.'];
    const schemas = await schemaNotes(filters.event_schema, seen, { client, signal });
    return [...schemas, ...exactNotes(filters, seen), ...metadataNotes(filters, seen)];
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
  const outside = seen.filter(({ custom_metadata: metadata, event_data }) =>
    keysOf(filters).some((key) => metadata?.[key] === undefined && event_data[key] !== undefined),
  );
  return keysOf(filters)
    .filter((key) => isInData(key, outside))
    .map((key) => `Of some events ${inData(key)}`);
}

function keysOf({ metadata_filter: conditions = [] }: Filters): readonly string[] {
  return [...new Set(conditions.map((condition) => condition.split(':')[0] ?? ''))];
}

function isInData(key: string, seen: readonly StoredEvent[]): boolean {
  return seen.some(({ event_data }) => event_data[key] !== undefined);
}

function inData(key: string): string {
  return (
    `${asGiven(key)} stands in event_data, which metadata_filter does not read: filter by ` +
    'event_schema or time, and look at event_data of the events.'
  );
}

function metadataNotes(filters: Filters, seen: readonly StoredEvent[]): readonly string[] {
  return keysOf(filters).map((key) => {
    const values = distinct(seen.map(({ custom_metadata }) => custom_metadata?.[key]));
    if (values.length > 0) {
      return `custom_metadata has ${asGiven(key)} in the latest ${seen.length} events${others(values)}`;
    }
    return isInData(key, seen)
      ? inData(key)
      : `None of the latest ${seen.length} events has ${asGiven(key)} in custom_metadata.`;
  });
}

function distinct(values: readonly unknown[]): readonly string[] {
  return [...new Set(values.filter((value) => value !== undefined && value !== null).map(String))];
}

function others(values: readonly string[]): string {
  if (values.length === 0) return '; they have none.';
  const more = values.length > valuesToldMax ? ' and others' : '';
  return `: ${nameList(values.slice(0, valuesToldMax))}${more}.`;
}
