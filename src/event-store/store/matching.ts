// Whether an event meets a filter, looked at in the event itself.

import type { EventFilter, MetadataCondition, MetadataValue, StoredEvent } from './store.ts';
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

export function valueMeets(
  value: MetadataValue,
  operator: MetadataCondition['operator'],
  values: readonly MetadataValue[],
): boolean {
  if (operator === 'eq') return values.includes(value);
  if (operator === 'ne') return !values.includes(value);
  return values.some((wanted) => {
    const order = compare(value, wanted);
    if (order === undefined) return false;
    if (operator === 'gt') return order > 0;
    if (operator === 'gte') return order >= 0;
    return operator === 'lt' ? order < 0 : order <= 0;
  });
}

/** Undefined for values that have no order with each other. */
function compare(first: MetadataValue, second: MetadataValue): number | undefined {
  if (typeof first === 'number' && typeof second === 'number') return first - second;
  if (typeof first !== 'string' || typeof second !== 'string') return undefined;
  // UTF-8 sorts as code points do, which UTF-16 does not.
  return Buffer.compare(Buffer.from(first), Buffer.from(second));
}
