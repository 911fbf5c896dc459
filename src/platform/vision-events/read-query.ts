// The filters of a query of vision events, as the store takes them.

import type { Input } from '../../contract/operation.ts';
import type { visionEventExtensions } from '../../contract/vision-events.ts';
import { invalidArgument } from '../../errors.ts';
import { limits } from '../../limits.ts';
import { type ComparisonOperator, meaningsOf, type Scalar } from '../../value-conditions.ts';
import type { EventCondition, EventQuery } from '../store/vision-events.ts';
import { millisecondsOf } from './event-time.ts';

type QueryInput = Input<typeof visionEventExtensions.vision_events_query>;
type MetadataFilter = NonNullable<QueryInput['customMetadataFilters']>[number];

/** Throws `invalid_input`, naming the argument, for filters that nothing can meet. */
export function readQuery(input: QueryInput): Omit<EventQuery, 'after'> {
  const from = input.startTime === undefined ? undefined : millisecondsOf(input.startTime);
  const until = input.endTime === undefined ? undefined : millisecondsOf(input.endTime);
  if (from !== undefined && until !== undefined && from > until) {
    throw invalidArgument('startTime', 'lies after endTime');
  }
  return {
    useCaseId: input.useCaseId,
    eventTypes: typesOf(input),
    from,
    until,
    conditions: conditionsOf(input),
    limit: input.limit ?? limits.eventsPageDefault,
  };
}

function typesOf({ eventType, eventTypes }: QueryInput): readonly string[] | undefined {
  if (eventType === undefined) return eventTypes;
  if (eventTypes === undefined || eventTypes.includes(eventType)) return [eventType];
  throw invalidArgument('eventType', 'is none of eventTypes: give one of the two');
}

function conditionsOf(input: QueryInput): readonly EventCondition[] {
  const { detection, imageCount, customMetadataFilters = [], eventFieldFilters = [] } = input;
  return [
    ...idCondition(['deviceId'], input.deviceId),
    ...idCondition(['streamId'], input.streamId),
    ...idCondition(['workflowId'], input.workflowId),
    ...idCondition(['eventData', 'externalId'], input.externalId),
    ...customMetadataFilters.map((filter, index) => {
      const operator = operatorOf(filter.operator);
      const values = valuesOf(filter, operator, `customMetadataFilters[${index}].value`);
      return memberCondition(['customMetadata', filter.field], operator, values);
    }),
    ...eventFieldFilters.map(({ column, operator: word, value }, index) => {
      const operator = operatorOf(word);
      const values = valuesOf({ value }, operator, `eventFieldFilters[${index}].value`);
      return memberCondition(['eventData', column], operator, values);
    }),
    ...(detection ? [detectionCondition(detection)] : []),
    ...(imageCount === undefined ? [] : [imageCondition(imageCount)]),
  ];
}

type IdFilter = QueryInput['deviceId'] | QueryInput['externalId'];

function idCondition(path: readonly string[], filter: IdFilter): readonly EventCondition[] {
  if (filter === undefined) return [];
  if (typeof filter === 'string') return [memberCondition(path, 'eq', meaningsOf(filter, 'eq'))];
  const operator = operatorOf(filter.operator);
  return [memberCondition(path, operator, meaningsOf(filter.value, operator))];
}

function memberCondition(
  path: readonly string[],
  operator: ComparisonOperator,
  values: readonly Scalar[],
): EventCondition {
  return { kind: 'member', path, operator, values };
}

function detectionCondition({
  operator,
  value,
  confidence = 0,
}: NonNullable<QueryInput['detection']>): EventCondition {
  return { kind: 'detection', class: value, confidence, wasSeen: operator === 'eq' };
}

function imageCondition(filter: NonNullable<QueryInput['imageCount']>): EventCondition {
  if (typeof filter === 'number') return { kind: 'imageCount', operator: 'eq', count: filter };
  return { kind: 'imageCount', operator: operatorOf(filter.operator), count: filter.value };
}

function operatorOf(word: MetadataFilter['operator']): ComparisonOperator {
  return word === 'neq' ? 'ne' : word;
}

/** Without a type, all that the value may stand for; with one, the value of that type. */
function valuesOf(
  { value, type }: Pick<MetadataFilter, 'value' | 'type'>,
  operator: ComparisonOperator,
  argument: string,
): readonly Scalar[] {
  const isOrder = operator !== 'eq' && operator !== 'ne';
  if (typeof value === 'boolean' && isOrder && type === undefined) {
    throw invalidArgument(argument, noOrder);
  }
  const all = type === 'string' ? [String(value)] : meaningsOf(String(value), operator);
  const values = type === undefined ? all : all.filter((one) => typeof one === type);
  if (values.length > 0) return values;
  const isBoolean = type === 'boolean' && /^(true|false)$/i.test(String(value));
  throw invalidArgument(argument, isBoolean ? noOrder : `is no ${type}`);
}

const noOrder = 'has no order: use eq or neq';
