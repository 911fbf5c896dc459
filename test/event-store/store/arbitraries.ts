// Events and queries for property tests: few values, so that many queries find something.

import fc from 'fast-check';
import type {
  DetectionCondition,
  EventFilter,
  EventQuery,
  MetadataCondition,
  MetadataValue,
  NewEvent,
} from '../../../src/event-store/store/store.ts';
import { newEvent, newFile } from './new-events.ts';

const device = fc.constantFrom('camera-1', 'camera-2', 'ä');
const schema = fc.constantFrom('custom', 'quality_check');
const workflow = fc.constantFrom('flow', 'other');
const externalId = fc.constantFrom('x1', 'x2', 'x3');
const relatedEventId = fc.constantFrom('r1', 'r2');
const maybe = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined });

const long = 'long '.repeat(60);

/** Values that are easily taken for each other, and such that sort oddly. */
const metadataValue: fc.Arbitrary<MetadataValue> = fc.constantFrom(
  ...[0, 1, 5, -5, 0.1, 0.30000000000000004, 1e18, 1234567890123456800],
  ...['0', '1', '5', '', 'a', 'b', 'true', 'ä', '\u{1F600}', '\uFF5E', long, `${long}!`],
  ...[true, false],
);
const metadataKey = fc.constantFrom('line', 'ok', '__proto__', 'a"b', 'a:b');

/** Members of event_data: single values, nested ones, and names that look like paths. */
const eventData = fc
  .tuple(
    fc.record({ text: fc.constant('ü\u0000"') }),
    fc.record(
      {
        result: fc.constantFrom('pass', 'fail'),
        size: fc.oneof(metadataValue, fc.constantFrom(null, [5])),
        part: fc.record({ size: metadataValue, 'a.b': metadataValue }, { requiredKeys: ['size'] }),
        'part.size': metadataValue,
      },
      { requiredKeys: [] },
    ),
  )
  .map(([text, more]) => ({ ...text, ...more }));

const box = fc.record({
  class: fc.constantFrom('bolt', 'nut', '5'),
  confidence: fc.constantFrom(0, 0.25, 0.5, 0.75, 1),
});
const boxes = fc.array(box, { maxLength: 3 });
const image = fc
  .record({ object_detections: boxes, classifications: boxes, keypoints: boxes })
  .map((lists) => ({
    file_id: null,
    input_file_id: null,
    label: null,
    metadata: null,
    instance_segmentations: [],
    object_detections: lists.object_detections,
    classifications: lists.classifications,
    keypoints: lists.keypoints,
  }));

export const arbitraryEvent: fc.Arbitrary<NewEvent> = fc
  .record({
    draft: fc.boolean(),
    deviceId: maybe(device),
    eventSchema: schema,
    workflowId: maybe(workflow),
    externalId: maybe(externalId),
    relatedEventId: maybe(relatedEventId),
    solution: maybe(fc.constant('bolts')),
    displayImagePosition: maybe(fc.constant(0)),
    eventData,
    images: fc.array(image, { maxLength: 2 }),
    customMetadata: maybe(
      fc
        .array(
          fc.tuple(metadataKey, fc.oneof(metadataValue, fc.constantFrom(null, { line: 5 }, [5]))),
        )
        .map((pairs) => Object.fromEntries(pairs)),
    ),
    files: fc
      .array(fc.constantFrom('image' as const, 'video' as const), { maxLength: 2 })
      .map((kinds) => kinds.map((kind) => newFile({ kind }))),
  })
  .map(newEvent);

const condition: fc.Arbitrary<MetadataCondition> = fc.record({
  key: fc.oneof({ weight: 9, arbitrary: metadataKey }, fc.constant('never')),
  operator: fc.constantFrom('eq', 'ne', 'gt', 'lt', 'gte', 'lte'),
  values: fc.oneof(
    metadataValue.map((value) => [value]),
    // What a filter's text may stand for.
    fc.constantFrom([5, '5'], [true, 'true'], [0, '0']),
  ),
});

const dataCondition: fc.Arbitrary<MetadataCondition> = fc.record({
  key: fc.constantFrom('result', 'size', 'part', 'part.size', 'part.a.b', 'never', 'result.length'),
  operator: fc.constantFrom('eq', 'ne', 'gt', 'lt', 'gte', 'lte'),
  values: fc.oneof(
    metadataValue.map((value) => [value]),
    fc.constantFrom(['fail'], [5, '5']),
  ),
});

const figures = (key: string, values: readonly number[]) =>
  fc.record({
    key: fc.constant(key),
    operator: fc.constantFrom('eq', 'ne', 'gt', 'lt', 'gte', 'lte'),
    values: fc.constantFrom(...values.map((value) => [value])),
  });

const detections: fc.Arbitrary<DetectionCondition> = fc.record({
  terms: fc.array(
    fc.oneof(
      fc.record({
        key: fc.constant('class'),
        operator: fc.constantFrom('eq' as const, 'ne' as const),
        values: fc.constantFrom(['bolt'], ['nut'], ['5'], ['screw']),
      }),
      figures('confidence', [0.25, 0.5, 1]),
    ),
    { minLength: 1, maxLength: 2 },
  ),
  counts: fc.array(figures('count', [0, 1, 2, 3]), { minLength: 1, maxLength: 2 }),
});

const list = <Value>(value: fc.Arbitrary<Value>) =>
  fc.oneof(
    value.map((one) => [one]),
    fc.array(value, { minLength: 1, maxLength: 3 }),
  );

/** The settable clock of the tests starts here. */
const start = Date.UTC(2026, 10, 20) * 1000;
const moment = fc.integer({ min: start - 1000, max: start + 40_000 });

const eventDataConditions = fc.array(dataCondition, { minLength: 1, maxLength: 2 });
const detectionConditions = fc.array(detections, { minLength: 1, maxLength: 2 });

/** What looks inside events: at their data, their detections, or both. */
export const arbitraryInside: fc.Arbitrary<Pick<EventFilter, 'eventData' | 'detections'>> =
  fc.oneof(
    fc.record({ eventData: eventDataConditions }),
    fc.record({ detections: detectionConditions }),
    fc.record({ eventData: eventDataConditions, detections: detectionConditions }),
  );

export const arbitraryQuery: fc.Arbitrary<EventQuery> = fc.record(
  {
    deviceIds: list(fc.oneof({ weight: 4, arbitrary: device }, fc.constant('unknown'))),
    eventSchemas: list(schema),
    workflowIds: list(workflow),
    externalIds: list(externalId),
    relatedEventId,
    metadata: fc.array(condition, { minLength: 1, maxLength: 3 }),
    eventData: eventDataConditions,
    detections: detectionConditions,
    from: moment,
    until: moment,
    includeDrafts: fc.boolean(),
    limit: fc.integer({ min: 1, max: 50 }),
    order: fc.constantFrom('newest_first' as const, 'oldest_first' as const),
  },
  { requiredKeys: ['limit', 'order'] },
);
