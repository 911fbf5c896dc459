// What public producers post, in their spelling (producers/*.json): stored, found and uploaded.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import * as z from 'zod';
import { isoTime, systemClock } from '../../src/clock.ts';
import { openTestEventStore, type TestEventStore } from '../fixtures/event-store.ts';
import { startTestPlatform, type TestPlatform } from '../fixtures/platform.ts';
import { cloudEvents, until } from './cloud-upload/device-and-cloud.ts';

const Members = z.record(z.string(), z.unknown());

/** `stored` and `uploaded` are what the device and the cloud have of it, at the least. */
const Recorded = z.strictObject({
  source: z.string(),
  request: z.looseObject({
    inference_timestamp: z.string(),
    solution: z.string().optional(),
    images: z.array(Members),
  }),
  stored: Members,
  queries: z.array(z.string()),
  uploaded: Members,
});

const folder = join(import.meta.dirname, 'producers');
const recorded = readdirSync(folder).map((name) => {
  const { request, ...rest } = Recorded.parse(JSON.parse(readFileSync(join(folder, name), 'utf8')));
  // The cloud takes no event of long ago, so they happened today; the spelling is as recorded.
  const inference_timestamp = `${today()}${request.inference_timestamp.slice(10)}`;
  return { name, request: { ...request, inference_timestamp }, ...rest };
});

function today(): string {
  return isoTime(systemClock.now()).slice(0, 10);
}

let platform: TestPlatform;
let device: TestEventStore;

beforeAll(async () => {
  platform = await startTestPlatform();
  device = await openTestEventStore({
    settings: {
      CLOUD_UPLOAD_ENABLED: 'true',
      CLOUD_UPLOAD_URL: platform.url,
      CLOUD_UPLOAD_API_KEY: platform.key,
      DEFAULT_SOLUTION_ID: 'plant',
    },
  });
});

afterAll(async () => {
  await device.close();
  await platform.close();
});

async function idsFound(query: string): Promise<readonly string[]> {
  const { status, body } = await device.get(`/v2/events?${query}`);
  expect(status).toBe(200);
  return Object(body).events.map(({ id }: { id: string }) => id);
}

async function bytesOf(fileId: string): Promise<string> {
  const response = await fetch(`${device.url}/images/${fileId}`);
  return Buffer.from(await response.arrayBuffer()).toString('base64');
}

describe.each(recorded)('$name', ({ request, stored, queries, uploaded }) => {
  test('is stored, found and uploaded', async () => {
    const created = await device.post('/v2/events', request);
    expect(created).toMatchObject({ status: 201, body: { id: expect.any(String) } });
    const id = created.text('id');
    const event = Object((await device.get(`/v2/events/${id}`)).body);
    expect(event).toMatchObject({ ...stored, inference_timestamp: request.inference_timestamp });
    for (const [index, { base64Image, inputBase64Image }] of request.images.entries()) {
      const { file_id, input_file_id } = event.images[index];
      if (base64Image) expect(await bytesOf(file_id)).toBe(base64Image);
      if (inputBase64Image) expect(await bytesOf(input_file_id)).toBe(inputBase64Image);
    }
    for (const query of queries) expect(await idsFound(query)).toContain(id);
    await until(async () => {
      const { body } = await device.get(`/v2/events/${id}`);
      return Object(body).upload_status !== 'waiting';
    });
    const { solution: useCaseId = 'plant' } = request;
    const inCloud = cloudEvents(platform, useCaseId).find(({ eventId }) => eventId === id);
    expect(inCloud).toMatchObject({ ...uploaded, useCaseId });
  });
});

describe('a producer', () => {
  const [first] = recorded;

  test('with EVENT_INGESTION_API_KEY sends it as X-API-Key', async () => {
    const closed = await openTestEventStore({ settings: { API_KEY: 'key-of-the-device' } });
    onTestFinished(() => closed.close());
    const refused = await closed.post('/v2/events', first?.request);
    expect(refused).toMatchObject({ status: 401, body: { detail: expect.any(String) } });
    const key = { 'x-api-key': 'key-of-the-device' };
    expect(await closed.post('/v2/events', first?.request, key)).toMatchObject({ status: 201 });
  });

  test('without a solution is refused while cloud upload has no default one', async () => {
    const settings = { CLOUD_UPLOAD_ENABLED: 'true', CLOUD_UPLOAD_URL: 'http://127.0.0.1:1' };
    const strict = await openTestEventStore({ settings });
    onTestFinished(() => strict.close());
    const detail = expect.stringContaining('solution: is missing');
    for (const { name, request } of recorded) {
      const answer = await strict.post('/v2/events', request);
      if (name.startsWith('event-writer-')) {
        expect(answer).toMatchObject({ status: 400, body: { detail } });
      } else {
        expect(answer).toMatchObject({ status: 201 });
      }
    }
  });

  // Event Store 5.2 and 5.5. The event writer sends confidences as its model gives them, and the
  // vision events block leaves the list out where a model found no keypoint.
  test.each([
    [{ confidence: 1.0000001192092896, keypoints: [] }, 'confidence'],
    [{ confidence: 0.5 }, 'keypoints'],
  ])('is told what the documented rules refuse: %o', async (members, name) => {
    const pose = { class: 'hand', x: 1, y: 2, width: 3, height: 4, ...members };
    const images = [{ label: 'workflow', keypoints: [pose] }];
    expect(await device.post('/v2/events', { ...first?.request, images })).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ['body', 'images', 0, 'keypoints', 0, name] }] },
    });
  });
});
