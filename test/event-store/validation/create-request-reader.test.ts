// Events from the JSON of their requests: what is taken as it came is what would be taken anyhow.

import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { checkRequest } from '../../../src/contract/check.ts';
import { events } from '../../../src/contract/events.ts';
import {
  bodyOf,
  type EventInput,
  imagesOf,
  readBody,
} from '../../../src/event-store/store/stored-body.ts';
import { builtInSchemas } from '../../../src/event-store/validation/built-in-schemas.ts';
import { checkEvent, eventHead } from '../../../src/event-store/validation/check-event.ts';
import {
  createRequestReader,
  isRequestRules,
} from '../../../src/event-store/validation/create-request-reader.ts';
import { createEventSchemas } from '../../../src/event-store/validation/event-schemas.ts';
import { normalizeMemberNames } from '../../../src/event-store/validation/member-names.ts';
import { isJsonObject } from '../../../src/json-object.ts';
import { tinyPng } from '../../fixtures/event-store.ts';
import { oddEvent, validEvent } from '../fuzz/generators.ts';

const rules = { eventSchemas: builtInSchemas, needsSolution: false };
const read = createRequestReader(rules);
const schemas = createEventSchemas(new Map(Object.entries(builtInSchemas)));

/** Step by step, as a request is read that nobody could take as it came. */
function readSlowly(body: unknown): EventInput | undefined {
  try {
    const respelled = isJsonObject(body) ? normalizeMemberNames(body) : body;
    const input = checkRequest(events.events_create, { path: {}, query: {}, body: respelled });
    checkEvent(input, { schemas, needsSolution: false });
    return input;
  } catch {
    return undefined;
  }
}

const plain = {
  event_schema: 'custom',
  event_data: { value: 'seen', externalId: 'a-7' },
  inference_timestamp: '2026-11-20T10:00:00Z',
};

describe('a request', () => {
  test('is read as any other', () => {
    const text = JSON.stringify({ ...plain, device_id: 'd', custom_metadata: { line: 3 } });
    expect(read(text)?.body).toBe(text);
    expect(read(text)?.head).toEqual({
      draft: false,
      deviceId: 'd',
      eventSchema: 'custom',
      workflowId: undefined,
      externalId: 'a-7',
      relatedEventId: undefined,
      customMetadata: { line: 3 },
    });
  });

  test('whatever it is: taken as it came only where it says the same when it is read slowly', () => {
    let taken = 0;
    fc.assert(
      fc.property(fc.oneof(validEvent, oddEvent), (body) => {
        const text = JSON.stringify(body);
        const event = text === undefined ? undefined : read(text);
        if (event === undefined) return;
        taken += 1;
        const input = readSlowly(JSON.parse(text));
        expect(input).toBeDefined();
        if (input === undefined) return;
        expect(event.head).toEqual(eventHead(input));
        expect(readBody(JSON.parse(event.body))).toEqual(bodyOf(input, imagesOf(input)));
      }),
      { numRuns: 400 },
    );
    expect(taken).toBeGreaterThan(20);
  });

  test('in another spelling is kept in that of the contract', () => {
    const event = read(JSON.stringify({ ...plain, deviceId: 'd', stream_id: 's', images: [{}] }));
    expect(event?.head).toMatchObject({ deviceId: 'd' });
    expect(readBody(JSON.parse(event?.body ?? ''))).toMatchObject({
      streamId: 's',
      inferenceTimestamp: plain.inference_timestamp,
      images: [{ label: null }],
    });
  });

  test.each([
    ['is no JSON', '{"event_schema":'],
    ['is no object', '[]'],
    ['is not what the contract says', JSON.stringify({ ...plain, extra: 1 })],
    ['has a day that there is not', withMembers({ inference_timestamp: '2026-02-30T10:00:00Z' })],
    ['has too much metadata', withMembers({ custom_metadata: { ...Array(101).fill(0) } })],
    ['has a number beyond all', withDetection({ x: 7.25 }).replace('7.25', '1e999')],
    ['has half a point', withImage({ instanceSegmentations: [{ ...box, points: [[1]] }] })],
    ['is sure beyond all', withDetection({ confidence: 1.01 })],
    ['has an unknown member within', withDetection({ area: 1 })],
    ['names no known schema', JSON.stringify({ ...plain, event_schema: 'x' })],
    ['does not fit its schema', JSON.stringify({ ...plain, event_data: { value: 1 } })],
    ['shows an image that it has not', JSON.stringify({ ...plain, displayImagePosition: 1 })],
    ['brings bytes', JSON.stringify({ ...plain, images: [{ base64Image: png() }] })],
    ['names a prototype', withMetadata('{"__proto__":{}}')],
    ['is too deep', withMetadata(`{"a":${'['.repeat(200)}${']'.repeat(200)}}`)],
    ['has an object as text', JSON.stringify({ ...plain, event_data: '{"value":"seen"}' })],
    ['has a list as text', JSON.stringify({ ...plain, images: '[{}]' })],
    ['has a list as text within', JSON.stringify({ ...plain, images: [{ keypoints: '[]' }] })],
  ])('that %s is left to others', (_, text) => {
    expect(read(text)).toBeUndefined();
  });

  test('with detections is taken', () => {
    expect(read(withDetection({ x: 7.25 }))).toBeDefined();
    expect(
      read(withImage({ instanceSegmentations: [{ ...box, points: [[1, 2]] }] })),
    ).toBeDefined();
  });

  test('may say what others are refused for', () => {
    const deep = `{"a":${'['.repeat(20)}${']'.repeat(20)},"b":"\\u00e9","__proto":1}`;
    expect(read(withMetadata(deep))?.body).toBe(withMetadata(deep));
  });

  test('without a solution is, where one is needed', () => {
    const strict = createRequestReader({ ...rules, needsSolution: true });
    expect(strict(JSON.stringify(plain))).toBeUndefined();
    expect(strict(JSON.stringify({ ...plain, solution: 's' }))).toBeDefined();
  });
});

test('rules are known by their form', () => {
  expect(isRequestRules(structuredClone(rules))).toBe(true);
  expect(isRequestRules({ eventSchemas: { custom: 1 }, needsSolution: false })).toBe(false);
  expect(isRequestRules(undefined)).toBe(false);
});

const box = { class: 'bottle', x: 1, y: 1, width: 1, height: 1, confidence: 1 };

function withDetection(members: object): string {
  return withImage({ objectDetections: [{ ...box, ...members }] });
}

function withImage(image: object): string {
  return withMembers({ images: [image] });
}

function withMembers(members: object): string {
  return JSON.stringify({ ...plain, ...members });
}

function withMetadata(json: string): string {
  return `${JSON.stringify(plain).slice(0, -1)},"custom_metadata":${json}}`;
}

function png(): string {
  return tinyPng.toString('base64');
}
