// Many requests at once, which the thread that writes checks: all as if each had come alone.

import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { migrations } from '../../src/event-store/store/schema.ts';
import { openDatabase } from '../../src/storage/database.ts';
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

const bodies: readonly object[] = [
  plainEvent,
  { ...plainEvent, draft: true },
  { ...plainEvent, eventSchema: 'custom', event_schema: undefined, deviceId: 'snake and camel' },
  { ...plainEvent, device_id: 'ü-1', custom_metadata: { line: 3, deep: { a: [1] }, none: null } },
  { ...plainEvent, images: [{ base64Image: tinyPng.toString('base64') }] },
  {
    ...plainEvent,
    workflow_id: 'w',
    inference_timestamp: '2026-11-20 10:00:00.5+0100',
    images: [
      {
        label: 'a',
        objectDetections: [{ class: 'x', x: 1, y: 2, width: 3, height: 4, confidence: 0.5 }],
        keypoints: [
          {
            class: 'x',
            x: 1,
            y: 2,
            width: 3,
            height: 4,
            confidence: 0.5,
            keypoints: [{ id: 1, class: 'k', x: 1, y: 1, confidence: 0.2 }],
          },
        ],
      },
    ],
  },
  { ...plainEvent, event_data: { value: 5 } },
  { ...plainEvent, event_data: JSON.stringify(plainEvent.event_data) },
  { ...plainEvent, images: JSON.stringify([{ label: 'as text' }]) },
  { ...plainEvent, device_id: 'half \ud83d', custom_metadata: { 'half \ude00': '\ud83d' } },
  { ...plainEvent, extra: true },
  { ...plainEvent, event_schema: 'nothing' },
  { ...plainEvent, displayImagePosition: 2 },
];

interface Seen {
  readonly status: number;
  readonly body: unknown;
}

/** What an event is, but for when it came. */
async function seen({ status, body }: Seen): Promise<Seen> {
  const answer = Object(body);
  if (status !== 201) return { status, body };
  const stored = Object((await store.get(`/v2/events/${answer.id}`)).body);
  const words = { ...answer, ...stored, draft: answer.draft };
  const images = JSON.stringify(stored.images).replaceAll(/"file_id":"[^"]*"/g, '"file_id":"f"');
  return {
    status,
    body: {
      ...words,
      id: 'id',
      created_at: 'then',
      images,
      image_ids: answer.image_ids.length,
      finalized_at: typeof stored.finalized_at,
      kept_until: typeof stored.kept_until,
    },
  };
}

/** Rows that hold the request as it came. */
function rowsAsTheyCame(): number {
  const database = openDatabase(join(store.data, 'events.db'), migrations);
  try {
    const sql = `SELECT count(*) AS rows FROM events WHERE body LIKE '%"event_schema":%'`;
    return database.get(sql, [], (row) => row.integer('rows')) ?? 0;
  } finally {
    database.close();
  }
}

test('many at once, right and wrong, are answered and stored as alone', async () => {
  const alone: Seen[] = [];
  for (const body of bodies) alone.push(await seen(await store.post('/v2/events', body)));
  // Hardly any: only one that met a cleanup.
  const before = rowsAsTheyCame();
  expect(before).toBeLessThan(3);
  for (let round = 0; round < 60 && rowsAsTheyCame() < before + 40; round += 1) {
    const order = Array.from({ length: 80 }, (_, number) => number % bodies.length);
    const answers = await Promise.all(
      order.map((place) => store.post('/v2/events', bodies[place])),
    );
    const found = await Promise.all(answers.map(seen));
    expect(found).toEqual(order.map((place) => alone[place]));
    await sleep(50);
  }
  expect(rowsAsTheyCame()).toBeGreaterThanOrEqual(before + 40);
}, 60_000);

test('a draft of many at once takes files, and is finalized', async () => {
  const draft = { ...plainEvent, draft: true };
  const answers = await Promise.all(
    Array.from({ length: 40 }, () => store.post('/v2/events', draft)),
  );
  for (const answer of answers.slice(-3)) {
    expect(answer.body).toMatchObject({ draft: true });
    const id = answer.text('id');
    const attached = await store.upload(`/v2/events/${id}/local-only-files`, [['file', tinyPng]]);
    expect(attached.status).toBeLessThan(300);
    const done = await store.post(`/v2/events/${id}/finalize`);
    expect(done.body).toMatchObject({ draft: false, already_finalized: false });
  }
});
