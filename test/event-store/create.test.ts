// Creating events over HTTP: what is accepted, in which spelling, and what is refused how.

import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import {
  openTestEventStore,
  plainEvent,
  type TestEventStore,
  tinyPng,
} from '../fixtures/event-store.ts';

let store: TestEventStore;

beforeAll(async () => {
  store = await openTestEventStore();
});

afterAll(() => store.close());

const png = tinyPng.toString('base64');

async function create(body: object): Promise<string> {
  const answer = await store.post('/v2/events', body);
  expect(answer).toMatchObject({ status: 201 });
  return answer.text('id');
}

async function countOf(): Promise<unknown> {
  return (await store.get('/events/count/stats')).body;
}

describe('an event', () => {
  test('the least of one', async () => {
    const answer = await store.post('/v2/events', plainEvent);
    expect(answer).toMatchObject({
      status: 201,
      body: { image_ids: [], draft: false, message: 'Stored.' },
    });
    expect(answer.text('created_at')).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
    expect((await store.get(`/v2/events/${answer.text('id')}`)).body).toEqual({
      id: answer.text('id'),
      solution: null,
      workflow_id: null,
      workflow_version: null,
      inference_timestamp: '2026-11-20T10:00:00Z',
      device_id: null,
      stream_id: null,
      image_id: null,
      images: [],
      videos: [],
      local_only_files: [],
      display_image_position: null,
      event_schema: 'custom',
      event_data: { value: 'seen' },
      custom_metadata: null,
      created_at: answer.text('created_at'),
      api_version: 'v2',
      original_file_count: 0,
      current_file_count: 0,
      draft: false,
      finalized_at: answer.text('created_at'),
      auto_finalized_at: null,
      upload_status: 'off',
      upload_error: null,
      uploaded_at: null,
      hold: null,
      kept_until: answer.text('kept_until'),
      kept_reason: 'age',
    });
  });

  test('all of one, in camelCase, comes back in snake_case', async () => {
    const box = { class: 'bolt', x: 10.5, y: 20, width: 4, height: 6, confidence: 0.9 };
    const id = await create({
      solution: 'line-3',
      workflowId: 'w',
      workflowVersion: '7',
      inferenceTimestamp: '2026-11-20T10:00:00.250+00:00',
      deviceId: 'd',
      streamId: 's',
      imageId: 'i',
      eventSchema: 'quality_check',
      eventData: { result: 'fail', externalId: 'part-9' },
      customMetadata: { shift: 'late', count: 3, ok: true, nested: { deep: [1] } },
      displayImagePosition: 0,
      draft: true,
      images: [
        {
          label: 'workflow',
          base64Image: png,
          inputBase64Image: `data:image/png;base64,${png}`,
          objectDetections: [box],
          classifications: [{ class: 'bolt', confidence: 1 }],
          instanceSegmentations: [{ ...box, points: [[1, 2]] }],
          keypoints: [{ ...box, keypoints: [{ id: 0, x: 1, y: 2 }] }],
          metadata: { exposure: 2 },
        },
      ],
    });
    const { body } = await store.get(`/v2/events/${id}`);
    expect(body).toMatchObject({
      solution: 'line-3',
      workflow_id: 'w',
      workflow_version: '7',
      inference_timestamp: '2026-11-20T10:00:00.250+00:00',
      device_id: 'd',
      stream_id: 's',
      image_id: 'i',
      event_schema: 'quality_check',
      event_data: { result: 'fail', externalId: 'part-9' },
      custom_metadata: { shift: 'late', count: 3, ok: true, nested: { deep: [1] } },
      display_image_position: 0,
      draft: true,
      finalized_at: null,
      upload_status: 'draft',
      original_file_count: 2,
      current_file_count: 2,
      images: [
        {
          file_id: expect.any(String),
          input_file_id: expect.any(String),
          label: 'workflow',
          object_detections: [box],
          classifications: [{ class: 'bolt', confidence: 1 }],
          instance_segmentations: [{ ...box, points: [[1, 2]] }],
          keypoints: [{ ...box, keypoints: [{ id: 0, x: 1, y: 2, occluded: false }] }],
          metadata: { exposure: 2 },
        },
      ],
    });
  });

  test('kept as it came, it reads like one that was put together', async () => {
    const box = { class: 'bolt', x: 10.5, y: 20, width: 4, height: 6, confidence: 0.9 };
    const points = [{ id: 0, x: 1, y: 2 }];
    const lists = { label: 'workflow', base64Image: null, metadata: null, classifications: [] };
    const request = {
      ...plainEvent,
      solution: null,
      workflow_version: '7',
      stream_id: 's',
      image_id: 'i',
      draft: false,
      custom_metadata: { a: 'é\u0007"' },
      displayImagePosition: 1,
      images: [
        {},
        { ...lists, objectDetections: [box], keypoints: [{ ...box, keypoints: points }] },
      ],
    };
    const { stream_id: streamId, ...rest } = request;
    const ids = [await create(request), await create({ ...rest, streamId })];
    const [asItCame, putTogether] = await Promise.all(
      ids.map(async (id) => Object(await store.get(`/v2/events/${id}`)).body),
    );
    const ofTheirOwn = ['id', 'created_at', 'finalized_at', 'kept_until'].map((name) => [
      name,
      expect.any(String),
    ]);
    const { id, created_at, finalized_at, kept_until } = asItCame;
    expect(JSON.stringify({ ...putTogether, id, created_at, finalized_at, kept_until })).toBe(
      JSON.stringify(asItCame),
    );
    expect(asItCame).toMatchObject({
      ...Object.fromEntries(ofTheirOwn),
      solution: null,
      workflow_version: '7',
      stream_id: 's',
      image_id: 'i',
      custom_metadata: { a: 'é\u0007"' },
      display_image_position: 1,
      images: [
        { file_id: null, input_file_id: null, label: null, object_detections: [] },
        {
          file_id: null,
          label: 'workflow',
          object_detections: [box],
          metadata: null,
          keypoints: [{ ...box, keypoints: [{ ...points[0], occluded: false }] }],
        },
      ],
    });
  });

  test.each([
    ['2026-11-20T10:00:00.5+0000', '2026-11-20T10:00:00.500000Z'],
    ['2026-11-20 10:00:00 02:00', '2026-11-20T08:00:00.000000Z'],
    ['2026-11-20', '2026-11-20T00:00:00.000000Z'],
    ['2026-11-20T10:00:00', '2026-11-20T10:00:00'],
  ])('the time %s is understood', async (given, stored) => {
    const id = await create({ ...plainEvent, inference_timestamp: given });
    expect((await store.get(`/v2/events/${id}`)).body).toMatchObject({
      inference_timestamp: stored,
    });
  });

  test('its images are served as they came', async () => {
    const photo = await readFile('sample/blood-cells/JPEGImages/BloodImage_00040.jpg');
    const answer = await store.post('/v2/events', {
      ...plainEvent,
      images: [{ base64Image: photo.toString('base64') }],
    });
    expect(answer.status).toBe(201);
    const [fileId] = Object(answer.body).image_ids;
    const response = await fetch(`${store.url}/images/${fileId}`);
    expect(Buffer.from(await response.arrayBuffer())).toEqual(photo);
  });
});

test('what SQLite would make another text of has a mark in its place', async () => {
  const event_data = { ...plainEvent.event_data, externalId: 'e\ud83d' };
  const id = await create({ ...plainEvent, event_data, device_id: 'a\0b', workflow_id: '\ude00' });
  const stored = (await store.get(`/v2/events/${id}`)).body;
  expect(stored).toMatchObject({ device_id: 'a\ufffdb', workflow_id: '\ufffd' });
  const found = await store.get('/v2/events?external_id=e%EF%BF%BD');
  expect(Object(found.body).events).toHaveLength(1);
});

test('hundreds of images are stored in their order, and others can still open files', async () => {
  const labels = Array.from({ length: 400 }, (_, number) => `image ${number}`);
  const opened = () => (process.platform === 'linux' ? readdirSync('/proc/self/fd').length : 0);
  const before = opened();
  let most = before;
  const watch = setInterval(() => {
    most = Math.max(most, opened());
  });
  const images = labels.map((label) => ({ label, base64Image: png, inputBase64Image: png }));
  const id = await create({ ...plainEvent, images });
  clearInterval(watch);
  const stored = Object((await store.get(`/v2/events/${id}`)).body);
  expect(stored.images.map(({ label }: { label: string }) => label)).toEqual(labels);
  const ids = stored.images.flatMap((image: Record<string, string>) => [
    image.file_id,
    image.input_file_id,
  ]);
  expect(new Set(ids).size).toBe(800);
  expect(most - before).toBeLessThan(100);
});

describe('what is refused leaves nothing', () => {
  const base64 = 'images[0].base64Image';

  test.each<[string, object, string]>([
    ['a schema that is not known', { event_schema: 'quality' }, 'event_schema: there is no such'],
    [
      'data that does not conform',
      { event_data: { value: 1 } },
      'event_data.value: must be string',
    ],
    ['no base64', { images: [{ base64Image: 'not base64!' }] }, `${base64}: is not valid base64`],
    ['half base64', { images: [{ base64Image: png.slice(0, 41) }] }, `${base64}: is not`],
    ['an empty image', { images: [{ base64Image: '' }] }, `${base64}: is not valid base64`],
    ['no image', { images: [{ base64Image: 'aGVsbG8gd29ybGQ=' }] }, `${base64}: is not an image`],
    [
      'one of two',
      { images: [{ base64Image: png }, { inputBase64Image: '%' }] },
      'images[1].inputBase64Image: is not valid base64',
    ],
  ])('400 for %s', async (_what, changes, detail) => {
    const before = await countOf();
    const answer = await store.post('/v2/events', { ...plainEvent, ...changes });
    expect(answer).toMatchObject({
      status: 400,
      body: { detail: expect.stringContaining(detail) },
    });
    expect(await countOf()).toEqual(before);
  });

  test.each<[string, object, (string | number)[]]>([
    ['a missing schema', { event_schema: undefined }, ['body', 'event_schema']],
    ['a missing time', { inference_timestamp: undefined }, ['body', 'inference_timestamp']],
    ['a time that is none', { inference_timestamp: 'now' }, ['body', 'inference_timestamp']],
    ['data that is no object', { event_data: [] }, ['body', 'event_data']],
    ['an unknown member', { evnt: 1 }, ['body', 'evnt']],
    ['a draft that is no boolean', { draft: 'yes' }, ['body', 'draft']],
    ['a position beyond the images', { displayImagePosition: 1 }, ['body', 'displayImagePosition']],
    [
      'a confidence above 1',
      { images: [{ classifications: [{ class: 'a', confidence: 1.1 }] }] },
      ['body', 'images', 0, 'classifications', 0, 'confidence'],
    ],
    ['both spellings', { eventSchema: 'custom' }, ['body', 'event_schema']],
    [
      'too many members of metadata',
      { custom_metadata: Object.fromEntries(Array.from({ length: 101 }, (_, at) => [at, at])) },
      ['body', 'custom_metadata'],
    ],
  ])('422 for %s', async (_what, changes, loc) => {
    const before = await countOf();
    const answer = await store.post('/v2/events', { ...plainEvent, ...changes });
    expect(answer).toMatchObject({
      status: 422,
      body: { detail: [{ loc, msg: expect.any(String), type: 'value_error' }] },
    });
    expect(await countOf()).toEqual(before);
  });

  test('a cloud payload does not validate', async () => {
    const answer = await store.post('/v2/events', {
      eventId: 'a',
      eventType: 'custom',
      useCaseId: 'u',
      timestamp: '2026-11-20T10:00:00Z',
    });
    expect(answer.status).toBe(422);
  });

  test('JSON that is none', async () => {
    const response = await fetch(`${store.url}/v2/events`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"event_schema": ',
    });
    expect(response.status).toBe(422);
    expect(await response.json()).toEqual({
      detail: [{ loc: ['body'], msg: 'The body is not valid JSON in UTF-8.', type: 'value_error' }],
    });
  });
});

describe('settings', () => {
  test('a record above its limit is 413', async () => {
    const small = await openTestEventStore({ settings: { MAX_RECORD_BYTES: '400' } });
    const big = { ...plainEvent, event_data: { value: 'x'.repeat(400) } };
    expect(await small.post('/v2/events', big)).toMatchObject({
      status: 413,
      body: { detail: expect.stringContaining('400 bytes') },
    });
    expect(await small.post('/v2/events', plainEvent)).toMatchObject({ status: 201 });
    await small.close();
  });

  test('texts beside the images are at most 1 MiB together', async () => {
    const store = await openTestEventStore();
    const half = 'x'.repeat(512 * 1024);
    const event = { ...plainEvent, custom_metadata: { a: half, b: half } };
    expect(await store.post('/v2/events', event)).toMatchObject({
      status: 413,
      body: { detail: expect.stringContaining('more than 1048576 characters') },
    });
    const smaller = { ...plainEvent, custom_metadata: { a: half, b: half.slice(1_000) } };
    expect(await store.post('/v2/events', smaller)).toMatchObject({ status: 201 });
    await store.close();
  });

  test('cloud upload wants a solution, unless there is a default', async () => {
    const cloud = { CLOUD_UPLOAD_ENABLED: '1', CLOUD_UPLOAD_URL: 'http://127.0.0.1:1' };
    const strict = await openTestEventStore({ settings: cloud });
    expect(await strict.post('/v2/events', plainEvent)).toMatchObject({
      status: 400,
      body: { detail: expect.stringContaining('solution: is missing') },
    });
    const withOne = { ...plainEvent, solution: 'line-3' };
    expect(await strict.post('/v2/events', withOne)).toMatchObject({ status: 201 });
    await strict.close();
    const lenient = await openTestEventStore({
      settings: { ...cloud, DEFAULT_SOLUTION_ID: 'plant' },
    });
    expect(await lenient.post('/v2/events', plainEvent)).toMatchObject({ status: 201 });
    await lenient.close();
  });
});

describe('how long an event is kept', () => {
  test('is told when it is stored, read and listed; a hold ends it', async () => {
    const answer = await store.post('/v2/events', plainEvent);
    const until = answer.text('kept_until');
    const day = 24 * 60 * 60 * 1000;
    expect(Date.parse(until) - Date.parse(answer.text('created_at'))).toBe(day);
    const id = answer.text('id');
    const path = `/v2/events/${id}`;
    expect(Object((await store.get(path)).body).kept_until).toBe(until);
    const listed = Object((await store.get('/v2/events?limit=1')).body).events;
    expect(listed).toMatchObject([{ id, kept_until: until, upload_status: 'off' }]);
    await store.post(`${path}/hold`, { reason: 'claim 7' });
    const held = { kept_until: null, kept_reason: 'hold' };
    expect((await store.get(path)).body).toMatchObject(held);
    expect((await store.post(`${path}/hold`, { reason: 'claim 8' })).body).toMatchObject(held);
    const released = { kept_until: until, kept_reason: 'age' };
    expect((await store.post(`${path}/release`)).body).toMatchObject(released);
  });

  test.each([
    [
      'upload',
      {
        CLOUD_UPLOAD_ENABLED: 'true',
        CLOUD_UPLOAD_URL: 'http://127.0.0.1:9',
        DEFAULT_SOLUTION_ID: 'a',
      },
      'waiting',
    ],
    ['retention', { RETENTION_DAYS: '999999999' }, 'off'],
  ])('is told where age removes nothing: %s', async (kept_reason, settings, upload_status) => {
    const own = await openTestEventStore({ settings });
    onTestFinished(() => own.close());
    const answer = await own.post('/v2/events', plainEvent);
    expect(answer.body).toMatchObject({ kept_until: null, kept_reason });
    const event = await own.get(`/v2/events/${answer.text('id')}`);
    expect(event.body).toMatchObject({ kept_until: null, kept_reason, upload_status });
  });

  test('is told when a draft is finalized', async () => {
    const draft = await store.post('/v2/events', { ...plainEvent, draft: true });
    const done = await store.post(`/v2/events/${draft.text('id')}/finalize`);
    expect(done.text('kept_until')).toBe(draft.text('kept_until'));
  });
});
