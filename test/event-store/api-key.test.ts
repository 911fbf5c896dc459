// The key of the Event Store: where it is needed, and how it is sent.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openTestEventStore, plainEvent, type TestEventStore } from '../fixtures/event-store.ts';

const key = 'a-key-of-the-plant';
let store: TestEventStore;

beforeAll(async () => {
  store = await openTestEventStore({ settings: { API_KEY: key } });
});

afterAll(() => store.close());

const basic = (password: string) => ({
  authorization: `Basic ${Buffer.from(`someone:${password}`).toString('base64')}`,
});

describe('with API_KEY', () => {
  test('/health is open', async () => {
    const body = { status: 'ok', ready: true, problems: [] };
    expect(await store.get('/health')).toMatchObject({ status: 200, body });
    expect(await store.get('/health?ready=1')).toMatchObject({ status: 200, body });
  });

  test.each([
    '/v2/events',
    '/v2/events/latest/query',
    '/v2/events/some-id',
    '/events/count/stats',
    '/v2/stats',
    '/v2/ledger',
    '/v2/event-schemas',
    '/images/some-id',
    '/videos/some-id',
    '/local-only-files/some-id',
    '/metrics',
    '/openapi.json',
    '/docs',
    '/',
  ])('%s needs it', async (path) => {
    const refused = { status: 401, body: { detail: expect.stringContaining('X-API-Key') } };
    expect(await store.get(path)).toMatchObject(refused);
    expect(await store.get(path, { 'x-api-key': `${key}x` })).toMatchObject(refused);
    expect(await store.get(path, { authorization: `Bearer ${key}` })).toMatchObject(refused);
    expect(await store.get(`${path}?api_key=${key}`)).toMatchObject(refused);
    expect((await store.get(path, { 'x-api-key': key })).status).not.toBe(401);
  });

  test('writing needs it too', async () => {
    expect(await store.post('/v2/events', plainEvent)).toMatchObject({ status: 401 });
    expect(await store.post('/v2/events', plainEvent, { 'x-api-key': 'other' })).toMatchObject({
      status: 401,
    });
    expect(await store.upload('/v2/events/some-id/videos', [['file', 'x']])).toMatchObject({
      status: 401,
    });
    expect(await store.post('/v2/events', plainEvent, { 'x-api-key': key })).toMatchObject({
      status: 201,
    });
  });

  test('a browser reads with the key as its password, and writes nothing with it', async () => {
    expect(await store.get('/v2/events', basic(key))).toMatchObject({ status: 200 });
    expect(await store.get('/v2/events', basic('other'))).toMatchObject({ status: 401 });
    expect(await store.post('/v2/events', plainEvent, basic(key))).toMatchObject({ status: 401 });
  });

  test('the key is in no answer and no log line', async () => {
    const answers = await Promise.all([
      store.post('/v2/events', { ...plainEvent, api_key: key }, { 'x-api-key': key }),
      store.get(`/v2/events?device_id=${key}&limit=0`, { 'x-api-key': key }),
      store.get('/v2/stats', { 'x-api-key': key }),
    ]);
    expect(JSON.stringify(answers.map(({ body }) => body))).not.toContain(key);
    expect(store.logLines.join('\n')).not.toContain(key);
  });
});

test('without API_KEY nobody needs one', async () => {
  const open = await openTestEventStore();
  expect(await open.get('/v2/events')).toMatchObject({ status: 200 });
  expect(await open.get('/v2/events', { 'x-api-key': 'whatever' })).toMatchObject({ status: 200 });
  await open.close();
});
