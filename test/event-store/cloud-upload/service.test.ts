// Cloud upload through the front door: events are posted to the service, and are in the cloud.

import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { isoTime, systemClock } from '../../../src/clock.ts';
import { openTestEventStore, type TestEventStore, tinyPng } from '../../fixtures/event-store.ts';
import { startTestPlatform, type TestPlatform } from '../../fixtures/platform.ts';
import { temporaryFolder } from '../../fixtures/temporary-folder.ts';
import {
  answer,
  cloudEvents,
  cloudIds,
  type Line,
  openLine,
  paths,
  until,
} from './device-and-cloud.ts';

let platform: TestPlatform;

beforeAll(async () => {
  platform = await startTestPlatform();
});

afterAll(() => platform.close());

const timestamp = isoTime(systemClock.now());

async function openService(line: Line, useCase: string, data: string): Promise<TestEventStore> {
  const service = await openTestEventStore({
    data,
    settings: {
      CLOUD_UPLOAD_ENABLED: 'true',
      CLOUD_UPLOAD_URL: line.url,
      CLOUD_UPLOAD_API_KEY: platform.key,
      DEFAULT_SOLUTION_ID: useCase,
    },
  });
  onTestFinished(() => service.close());
  return service;
}

async function stateOf(service: TestEventStore, id: string): Promise<unknown> {
  return Object((await service.get(`/v2/events/${id}`)).body).upload_status;
}

const plainEvent = {
  inference_timestamp: timestamp,
  event_schema: 'custom',
  event_data: { value: 'seen' },
};

it('what a producer writes is in the cloud, in the words of the cloud', async () => {
  const line = await openLine(platform);
  const useCase = `service-${randomUUID()}`;
  const service = await openService(line, useCase, await temporaryFolder());
  const box = { class: 'cap', x: 1, y: 2, width: 3, height: 4, confidence: 0.5 };
  const created = await service.post('/v2/events', {
    inference_timestamp: timestamp.replace('Z', '+00:00'),
    event_schema: 'quality_check',
    event_data: { result: 'fail', externalId: 'part-7' },
    custom_metadata: { line: 3 },
    displayImagePosition: 0,
    images: [
      {
        base64Image: tinyPng.toString('base64'),
        label: 'workflow',
        objectDetections: [box],
        keypoints: [{ ...box, keypoints: [{ id: 0, x: 1, y: 2 }] }],
      },
    ],
  });
  const id = created.text('id');
  await until(async () => (await stateOf(service, id)) === 'uploaded');
  expect(cloudEvents(platform, useCase)).toEqual([
    {
      eventId: id,
      eventType: 'quality_check',
      useCaseId: useCase,
      timestamp: timestamp.replace('Z', '000Z'),
      eventData: { result: 'fail', externalId: 'part-7' },
      customMetadata: { line: 3 },
      displayImagePosition: 0,
      images: [
        {
          sourceId: expect.any(String),
          label: 'workflow',
          objectDetections: [box],
          keypoints: [{ ...box, keypoints: [{ id: 0, x: 1, y: 2 }] }],
        },
      ],
    },
  ]);
  const { backup } = Object((await service.get('/v2/stats')).body);
  expect(backup).toMatchObject({
    enabled: true,
    backed_up_records: 1,
    pending_records: 0,
    last_error: null,
    next_attempt_at: null,
  });
});

it('a draft with a video and a local-only file leaves both on the device', async () => {
  const line = await openLine(platform);
  const useCase = `service-${randomUUID()}`;
  const service = await openService(line, useCase, await temporaryFolder());
  const id = (await service.post('/v2/events', { ...plainEvent, draft: true })).text('id');
  const video = Buffer.concat([Buffer.from('\0\0\0\x18ftypisom\0\0\0\0isommp42'), tinyPng]);
  const attached = [
    await service.upload(`/v2/events/${id}/videos`, [['file', video]]),
    await service.upload(`/v2/events/${id}/local-only-files`, [['file', Buffer.from('SECRET')]]),
  ];
  expect(attached.map(({ status }) => status)).toEqual([201, 201]);
  expect(cloudIds(platform, useCase)).toEqual([]);
  await service.post(`/v2/events/${id}/finalize`);
  await until(async () => (await stateOf(service, id)) === 'uploaded');
  expect(cloudIds(platform, useCase)).toEqual([id]);
  expect(line.count(paths.image)).toBe(0);
  const all = Buffer.concat(line.sent.map(({ body }) => body)).toString('latin1');
  expect([all.includes('SECRET'), all.includes('ftyp')]).toEqual([false, false]);
});

it('a refused event is sent again when somebody says so', async () => {
  const line = await openLine(platform);
  const useCase = `service-${randomUUID()}`;
  const service = await openService(line, useCase, await temporaryFolder());
  line.behave(() => answer(400, { error: 'archived use case' }));
  const id = (await service.post('/v2/events', plainEvent)).text('id');
  await until(async () => (await stateOf(service, id)) === 'refused');
  expect((await service.get(`/v2/events/${id}`)).body).toMatchObject({
    upload_error: 'the cloud refuses the event (status 400)',
    uploaded_at: null,
  });
  line.behave(() => undefined);
  const retried = await service.post('/v2/uploads/retry', { event_id: id });
  expect([retried.status, retried.body]).toEqual([200, { retried: 1, upload_enabled: true }]);
  await until(async () => (await stateOf(service, id)) === 'uploaded');
  expect(cloudIds(platform, useCase)).toEqual([id]);
});

it('of two processes on one folder one sends, and the other one after it', async () => {
  const line = await openLine(platform);
  const useCase = `service-${randomUUID()}`;
  const data = await temporaryFolder();
  const first = await openService(line, useCase, data);
  const second = await openService(line, useCase, data);
  const images = [{ base64Image: tinyPng.toString('base64') }];
  const ids: string[] = [];
  for (const service of [first, second, first, second]) {
    ids.push((await service.post('/v2/events', { ...plainEvent, images })).text('id'));
  }
  await until(async () => cloudIds(platform, useCase).length === 4);
  await first.close();
  ids.push((await second.post('/v2/events', { ...plainEvent, images })).text('id'));
  await until(async () => cloudIds(platform, useCase).length === 5);
  expect(cloudIds(platform, useCase)).toEqual(ids);
  expect(line.count(paths.image)).toBe(5);
});

it('an answer that nobody can use keeps neither the service busy nor its end waiting', async () => {
  const line = await openLine(platform);
  const data = await temporaryFolder();
  const service = await openService(line, `service-${randomUUID()}`, data);
  const sourceId = 'x'.repeat(300);
  line.behave(({ path }) => (path === paths.image ? answer(200, { sourceId }) : undefined));
  const images = [{ base64Image: tinyPng.toString('base64') }];
  const id = (await service.post('/v2/events', { ...plainEvent, images })).text('id');
  const backup = async () => Object(Object((await service.get('/v2/stats')).body).backup);
  await until(async () => (await backup()).last_error !== null);
  expect((await backup()).last_error).toBe(
    'The cloud answers something else than its contract says (status 200).',
  );
  expect((await service.get('/health')).status).toBe(200);
  expect(await stateOf(service, id)).toBe('waiting');
  await service.close();
});

it('a retry by hand cuts a long wait short', async () => {
  const line = await openLine(platform);
  const useCase = `service-${randomUUID()}`;
  const service = await openService(line, useCase, await temporaryFolder());
  line.behave((_sent, n) =>
    n === 0 ? answer(429, { error: 'later' }, { 'retry-after': '86400' }) : undefined,
  );
  const id = (await service.post('/v2/events', plainEvent)).text('id');
  const backup = async () => Object(Object((await service.get('/v2/stats')).body).backup);
  await until(async () => (await backup()).next_attempt_at !== null);
  expect((await service.post('/v2/uploads/retry')).body).toEqual({
    retried: 0,
    upload_enabled: true,
  });
  await until(async () => (await stateOf(service, id)) === 'uploaded');
  expect(cloudIds(platform, useCase)).toEqual([id]);
});
