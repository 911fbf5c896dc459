// A store that is full: what is wrong with a request is said first, and then that it is full.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  openTestEventStore,
  plainEvent,
  type TestEventStore,
  tinyPng,
} from '../fixtures/event-store.ts';

let service: TestEventStore;
let draft: string;
let other: string;

beforeAll(async () => {
  service = await openTestEventStore({
    settings: {
      MAX_RECORDS: '2',
      MAX_RECORD_BYTES: '20000',
      MAX_LOCAL_ONLY_UPLOAD_BYTES: '1000',
      // What waits for upload is not removed to make room.
      CLOUD_UPLOAD_ENABLED: 'true',
      CLOUD_UPLOAD_URL: 'http://127.0.0.1:9',
      DEFAULT_SOLUTION_ID: 'line-3',
    },
  });
  const create = () => service.post('/v2/events', { ...plainEvent, draft: true });
  [draft, other] = [(await create()).text('id'), (await create()).text('id')];
});

afterAll(() => service.close());

const wrong = [
  ['no data', { event_schema: 'custom', inference_timestamp: '2026-11-20T10:00:00Z' }, 422],
  ['a schema that is not known', { ...plainEvent, event_schema: 'no such schema' }, 400],
  ['an image that is none', { ...plainEvent, images: [{ base64Image: 'AAAA' }] }, 400],
  ['too many bytes', { ...plainEvent, custom_metadata: { text: 'x'.repeat(30_000) } }, 413],
] as const;

describe('an event', () => {
  test.each(wrong)('with %s is refused for that', async (_name, event, status) => {
    expect(await service.post('/v2/events', event)).toMatchObject({ status });
  });

  test.each(wrong)(
    'with %s is refused for that among many requests',
    async (_name, event, status) => {
      const statuses = await Promise.all(
        Array.from({ length: 60 }, async (_, index) => {
          // Writes that wait for the disk: then requests go to the thread that writes.
          if (index % 2 === 0) return service.post(`/v2/events/${other}/finalize`);
          return service.post('/v2/events', event);
        }),
      );
      const refused = statuses.filter((_, index) => index % 2 === 1).map((answer) => answer.status);
      expect(refused).toEqual(Array(30).fill(status));
    },
  );

  test.each([
    ['without images', plainEvent],
    ['with an image', { ...plainEvent, images: [{ base64Image: tinyPng.toString('base64') }] }],
  ])('that is right, %s, is refused with 529', async (_name, event) => {
    expect(await service.post('/v2/events', event)).toMatchObject({
      status: 529,
      body: { error: 'capacity_blocked' },
    });
  });
});

describe('a file for a draft', () => {
  test('whose body is not multipart is refused for that', async () => {
    const answer = await service.post(`/v2/events/${draft}/local-only-files`, { file: 'x' });
    expect(answer.status).toBe(400);
  });

  test('with too many bytes is refused for that', async () => {
    const parts = [['file', new Uint8Array(3_000_000)]] as const;
    const answer = await service.upload(`/v2/events/${draft}/local-only-files`, parts);
    expect(answer.status).toBe(413);
  });

  test('that is right is refused with 529', async () => {
    const parts = [['file', tinyPng]] as const;
    const answer = await service.upload(`/v2/events/${draft}/local-only-files`, parts);
    expect(answer).toMatchObject({ status: 529, body: { error: 'capacity_blocked' } });
  });
});

describe('/health of a full store', () => {
  const body = {
    status: 'degraded',
    ready: false,
    problems: [expect.stringContaining('The store holds 2 events of at most 2')],
  };

  test('is 200, since the service lives, and says that it is full', async () => {
    expect(await service.get('/health')).toMatchObject({ status: 200, body });
  });

  test('is 503 where readiness is asked for', async () => {
    expect(await service.get('/health?ready=1')).toMatchObject({ status: 503, body });
  });

  test.each(['ready=', 'ready=yes', 'ready=1&ready=0'])('refuses %s', async (query) => {
    const answer = await service.get(`/health?${query}`);
    expect(answer).toMatchObject({
      status: 400,
      body: { detail: 'ready: must be 1, or be left out' },
    });
  });
});
