// The events tools on an Event Store of others, which has the operations of docs/spec alone.

import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Fixture, openScriptedService } from './scripted-service.ts';

let fixture: Fixture;

beforeEach(async () => {
  fixture = await openScriptedService();
  fixture.on('GET /events/count/stats', () => ({ json: { total_count: 7, filtered_count: 7 } }));
  fixture.on('GET /v2/events/e1', () => ({ json: event }));
});

afterEach(() => fixture.close());

const event = {
  id: 'e1',
  event_schema: 'custom',
  event_data: { value: 'x' },
  inference_timestamp: '2026-01-31T08:00:00Z',
  created_at: '2026-01-31T08:00:01Z',
  images: [{ file_id: 'f1', object_detections: [{ class: 'a "b"\n' }, { class: 3 }, {}] }],
  draft: true,
};

test('an event is told in words where nothing draws its images', async () => {
  const { summary, images, data } = await fixture.call('events_get', { event_id: 'e1' });
  expect(summary).toBe(
    'Draft "e1" ("custom") of 2026-01-31T08:00:01Z: 1 image, 1 detection (\ue000a b\ue001 1).',
  );
  expect(images).toEqual([]);
  expect(data).not.toHaveProperty('preview_notes');
  expect(fixture.requests.map(({ path }) => path)).toEqual(['/v2/events/e1', '/v2/previews']);
});

test('images that fail to come take nothing away from the words', async () => {
  fixture.on('GET /v2/previews', () => ({ status: 500, json: { detail: 'broken' } }));
  const { data, images } = await fixture.call('events_get', { event_id: 'e1' });
  expect(data).toMatchObject({
    id: 'e1',
    preview_notes: ['the images cannot be shown (upstream_failed)'],
  });
  expect(images).toEqual([]);
});

test.each(['events_stats', 'events_ledger', 'event_schemas_list'])(
  '%s says why not',
  async (name) => {
    const error = await fixture.refused(name, {});
    expect(error.hint).toBe(
      'Only an Event Store of Fovea offers this: the one that is used is another.',
    );
  },
);

/** It passes over what it does not know. */
test.each([
  ['events_list', { event_data_filter: ['value:x'] }],
  ['events_list', { detection_filter: ['class:bolt'] }],
  ['events_count', { event_data_filter: ['value:x'] }],
  ['events_count', { metadata_filter: ['line:3'] }],
  ['events_count', { start_time: '2026-01-31T08:00:00Z' }],
])('%s %j is no answer to a filter that it does not know', async (name, filters) => {
  fixture.on('GET /v2/events', () => ({ json: { events: [event], count: 1 } }));
  const [path] = Object.keys(filters);
  const message = 'is a filter that the Event Store in use does not know: only one of Fovea does';
  expect(await fixture.refused(name, filters)).toMatchObject({
    code: 'invalid_input',
    problems: [{ path, message }],
  });
});

test('a count goes on where the store ended, and adds up', async () => {
  const parts = [
    { filtered_count: 2, oldest_timestamp: 't4', newest_timestamp: 't5', next_timestamp: 't3' },
    { filtered_count: 0, oldest_timestamp: null, newest_timestamp: null, next_timestamp: 't2' },
    { filtered_count: 1, oldest_timestamp: 't1', newest_timestamp: 't1', next_timestamp: null },
  ];
  fixture.on('GET /events/count/stats', (_request, n) => ({
    json: { total_count: 9, scanned: 3, ...parts[n] },
  }));
  const { summary, data } = await fixture.call('events_count', { event_data_filter: ['a:b'] });
  expect(summary).toBe('3 of 9 events, from t1 to t5.');
  expect(data).toMatchObject({ filtered_count: 3, scanned: 9, next_timestamp: null });
  expect(fixture.requests.map(({ query }) => query.get('end_time'))).toEqual([null, 't3', 't2']);
});

test('what is left of a count that takes too long is told, with the call that counts it', async () => {
  const part = { total_count: 9, filtered_count: 0, scanned: 2, next_timestamp: 't0' };
  fixture.on('GET /events/count/stats', () => ({ json: part }));
  const filters = { event_data_filter: ['a:b'] };
  const { summary, data, next } = await fixture.call('events_count', filters);
  expect(fixture.requests).toHaveLength(50);
  expect(summary).toBe(
    '0 of 9 events. Only the newest 100 events were looked at: add the count of the rest.',
  );
  expect(data).not.toHaveProperty('notes');
  expect(next).toMatchObject([{ tool: 'events_count', arguments: { ...filters, end_time: 't0' } }]);
});

test('an empty page that leads on says so, and does not say that there are none', async () => {
  const page = { events: [], count: 0, scanned: 20_000, next_timestamp: '2026-01-31T08:00:01Z' };
  fixture.on('GET /v2/events', () => ({ json: page }));
  const filters = { detection_filter: ['class:bolt'] };
  const { summary, data, next } = await fixture.call('events_list', filters);
  expect(summary).toBe(
    '0 events on this page. 20000 events were looked at for it; others are left for the next page.',
  );
  expect(data).toMatchObject({ scanned: 20_000 });
  expect(data).not.toHaveProperty('notes');
  const end_time = page.next_timestamp;
  expect(next).toMatchObject([{ tool: 'events_list', arguments: { ...filters, end_time } }]);
});

test('the doctor is content when it counts its events', async () => {
  const { data } = await fixture.call('doctor', {});
  expect(data.checks).toContainEqual({
    check: 'event store',
    ok: true,
    detail: 'The one at FOVEA_DEVICE_URL answers and holds 7 events.',
  });
});

test('a wrong answer to a full store is no second error', async () => {
  const full = { detail: 'Uploads must drain.', error: 'capacity_blocked' };
  fixture.on('POST /v2/events', () => ({ status: 529, json: full }));
  const error = await fixture.refused('events_create', { event_schema: 'custom', event_data: {} });
  expect(error).toMatchObject({
    code: 'full',
    retry: 'after',
    upstream: { message: 'Uploads must drain.' },
  });
  expect(error.hint).toBe('events_stats has the figures.');
});

test('an event without a time gets that of the call', async () => {
  const json = { id: 'e2', image_ids: [], created_at: '2026-01-31T08:00:01Z', message: 'Stored.' };
  fixture.on('POST /v2/events', () => ({ status: 201, json }));
  const clock = { now: () => 1_769_846_400_000, monotonic: () => 0 };
  await fixture.call('events_create', { event_schema: 'custom', event_data: {} }, { clock });
  expect(JSON.parse(fixture.requests[0]?.body ?? '')).toMatchObject({
    inference_timestamp: '2026-01-31T08:00:00.000Z',
  });
});
