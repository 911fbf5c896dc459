// Whether an event meets a filter, looked at in the event itself.

import { isJsonObject, type JsonObject, memberOf } from '../../json-object.ts';
import { valueMeets } from '../../value-conditions.ts';
import { isFilterable, isScalar } from '../filterable-values.ts';
import type {
  DetectionCondition,
  EventFilter,
  EventImage,
  MetadataCondition,
  StoredEvent,
} from './store.ts';

/** What `matches` looks at. */
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

function meets(members: JsonObject, { key, operator, values }: MetadataCondition): boolean {
  if (!Object.hasOwn(members, key)) return false;
  const value = members[key];
  return isFilterable(key, value) && valueMeets(value, operator, values);
}

/** Whether a filter looks at more than `matches` does: at what stands in the body of an event. */
export function looksInside({ eventData = [], detections = [] }: EventFilter): boolean {
  return eventData.length > 0 || detections.length > 0;
}

/** Whether the body of an event meets what `matches` does not look at. */
export function matchesInside(
  { eventData, images }: Pick<StoredEvent, 'eventData' | 'images'>,
  filter: EventFilter,
): boolean {
  return (
    (filter.eventData ?? []).every((condition) => meetsAt(eventData, condition)) &&
    (filter.detections ?? []).every((condition) => isSeen(images, condition))
  );
}

/** A member of that whole name, dots included, comes before one of a nested object. */
function meetsAt(eventData: JsonObject, condition: MetadataCondition): boolean {
  const { key } = condition;
  if (Object.hasOwn(eventData, key)) return meets(eventData, condition);
  let holder: unknown = eventData;
  let start = 0;
  // As deep as the event is, however many names the path has.
  for (let end = key.indexOf('.'); end >= 0; end = key.indexOf('.', start)) {
    // Elements of lists have no names.
    holder = isJsonObject(holder) ? memberOf(holder, key.slice(start, end)) : undefined;
    if (holder === undefined) return false;
    start = end + 1;
  }
  return isJsonObject(holder) && meets(holder, { ...condition, key: key.slice(start) });
}

function isSeen(images: readonly EventImage[], { terms, counts }: DetectionCondition): boolean {
  let seen = 0;
  for (const image of images) {
    for (const list of detectionLists) {
      for (const one of image[list]) if (isMeant(one, terms)) seen += 1;
    }
  }
  return counts.every(({ operator, values }) => valueMeets(seen, operator, values));
}

/** Events may have thousands of detections: no more is done for each than must be. */
function isMeant(one: unknown, terms: DetectionCondition['terms']): boolean {
  if (!isJsonObject(one)) return false;
  for (const { key, operator, values } of terms) {
    const value = one[key];
    if (!isScalar(value) || !valueMeets(value, operator, values)) return false;
  }
  return true;
}

/** The lists of an image that have detections. */
export const detectionLists = [
  'object_detections',
  'classifications',
  'instance_segmentations',
  'keypoints',
] as const;
