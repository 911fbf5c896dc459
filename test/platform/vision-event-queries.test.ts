// Vision events read back over HTTP: pages, filters, cursors; what metadata there is.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { testImage } from '../fixtures/images.ts';
import { startTestPlatform, type TestPlatform, withRowsInFolder } from '../fixtures/platform.ts';
import { makeKey, send } from './api-key-requests.ts';
import { at, eventRequests, Page, yesterday } from './vision-event-requests.ts';

let platform: TestPlatform;

beforeAll(async () => {
  platform = await startTestPlatform();
});

afterAll(() => platform.close());

const { tell, record, query, idsOf, refusal } = eventRequests(() => platform);

describe('pages', () => {
  const useCaseId = 'paged';
  const ids = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];

  beforeAll(async () => {
    // Three of one time each.
    for (const [n, eventId] of ids.entries()) {
      await record({ useCaseId, eventId, timestamp: at(`0${Math.floor(n / 3)}`) });
    }
  });

  it('come the newest first, without useless cursors', async () => {
    expect(await query({ useCaseId })).toMatchObject({ nextCursor: null, hasMore: false });
    expect(await idsOf({ useCaseId })).toEqual(['g', 'f', 'e', 'd', 'c', 'b', 'a']);
    expect(await query({ useCaseId, limit: 7 })).toMatchObject({ hasMore: false });
  });

  it('go on where the page before ended, whatever is recorded meanwhile', async () => {
    const first = await query({ useCaseId, limit: 2 });
    expect(first.hasMore).toBe(true);
    await record({ useCaseId, eventId: 'new', timestamp: at('59') });
    const second = await query({ useCaseId, limit: 2, cursor: first.nextCursor });
    const third = await query({ useCaseId, limit: 100, cursor: second.nextCursor });
    const all = [first, second, third].flatMap(({ events }) => events);
    expect(all.map(({ eventId }) => eventId)).toEqual(['g', 'f', 'e', 'd', 'c', 'b', 'a']);
    expect(third).toMatchObject({ nextCursor: null, hasMore: false });
  });

  it('give back the events as they were sent', async () => {
    const event = {
      eventId: 'whole',
      eventType: 'quality_check',
      useCaseId: 'kept',
      timestamp: at('30'),
      deviceId: 'd',
      eventData: { result: 'pass', of: { parts: [1, 2] } },
      customMetadata: { line: 3 },
    };
    await record(event);
    expect((await query({ useCaseId: 'kept' })).events).toEqual([event]);
  });

  it('are whole without any event, and with very many values', async () => {
    await tell('POST /vision-events/use-cases', { name: 'none' });
    const rest = { nextCursor: null, hasMore: false, lookbackDays: 36_500 };
    const none = await tell('POST /vision-events/query', { useCaseId: 'none' });
    expect(none.body).toEqual({ events: [], ...rest });
    const lists = Array.from({ length: 45_000 }, () => []);
    const dense = { eventType: 'custom', useCaseId: 'dense', timestamp: at('00') };
    const first = { ...dense, eventId: 'd1', eventData: { lists } };
    const second = { ...dense, eventId: 'd2', eventData: { text: '"\\\n é \u2028' } };
    await record(first);
    await record(second);
    const page = await tell('POST /vision-events/query', { useCaseId: 'dense' });
    expect(page.body).toEqual({ events: [second, first], ...rest });
  });

  it('end before they are too large; a larger event goes alone', async () => {
    const text = 'x'.repeat(200_000);
    for (let n = 10; n < 35; n += 1) {
      await record({ useCaseId: 'large', eventId: `l${n}`, eventData: { text } });
    }
    const first = await query({ useCaseId: 'large', limit: 1000 });
    expect(first).toMatchObject({ events: { length: 20 }, hasMore: true });
    const rest = await idsOf({ useCaseId: 'large', cursor: first.nextCursor });
    expect(rest).toEqual(['l14', 'l13', 'l12', 'l11', 'l10']);
  });
});

describe('filters', () => {
  const useCaseId = 'filtered';

  beforeAll(async () => {
    const body = new FormData();
    body.set('file', new Blob([Uint8Array.from(await testImage(4))]), 'frame.png');
    const uploaded = await fetch(`${platform.url}/vision-events/upload`, {
      method: 'POST',
      headers: { authorization: `Bearer ${platform.key}` },
      body,
    });
    const { sourceId } = z.object({ sourceId: z.string() }).parse(await uploaded.json());
    const car = { class: 'car', x: 5, y: 5, width: 4, height: 4, confidence: 0.6 };
    const bus = { class: 'bus', confidence: 0.9 };
    const events = [
      { eventType: 'quality_check', deviceId: 'd1', eventData: { result: 'pass' } },
      { eventType: 'quality_check', deviceId: 'd2', eventData: { result: 'fail', score: 7 } },
      { streamId: 's1', workflowId: 'w1', eventData: { externalId: 'batch-1' } },
      { streamId: 's2', eventData: { value: '7', externalId: 'batch-2' } },
      { images: [{ sourceId, objectDetections: [car] }] },
      { images: [{ sourceId }, { sourceId, classifications: [bus] }] },
      { customMetadata: { line: 3, hot: true, shift: 'night' } },
      { customMetadata: { line: '3', hot: false } },
      { customMetadata: { line: 10 } },
    ];
    for (const [n, event] of events.entries()) {
      await record({ useCaseId, eventId: `${n}`, timestamp: at(`1${n}`), ...event });
    }
  });

  const metadata = (operator: string, value: unknown, type?: string, field = 'line') => ({
    customMetadataFilters: [{ field, operator, value, ...(type && { type }) }],
  });
  const data = (column: string, operator: string, value: unknown) => ({
    eventFieldFilters: [{ column, operator, value }],
  });

  it.each([
    [{ eventType: 'quality_check' }, '10'],
    [{ eventTypes: ['quality_check', 'safety_alert'] }, '10'],
    [{ eventType: 'quality_check', eventTypes: ['quality_check', 'custom'] }, '10'],
    [{ eventTypes: ['safety_alert'] }, ''],
    [{ startTime: at('17') }, '87'],
    [{ endTime: at('11') }, '10'],
    [{ startTime: at('12'), endTime: at('13') }, '32'],
    [{ startTime: `${yesterday}10:17:00+00:00`, endTime: `${yesterday}10:17:00` }, '7'],
    [{ deviceId: 'd1' }, '0'],
    [{ deviceId: { operator: 'eq', value: 'd2' } }, '1'],
    [{ deviceId: { operator: 'neq', value: 'd2' } }, '0'],
    [{ deviceId: { operator: 'ne', value: 'd2' } }, '0'],
    [{ streamId: 's2' }, '3'],
    [{ workflowId: { operator: 'eq', value: 'w1' } }, '2'],
    [{ externalId: 'batch-2' }, '3'],
    [{ externalId: { operator: 'neq', value: 'batch-2' } }, '2'],
    [data('result', 'eq', 'fail'), '1'],
    [data('score', 'gte', 7), '1'],
    [data('score', 'gt', 7), ''],
    [data('value', 'eq', 7), '3'],
    [metadata('eq', 3), '76'],
    [metadata('eq', '3'), '76'],
    [metadata('eq', 3, 'number'), '6'],
    [metadata('eq', '3', 'number'), '6'],
    [metadata('eq', 3, 'string'), '7'],
    [metadata('neq', 3, 'number'), '87'],
    [metadata('gt', 3), '8'],
    [metadata('gte', 3, 'number'), '86'],
    [metadata('lt', 10, 'number'), '6'],
    [metadata('eq', true, undefined, 'hot'), '6'],
    [metadata('eq', 'false', 'boolean', 'hot'), '7'],
    [metadata('eq', 'night', 'string', 'shift'), '6'],
    [{ detection: { operator: 'eq', value: 'car' } }, '4'],
    [{ detection: { operator: 'eq', value: 'car', confidence: 0.6 } }, '4'],
    [{ detection: { operator: 'eq', value: 'car', confidence: 0.7 } }, ''],
    [{ detection: { operator: 'eq', value: 'bus' } }, '5'],
    [
      { detection: { operator: 'neq', value: 'bus' }, imageCount: { operator: 'gt', value: 0 } },
      '4',
    ],
    [{ imageCount: 2 }, '5'],
    [{ imageCount: { operator: 'gte', value: 1 } }, '54'],
    [{ eventType: 'quality_check', ...data('result', 'eq', 'pass'), deviceId: 'd2' }, ''],
  ])('%j finds %s', async (filter, found) => {
    expect((await idsOf({ useCaseId, ...filter })).join('')).toBe(found);
  });

  it('find values however they are written', async () => {
    const deviceId = 'cam "7"\\ \u00e9\u{1f4f7}';
    const event = {
      deviceId,
      customMetadata: { n: 1000, share: 0.5 },
      eventData: { 'a "b"': 'c' },
    };
    await record({ useCaseId: 'written', eventId: 'w', ...event });
    for (const filter of [
      { deviceId },
      { deviceId: { operator: 'eq', value: deviceId } },
      metadata('eq', '1e3', 'number', 'n'),
      metadata('eq', '+1000.0', undefined, 'n'),
      metadata('eq', '.50', undefined, 'share'),
      data('a "b"', 'eq', 'c'),
    ]) {
      expect(await idsOf({ useCaseId: 'written', ...filter })).toEqual(['w']);
    }
  });

  it('hold for all pages', async () => {
    const filter = { useCaseId, ...metadata('gte', 0, 'number'), limit: 1 };
    const first = await query(filter);
    expect(first).toMatchObject({ events: [{ eventId: '8' }], hasMore: true });
    const second = await query({ ...filter, cursor: first.nextCursor });
    expect(second).toMatchObject({ events: [{ eventId: '6' }], hasMore: false, nextCursor: null });
  });

  it.each([
    [{ useCaseId: undefined }, /^useCaseId: is required/],
    [{ useCaseId: 'filterd' }, /^There is no use case "filterd"\.$/],
    [{ eventType: 'party' }, /^eventType: /],
    [{ eventTypes: [] }, /^eventTypes: /],
    [{ eventTypes: Array(21).fill('custom') }, /^eventTypes: /],
    [{ eventType: 'custom', eventTypes: ['safety_alert'] }, /^eventType: is none of eventTypes/],
    [{ startTime: 'today' }, /^startTime: /],
    [{ startTime: at('12'), endTime: at('11') }, /^startTime: lies after endTime$/],
    [{ limit: 0 }, /^limit: /],
    [{ limit: 1001 }, /^limit: /],
    [{ hasWarnings: true }, /^hasWarnings: is not known; /],
    [{ feedbackStatus: 'correct' }, /^feedbackStatus: is not known; /],
    [{ device: 'd1' }, /^device: is not known; did you mean "deviceId"\?/],
    [{ deviceId: { operator: 'gt', value: 'd1' } }, /^deviceId\.operator: /],
    [{ detection: { operator: 'eq', value: 'car', confidence: 60 } }, /^detection\.confidence: /],
    [metadata('above', 3), /^customMetadataFilters\[0\]\.operator: /],
    [metadata('eq', 'three', 'number'), /^customMetadataFilters\[0\]\.value: is no number$/],
    [metadata('gt', true, 'boolean'), /^customMetadataFilters\[0\]\.value: has no order: use eq/],
    [metadata('gt', true), /^customMetadataFilters\[0\]\.value: has no order: use eq or neq$/],
    [metadata('lte', false), /^customMetadataFilters\[0\]\.value: has no order: use eq or neq$/],
    [data('hot', 'gte', true), /^eventFieldFilters\[0\]\.value: has no order: use eq or neq$/],
    [
      { customMetadataFilters: Array(33).fill({ field: 'a', operator: 'eq', value: 1 }) },
      /^custom/,
    ],
    [data('score', 'eq', { a: 1 }), /^eventFieldFilters\[0\]\.value: /],
  ])('%j is refused', async (wrong, words) => {
    const [status, message] = await refusal('POST /vision-events/query', { useCaseId, ...wrong });
    expect(message).toMatch(words);
    expect(status).toBe('useCaseId' in wrong && wrong.useCaseId ? 404 : 400);
  });
});

describe('a cursor', () => {
  const useCaseId = 'cursors';
  const words = 'cursor: does not belong to this query';
  let cursor = '';

  beforeAll(async () => {
    for (const n of [1, 2, 3])
      await record({ useCaseId, eventId: `c${n}`, timestamp: at(`4${n}`) });
    await record({ useCaseId: 'other', eventId: 'o' });
    cursor = String((await query({ useCaseId, eventType: 'custom', limit: 1 })).nextCursor);
  });

  it('goes on with a page of another size, and members in another order', async () => {
    expect(await idsOf({ limit: 9, cursor, eventType: 'custom', useCaseId })).toEqual(['c2', 'c1']);
  });

  it.each([
    ['another use case', { useCaseId: 'other', eventType: 'custom' }],
    ['other filters', { useCaseId }],
  ])('of %s is refused', async (_, other) => {
    expect(await refusal('POST /vision-events/query', { ...other, cursor })).toEqual([400, words]);
  });

  it.each([
    ['made up', () => 'abc'],
    ['changed', () => `X${cursor.slice(1)}`],
    ['without its end', () => cursor.slice(0, -2)],
    ['longer by a dot', () => `${cursor}.`],
    ['longer by a part', () => `${cursor}.x`],
    ['longer by a space', () => `${cursor} `],
    ['longer by padding', () => `${cursor}=`],
  ])('that is %s is refused', async (_, wrong) => {
    const body = { useCaseId, eventType: 'custom', cursor: wrong() };
    expect(await refusal('POST /vision-events/query', body)).toEqual([400, words]);
  });

  it('of another workspace is refused', async () => {
    const { key } = await platform.otherWorkspace('globex');
    await record({ useCaseId, eventId: 'theirs' }, key);
    const body = { useCaseId, eventType: 'custom', cursor };
    expect(await refusal('POST /vision-events/query', body, key)).toEqual([400, words]);
  });
});

it('tells the custom metadata that events have, and its types', async () => {
  const useCaseId = 'described';
  const metadata = [{ line: 1, shift: 'night' }, { line: 'two' }, { hot: true, line: 3 }, {}];
  for (const [n, customMetadata] of metadata.entries()) {
    await record({ useCaseId, eventId: `m${n}`, customMetadata });
  }
  const { body } = await tell(`GET /vision-events/custom-metadata-schema/${useCaseId}`);
  expect(body).toEqual({
    useCaseId,
    fields: {
      hot: { types: ['boolean'] },
      line: { types: ['number', 'string'] },
      shift: { types: ['string'] },
    },
    eventsRead: 4,
    truncated: false,
  });
});

it('is for keys of the whole workspace, and by scope', async () => {
  await record({ useCaseId: 'line-3', eventId: 'for all' });
  const reader = await makeKey(platform, { name: 'reader', scopes: ['vision-events:read'] });
  const body = { useCaseId: 'line-3' };
  expect((await tell('POST /vision-events/query', body, reader.key)).status).toBe(200);
  const [status] = await refusal('POST /vision-events/use-cases', { name: 'x' }, reader.key);
  expect(status).toBe(403);
  const folder = await tell('POST /acme/groups', { name: 'one', projects: [] });
  const folderIds = [String(Object(folder.body).id)];
  const restricted = await makeKey(platform, { name: 'folder', folderIds });
  expect(await refusal('POST /vision-events/query', body, restricted.key)).toEqual([
    403,
    'Reading events needs a key for the whole workspace.',
  ]);
});

describe('of very many events', () => {
  const most = 250_000;
  let folder: string;
  let large: TestPlatform;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'fovea-many-events-'));
    await (await startTestPlatform({ data: folder, ...withRowsInFolder })).close();
    fill(folder);
    large = await startTestPlatform({ data: folder, ...withRowsInFolder });
  }, 60_000);

  afterAll(async () => {
    await large.close();
    await rm(folder, { recursive: true, force: true });
  });

  /** As many events as that; one of them has metadata, and ten thousand before it. */
  function fill(data: string): void {
    const database = new DatabaseSync(join(data, 'platform.db'));
    database.exec(`
      INSERT INTO use_cases SELECT id, 'many', 'many', NULL, ${most} FROM workspaces;
      WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < ${most})
      INSERT INTO vision_events (workspace_id, use_case_id, event_id, event_type, occurred,
        content, created)
      SELECT (SELECT id FROM workspaces), 'many', 'e' || i, 'custom', i, json_object(
        'customMetadata', json_object('rare', i IN (10, 11, 200000), 'n', i),
        'eventId', 'e' || i, 'eventType', 'custom', 'timestamp', '2026-11-21T00:00:00Z'), 0
      FROM n;`);
    database.close();
  }

  it('a page ends after a hundred thousand, once it has found something', async () => {
    const filter = {
      useCaseId: 'many',
      customMetadataFilters: [{ field: 'rare', operator: 'eq', value: 1 }],
    };
    const ask = async (more: object) => {
      const { body } = await send(large, large.key, 'POST /vision-events/query', {
        ...filter,
        ...more,
      });
      return Page.parse(body);
    };
    const first = await ask({});
    expect(first).toMatchObject({ events: [{ eventId: 'e200000' }], hasMore: true });
    const second = await ask({ cursor: first.nextCursor });
    expect(second).toMatchObject({
      events: [{ eventId: 'e11' }, { eventId: 'e10' }],
      hasMore: false,
    });
  });

  it('the newest tell what metadata there is', async () => {
    const line = 'GET /vision-events/custom-metadata-schema/many';
    expect((await send(large, large.key, line)).body).toMatchObject({
      fields: { n: { types: ['number'] }, rare: { types: ['number'] } },
      eventsRead: 10_000,
      truncated: true,
    });
  });
});
