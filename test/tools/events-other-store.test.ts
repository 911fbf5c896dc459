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
