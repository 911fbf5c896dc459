// Whether an event meets a filter, looked at in the event itself.

import { valueMeets } from '../../comparison.ts';
import type { EventFilter, MetadataCondition, StoredEvent } from './store.ts';
import { isFindable } from './terms.ts';

/** What a filter looks at. */
export type FilteredEvent = Pick<
  StoredEvent,
  | 'arrival'
  | 'deviceId'
  | 'eventSchema'
  | 'workflowId'
  | 'externalId'
  | 'relatedEventId'
  | 'customMetadata'
  | 'draft'
>;

export function matches(event: FilteredEvent, filter: EventFilter): boolean {
  return (
    isOneOf(filter.deviceIds, event.deviceId) &&
    isOneOf(filter.eventSchemas, event.eventSchema) &&
    isOneOf(filter.workflowIds, event.workflowId) &&
    isOneOf(filter.externalIds, event.externalId) &&
    (filter.relatedEventId === undefined || filter.relatedEventId === event.relatedEventId) &&
    (filter.from === undefined || event.arrival >= filter.from) &&
    (filter.until === undefined || event.arrival <= filter.until) &&
    (filter.includeDrafts !== false || !event.draft) &&
    (filter.metadata ?? []).every((condition) => meets(event.customMetadata ?? {}, condition))
  );
}

function isOneOf(wanted: readonly string[] | undefined, value: string | undefined): boolean {
  return wanted === undefined || (value !== undefined && wanted.includes(value));
}

function meets(
  customMetadata: Readonly<Record<string, unknown>>,
  { key, operator, values }: MetadataCondition,
): boolean {
  if (!Object.hasOwn(customMetadata, key)) return false;
  const value = customMetadata[key];
  return isFindable(key, value) && valueMeets(value, operator, values);
}
