// Uploads to a real cloud: what arrives there, in which order, and what never leaves the device.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestPlatform, type TestPlatform } from '../../fixtures/platform.ts';
import { noImage } from '../store/new-events.ts';
import {
  closeDevices,
  cloudEvents,
  cloudIds,
  jpegOf,
  openDevice,
  openLine,
  paths,
  plain,
  until,
} from './device-and-cloud.ts';

let platform: TestPlatform;

beforeAll(async () => {
  platform = await startTestPlatform();
});

afterAll(async () => {
  await closeDevices();
  await platform.close();
});

/** The bytes that the cloud keeps under a source. */
async function sourceBytes(sourceId: unknown): Promise<Buffer> {
  const database = new DatabaseSync(join(platform.data, 'platform.db'), { readOnly: true });
  const sql = 'SELECT hash FROM vision_event_images WHERE id = ?';
  const hash = String(database.prepare(sql).get(String(sourceId))?.hash);
  database.close();
  return readFile(join(platform.data, 'blobs', hash.slice(0, 2), hash));
}

const box = { class: 'cap', x: 10.5, y: 20, width: 4, height: 6, confidence: 0.75 };

/** Two images: one without a picture, and one with an input. */
function fullImages(output: string, input: string) {
  const points = [
    { id: 0, x: 1, y: 2, occluded: false },
    { id: 1, x: 3, y: 4, occluded: true },
  ];
  return [
    { ...noImage, label: 'no picture', object_detections: [box] },
    {
      file_id: output,
      input_file_id: input,
      label: 'workflow',
      object_detections: [box],
      classifications: [{ class: 'good', confidence: 1 }],
      instance_segmentations: [{ ...box, points: [[1, 2]] }],
      keypoints: [{ ...box, keypoints: points }],
      metadata: { camera: 'left' },
    },
  ];
}

const fullEvent = {
  workflowId: 'w-1',
  workflowVersion: '7',
  deviceId: 'd-1',
  streamId: 's-1',
  imageId: 'i-1',
  inferenceTimestamp: plain.inferenceTimestamp.replace('Z', ''),
  eventSchema: 'inventory_count',
  eventData: { item_count: 3, itemType: 'cap', external_id: 'x-9', location: 'A' },
  customMetadata: { line: 3, shift: 'night', ok: true, none: null, deep: { a: [1] } },
  displayImagePosition: 1,
};

/** The same in the words of the cloud. */
const fullCloudEvent = {
  eventType: 'inventory_count',
  timestamp: plain.inferenceTimestamp.replace('Z', '000Z'),
  eventData: { itemCount: 3, itemType: 'cap', externalId: 'x-9', location: 'A' },
  customMetadata: { line: 3, shift: 'night', ok: true, deep: '{"a":[1]}' },
  deviceId: 'd-1',
  streamId: 's-1',
  workflowId: 'w-1',
  displayImagePosition: 0,
};

const fullCloudImage = {
  label: 'workflow',
  objectDetections: [box],
  classifications: [{ class: 'good', confidence: 1 }],
  instanceSegmentations: [{ ...box, points: [[1, 2]] }],
  keypoints: [
    {
      ...box,
      keypoints: [
        { id: 0, x: 1, y: 2 },
        { id: 1, x: 3, y: 4, occluded: true },
      ],
    },
  ],
};

describe('an event in the cloud', () => {
  it('has all that the cloud has a place for', async () => {
    const device = await openDevice();
    const [shown, input] = [jpegOf('shown'), jpegOf('input')];
    const files = [await device.file('image', shown), await device.file('image', input)];
    const images = fullImages(files[0]?.id ?? '', files[1]?.id ?? '');
    const id = await device.add({ ...fullEvent, images, files });
    device.upload(platform.url);
    await device.drained();
    const [event] = cloudEvents(platform, device.useCase);
    const [{ sourceId, inputSourceId }] = Object(event?.images);
    expect(event).toEqual({
      ...fullCloudEvent,
      eventId: id,
      useCaseId: device.useCase,
      images: [{ ...fullCloudImage, sourceId, inputSourceId }],
    });
    expect(await sourceBytes(sourceId)).toEqual(shown);
    expect(await sourceBytes(inputSourceId)).toEqual(input);
    const stored = await device.get(id);
    expect([stored.upload, stored.uploadError]).toEqual(['uploaded', undefined]);
  });

  it('shows the input where there is nothing else to show', async () => {
    const device = await openDevice();
    const file = await device.file('image', jpegOf('input alone'));
    await device.add({ images: [{ ...noImage, input_file_id: file.id }], files: [file] });
    device.upload(platform.url);
    await device.drained();
    const [event] = cloudEvents(platform, device.useCase);
    expect(event?.images).toEqual([{ sourceId: expect.any(String) }]);
  });

  it.each([
    ['2026-02-03T04:05:06+02:00', '2026-02-03T02:05:06.000000Z'],
    ['2026-02-03T04:05:06.1234567', '2026-02-03T04:05:06.123456Z'],
  ])('happened at %s', async (inferenceTimestamp, timestamp) => {
    const device = await openDevice();
    await device.add({ inferenceTimestamp });
    const line = await openLine(platform);
    device.upload(line.url);
    await until(() => line.sent.length > 0);
    expect(JSON.parse(String(line.sent[0]?.body))).toMatchObject({ timestamp });
  });

  it('belongs to the default solution where it names none', async () => {
    const device = await openDevice();
    const id = await device.add({ solution: undefined });
    device.upload(platform.url, { defaultSolutionId: device.useCase });
    await device.drained();
    expect(cloudIds(platform, device.useCase)).toEqual([id]);
  });
});

describe('many events', () => {
  it('arrive oldest first, in batches, each image once', async () => {
    const device = await openDevice();
    const line = await openLine(platform);
    const ids: string[] = [];
    for (let n = 0; n < 150; n += 1) {
      ids.push(n % 10 === 0 ? await device.addWithImage(`order ${n}`) : await device.add());
    }
    device.upload(line.url);
    await device.drained();
    expect(cloudIds(platform, device.useCase)).toEqual(ids);
    // Batches of 16, 32, 64, and the rest.
    expect([line.count(paths.batch), line.count(paths.image)]).toEqual([4, 15]);
  });

  it('of large content go in several batches', async () => {
    const device = await openDevice();
    const line = await openLine(platform);
    const ids: string[] = [];
    const box = { class: 'x'.repeat(10_000), x: 1, y: 1, width: 1, height: 1, confidence: 1 };
    const object_detections = Array.from({ length: 60 }, () => box);
    for (let n = 0; n < 4; n += 1) {
      const file = await device.file('image', jpegOf(`large ${n}`));
      const images = [{ ...noImage, file_id: file.id, object_detections }];
      ids.push(await device.add({ images, files: [file] }));
    }
    device.upload(line.url);
    await device.drained();
    expect(cloudIds(platform, device.useCase)).toEqual(ids);
    expect(Math.max(...line.sent.map(({ body }) => body.length))).toBeLessThan(1_100_000);
  });
});

describe('what waits for whom', () => {
  it('a draft is not sent before it is finalized', async () => {
    const device = await openDevice();
    const draft = await device.add({ draft: true });
    const event = await device.add();
    const uploader = device.upload(platform.url, { pollMs: 3_600_000 });
    await until(async () => (await device.get(event)).upload === 'uploaded');
    expect((await device.get(draft)).upload).toBe('draft');
    await device.store.finalize(draft);
    uploader.wake();
    await until(async () => (await device.get(draft)).upload === 'uploaded');
    expect(cloudIds(platform, device.useCase)).toEqual([event, draft]);
  });

  it('an event of another process is found without a call', async () => {
    const device = await openDevice();
    device.upload(platform.url);
    const id = await device.add();
    await until(async () => (await device.get(id)).upload === 'uploaded');
    expect(cloudIds(platform, device.useCase)).toEqual([id]);
  });
});

it('sends no byte of videos and local-only files', async () => {
  const device = await openDevice();
  const line = await openLine(platform);
  const draft = await device.add({ draft: true });
  await device.store.attach(draft, await device.file('video', Buffer.from('VIDEO'), 'video/mp4'));
  const secret = await device.file('local_only', Buffer.from('LOCAL-ONLY'), 'text/plain');
  await device.store.attach(draft, { ...secret, label: 'LABEL' });
  await device.store.finalize(draft);
  const image = await device.addWithImage('IMAGE');
  device.upload(line.url);
  await device.drained();
  const all = Buffer.concat(line.sent.map(({ body }) => body)).toString('latin1');
  expect(all).toContain('IMAGE');
  for (const word of ['VIDEO', 'LOCAL-ONLY', 'LABEL', 'local_only', secret.id]) {
    expect(all).not.toContain(word);
  }
  expect(cloudIds(platform, device.useCase)).toEqual([draft, image]);
});
