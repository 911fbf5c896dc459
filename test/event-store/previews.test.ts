// Previews of the images of events, over HTTP.

import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  openTestEventStore,
  plainEvent,
  type TestEventStore,
  tinyPng,
} from '../fixtures/event-store.ts';
import { testImage } from '../fixtures/images.ts';

let store: TestEventStore;

beforeAll(async () => {
  store = await openTestEventStore();
});

afterAll(() => store.close());

/** Stores an event with such images, and gives its id. */
async function stored(images: readonly object[], more: object = {}): Promise<string> {
  const answer = await store.post('/v2/events', { ...plainEvent, images, ...more });
  expect(answer.status).toBe(201);
  return answer.text('id');
}

async function preview(...ids: readonly string[]) {
  const query = ids.map((id): [string, string] => ['event_id', id]);
  const { status, body } = await store.get(`/v2/previews?${new URLSearchParams(query)}`);
  return { status, body: Object(body) };
}

const tile = async (shade: number) => (await testImage(shade)).toString('base64');

const cell = { class: 'cell', x: 20, y: 20, width: 10, height: 10, confidence: 0.9 };

describe('a preview', () => {
  test('of one event shows all its images, what a model made of them first', async () => {
    const id = await stored([
      { base64Image: await tile(1), inputBase64Image: await tile(2), label: 'front' },
      { inputBase64Image: await tile(3), objectDetections: [cell, { ...cell, class: 'dust' }] },
      { label: 'without a picture' },
    ]);
    const { status, body } = await preview(id);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      contentType: 'image/jpeg',
      classes: { cell: 1, dust: 1 },
      images: [
        { event_id: id, index: 0, label: 'front', width: 64, height: 48, boxes: 0 },
        { event_id: id, index: 1, label: null, width: 64, height: 48, boxes: 2 },
      ],
      warnings: [],
    });
    const file = await sharp(Buffer.from(body.sheet, 'base64')).metadata();
    expect(file).toMatchObject({ format: 'jpeg', width: body.width, height: body.height });
  });

  test('of several events shows the main image of each, and passes over what is not there', async () => {
    const images = [{ base64Image: await tile(4) }, { base64Image: await tile(5) }];
    const first = await stored(images);
    const second = await stored(images, { displayImagePosition: 1 });
    const bare = await stored([]);
    const { body } = await preview(second, first, bare, 'gone', second);
    expect(body.images).toMatchObject([
      { event_id: second, index: 1 },
      { event_id: first, index: 0 },
    ]);
  });

  test('counts outlines, keypoints and classifications too', async () => {
    const outline = {
      ...cell,
      class: 'part',
      points: [
        [1, 1],
        [9, 1],
        [5, 9],
      ],
    };
    const person = { ...cell, class: 'person', keypoints: [{ id: 1, x: 4, y: 4 }] };
    const base64Image = await tile(6);
    const lists = { instanceSegmentations: [outline], keypoints: [person] };
    const classifications = [{ class: 'good', confidence: 0.8 }];
    const id = await stored([{ base64Image, ...lists, classifications }]);
    const { body } = await preview(id);
    expect(body.classes).toEqual({ part: 1, person: 1, good: 1 });
    expect(body.images).toMatchObject([{ boxes: 2 }]);
  });

  test('draws the surest of very many detections, and says so', async () => {
    const objectDetections = Array.from({ length: 1_200 }, () => cell);
    const id = await stored([{ base64Image: await tile(7), objectDetections }]);
    const { body } = await preview(id);
    expect(body.images).toMatchObject([{ boxes: 1_200 }]);
    expect(body.warnings).toEqual(['images[0]: 1000 of 1200 detections are drawn, the surest']);
  });

  test('stays small, whatever the images', async () => {
    const noise = {
      create: {
        width: 2_000,
        height: 1_500,
        channels: 3 as const,
        background: '#777',
        noise: { type: 'gaussian' as const, mean: 120, sigma: 60 },
      },
    };
    const base64Image = (await sharp(noise).jpeg().toBuffer()).toString('base64');
    const id = await stored(Array.from({ length: 6 }, () => ({ base64Image })));
    const { body } = await preview(id);
    expect(Buffer.from(body.sheet, 'base64').length).toBeLessThanOrEqual(200 * 1024);
  });

  test('names an image that cannot be drawn, and shows the others', async () => {
    const gif = Buffer.from('GIF89a\x01\0\x01\0\0\0\0,\0\0\0\0\x01\0\x01\0\0\x02\0;', 'latin1');
    const unread = gif.toString('base64');
    const id = await stored([{ base64Image: unread }, { base64Image: tinyPng.toString('base64') }]);
    const { body } = await preview(id);
    expect(body.images).toMatchObject([{ index: 1, width: 1, height: 1 }]);
    expect(body.warnings).toEqual([expect.stringMatching(/^images\[0\] of .*is a GIF image/)]);
    const { status } = await preview(await stored([{ base64Image: unread }]));
    expect(status).toBe(415);
  });

  test.each([
    ['no id', [], 422],
    ['an event that is not there', ['gone'], 404],
    ['too many events', ['a', 'b', 'c', 'd', 'e', 'f', 'g'], 422],
  ])('is refused for %s', async (_name, ids, status) => {
    expect((await preview(...ids)).status).toBe(status);
  });

  test('is refused for an event without images', async () => {
    expect((await preview(await stored([]))).status).toBe(404);
  });
});
