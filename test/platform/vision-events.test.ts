// Vision events on the platform: recorded once, whole batches or none, with images that are there.

import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Clock, systemClock } from '../../src/clock.ts';
import { visionEventExtensions, visionEvents } from '../../src/contract/vision-events.ts';
import { openBlobFolder } from '../../src/storage/blob-store.ts';
import { testImage } from '../fixtures/images.ts';
import { startTestPlatform, type TestPlatform } from '../fixtures/platform.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';

const { vision_events_create, vision_events_create_batch, vision_events_upload_image } =
  visionEvents;
const noon = Date.UTC(2026, 10, 21, 12);
const clock: Clock = { ...systemClock, now: () => noon };
const plain = {
  eventId: 'e-1',
  eventType: 'quality_check',
  useCaseId: 'line-3',
  timestamp: '2026-11-21T11:59:00.123456+00:00',
} as const;
let platform: TestPlatform;

beforeAll(async () => {
  platform = await startTestPlatform({ clock });
});

afterAll(() => platform.close());

async function create(event: object) {
  return (await platform.client.call(vision_events_create, { ...plain, ...event })).body;
}

/** The status and the words of a call that must be refused. */
async function refusal(call: Promise<unknown>) {
  const thrown: unknown = await call.catch((error: unknown) => error);
  const { status, message } = Object(Object(thrown).upstream);
  return [status, message];
}

async function upload(content: Uint8Array, more: object = {}) {
  const file = { name: 'frame.jpg', content };
  return (await platform.client.call(vision_events_upload_image, { file, ...more })).body;
}

async function uploadedId(shade: number): Promise<string> {
  return (await upload(await testImage(shade))).sourceId ?? '';
}

describe('one event', () => {
  it('is recorded once, however often it is sent', async () => {
    const event = { eventId: 'once', eventData: { result: 'pass', externalId: 'a' } };
    expect(await create(event)).toEqual({
      eventId: 'once',
      created: true,
      newUseCases: ['line-3'],
    });
    expect(await create(event)).toEqual({ eventId: 'once', created: false });
    const turned = { eventData: { externalId: 'a', result: 'pass' }, eventId: 'once' };
    expect(await create(turned)).toEqual({ eventId: 'once', created: false });
  });

  it('is read by its id, with where its image can be seen', async () => {
    const content = await testImage(40);
    const { sourceId = '' } = await upload(content, { name: 'front.png' });
    const event = { eventId: 'a/b', eventData: { result: 'pass' }, images: [{ sourceId }] };
    await create(event);
    const { client } = platform;
    const { vision_events_get, vision_events_image } = visionEventExtensions;
    const { body } = await client.call(vision_events_get, { useCaseId: 'line-3', eventId: 'a/b' });
    expect(body).toEqual({ event: { ...plain, ...event } });
    const { body: image } = await client.call(vision_events_image, { sourceId });
    expect(image).toMatchObject({ sourceId, name: 'front.png', contentType: 'image/png' });
    const seen = await fetch(image.url);
    expect(Buffer.from(await seen.arrayBuffer())).toEqual(Buffer.from(content));
    const small = await fetch(image.thumb);
    expect([small.status, small.headers.get('content-type')]).toEqual([200, 'image/jpeg']);
    expect(
      await refusal(client.call(vision_events_get, { useCaseId: 'line-3', eventId: 'none' })),
    ).toEqual([404, 'There is no event "none".']);
    expect(await refusal(client.call(vision_events_image, { sourceId: 'none' }))).toEqual([
      404,
      'There is no image "none".',
    ]);
  });

  it('is refused under the id of another one', async () => {
    await create({ eventId: 'taken' });
    expect(await refusal(create({ eventId: 'taken', deviceId: 'd' }))).toEqual([
      409,
      'The use case has another event under the eventId of event 1.',
    ]);
  });

  it('may have an id that another use case has', async () => {
    await create({ eventId: 'shared' });
    const other = { eventId: 'shared', useCaseId: 'line-4', deviceId: 'd' };
    expect(await create(other)).toEqual({
      eventId: 'shared',
      created: true,
      newUseCases: ['line-4'],
    });
  });

  it.each([
    ['2025-11-21T00:00:00Z', undefined],
    ['2025-11-19T00:00:00Z', 'timestamp: lies more than a year back, which is too long ago'],
    ['1970-01-01T00:00:00', 'timestamp: lies more than a year back, which is too long ago'],
    ['2026-11-22T11:59:59Z', undefined],
    [
      '2026-11-22T12:00:01Z',
      'timestamp: lies more than a day ahead: check the clock that it comes from',
    ],
    ['2026-11-22T13:30:00+02:00', undefined],
    ['2026-11-22T11:59:59', undefined],
  ])('happened at %s', async (timestamp, wrong) => {
    const call = create({ eventId: `at ${timestamp}`, timestamp });
    if (wrong === undefined) expect(await call).toMatchObject({ created: true });
    else expect(await refusal(call)).toEqual([400, wrong]);
  });

  it.each([
    ['an unknown kind', { eventType: 'shift_report' }, /^eventType: /],
    ['no use case', { useCaseId: '' }, /^useCaseId: /],
    ['a key with a dot', { customMetadata: { 'a.b': 1 } }, /^customMetadata\.a\.b: /],
    ['a nested value', { customMetadata: { a: { b: 1 } } }, /^customMetadata\.a: /],
    ['a long value', { customMetadata: { a: 'x'.repeat(1001) } }, /^customMetadata\.a: /],
    [
      '101 pairs',
      { customMetadata: Object.fromEntries([...Array(101).keys()].map((n) => [`k${n}`, n])) },
      /^customMetadata: must have at most 100 pairs$/,
    ],
  ])('is refused for %s', async (_, wrong, words) => {
    const [status, message] = await refusal(create({ eventId: 'wrong', ...wrong }));
    expect([status, message]).toEqual([400, expect.stringMatching(words)]);
  });

  it('refers to images that were uploaded', async () => {
    const [sourceId, inputSourceId] = [await uploadedId(1), await uploadedId(2)];
    const images = [{ sourceId, inputSourceId, label: 'workflow' }];
    expect(await create({ eventId: 'seen', images })).toMatchObject({ created: true });
    const unknown = [
      { sourceId, inputSourceId: 'x' },
      { sourceId: 'y', inputSourceId },
    ];
    const words = 'no image was uploaded under this id: give what the upload answered';
    expect(await refusal(create({ eventId: 'unseen', images: unknown }))).toEqual([
      400,
      `images[0].inputSourceId: ${words}; images[1].sourceId: ${words}`,
    ]);
  });

  it.each([
    [1000, undefined],
    [1001, /^images\[0\]\.classifications: /],
  ])('has %i members in an annotation list', async (length, words) => {
    const classifications = Array.from({ length }, () => ({ class: 'a', confidence: 1 }));
    const images = [{ sourceId: await uploadedId(3), classifications }];
    const call = create({ eventId: `list ${length}`, images });
    if (words === undefined) expect(await call).toMatchObject({ created: true });
    else expect(await refusal(call)).toEqual([400, expect.stringMatching(words)]);
  });
});

describe('a batch', () => {
  const batch = (...events: object[]) =>
    platform.client.call(vision_events_create_batch, {
      events: events.map((event) => ({ ...plain, ...event })),
    });

  it('counts what is new, and names all in their order', async () => {
    const { body } = await batch({ eventId: 'b1' }, { eventId: 'b2' }, { eventId: 'b1' });
    expect(body).toEqual({ created: 2, eventIds: ['b1', 'b2', 'b1'] });
    const again = await batch({ eventId: 'b2' }, { eventId: 'b3' });
    expect(again.body).toEqual({ created: 1, eventIds: ['b2', 'b3'] });
  });

  it('is recorded whole or not at all', async () => {
    const old = { eventId: 'c2', timestamp: '2020-01-01T00:00:00Z' };
    const lost = { eventId: 'c3', images: [{ sourceId: 'z' }] };
    expect(await refusal(batch({ eventId: 'c1' }, old, lost))).toEqual([
      400,
      'events[1].timestamp: lies more than a year back, which is too long ago; ' +
        'events[2].images[0].sourceId: no image was uploaded under this id: ' +
        'give what the upload answered',
    ]);
    await create({ eventId: 'c4' });
    expect(await refusal(batch({ eventId: 'c1' }, { eventId: 'c4', deviceId: 'd' }))).toEqual([
      409,
      'The use case has another event under the eventId of event 2.',
    ]);
    expect(await create({ eventId: 'c1' })).toMatchObject({ created: true });
  });

  it.each([0, 101])('of %i events is refused', async (length) => {
    const events = Array.from({ length }, (_, n) => ({ eventId: `n${n}` }));
    expect(await refusal(batch(...events))).toEqual([400, expect.stringMatching(/^events: /)]);
  });
});

describe('an image', () => {
  const container = (brand: string) => Buffer.from(`\0\0\0\x18ftyp${brand}\0\0\0\0mif1`, 'latin1');

  it.each([
    ['image/jpeg', () => testImage(5, 'jpeg')],
    ['image/png', () => testImage(5, 'png')],
    ['image/webp', () => testImage(5, 'webp')],
    ['image/tiff', () => testImage(5, 'tiff')],
    ['image/avif', () => testImage(5, 'avif')],
    ['image/gif', async () => Buffer.from('GIF89a\x01\0\x01\0\0\0\0;', 'latin1')],
    ['image/bmp', async () => Buffer.from('BM\x1e\0\0\0\0\0\0\0', 'latin1')],
    ['image/heic', async () => container('heic')],
  ])('of the type %s comes back as it was sent', async (type, make) => {
    const content = await make();
    const { sourceId, url = '', success } = await upload(content);
    expect([typeof sourceId, success]).toEqual(['string', true]);
    const answer = await fetch(url);
    expect(answer.headers.get('content-type')).toBe(type);
    expect(Buffer.from(await answer.arrayBuffer())).toEqual(content);
  });

  it('of the same bytes has one id', async () => {
    const content = await testImage(6);
    const first = await upload(content, { name: 'one', metadata: '{"line": 3}' });
    expect((await upload(content)).sourceId).toBe(first.sourceId);
  });

  it.each([
    ['text', Buffer.from('no image'), {}, 415, /^file: is not an image; accepted are JPEG/],
    ['a video', container('isom'), {}, 415, /^file: is a video; /],
    ['nothing', Buffer.alloc(0), {}, 400, /^file: the file is empty/],
    ['too much', Buffer.alloc(20 * 1024 * 1024 + 1, 'BM'), {}, 413, /may have 20971520 bytes/],
    ['no flat metadata', Buffer.from('BM'), { metadata: '{"a": {}}' }, 400, /^metadata/],
  ])('of %s is refused', async (_, content, more, status, words) => {
    expect(await refusal(upload(content, more))).toEqual([status, expect.stringMatching(words)]);
  });
});

it('keeps events and images over a restart and a sweep', async () => {
  const data = await temporaryFolder();
  const first = await startTestPlatform({ data, clock });
  const content = await testImage(9);
  const { body } = await first.client.call(vision_events_upload_image, {
    file: { name: 'a.png', content },
  });
  const images = [{ sourceId: body.sourceId ?? '' }];
  await first.client.call(vision_events_create, { ...plain, images });
  await first.close();

  const blobs = await openBlobFolder(join(data, 'blobs'), clock);
  const stray = await blobs.put(Buffer.from('of nobody'));
  const later = { ...clock, now: () => noon + 2 * 60 * 60 * 1000 };
  const second = await startTestPlatform({ data, clock: later });
  while (await blobs.has(stray.hash)) await delay(20);
  const { body: again } = await second.client.call(vision_events_create, { ...plain, images });
  expect(again).toEqual({ eventId: 'e-1', created: false });
  const uploaded = await second.client.call(vision_events_upload_image, {
    file: { name: 'a.png', content },
  });
  const answer = await fetch(uploaded.body.url ?? '');
  expect(Buffer.from(await answer.arrayBuffer())).toEqual(content);
  await second.close();
});
