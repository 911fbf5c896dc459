// Events that would cost more than one may, from somebody without a key: a clear no.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openTestEventStore, plainEvent, type TestEventStore } from '../fixtures/event-store.ts';

let store: TestEventStore;

beforeAll(async () => {
  store = await openTestEventStore();
});

afterAll(() => store.close());

const zeros = (count: number) => Array.from({ length: count }, () => 0);
const members = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`m${n}`, 0]));

describe('413', () => {
  test.each([
    ['a list', { images: zeros(100_000) }, 'The body has more than 100000 values.'],
    ['members', members(2_001), 'The body has an object with more than 2000 members.'],
    [
      'members of its data',
      { event_data: members(2_001) },
      'The body has an object with more than 2000 members.',
    ],
    [
      'texts',
      { event_data: { notes: Array.from({ length: 300 }, () => 'x'.repeat(16_000)) } },
      'The body has more than 4194304 bytes beside its long texts.',
    ],
  ])('%s', async (_what, more, detail) => {
    const answer = await store.post('/v2/events', { ...plainEvent, ...more });
    expect(answer).toMatchObject({ status: 413, body: { detail } });
  });
});

describe('422 or 400, with the first problems', () => {
  test.each([
    [{ images: zeros(90_000) }, 'must have at most 1000 items, has 90000'],
    [{ images: zeros(1_000) }, 'expected an object, got 0'],
    [{ images: `[${zeros(100_000).join()}]` }, 'is JSON text that has more than 100000 values'],
    [
      { images: [{ instanceSegmentations: [{ points: zeros(90_000) }] }] },
      'expected an array, got 0',
    ],
  ])('%#', async (more, words) => {
    const answer = await store.post('/v2/events', { ...plainEvent, ...more });
    expect(answer.status).toBe(422);
    const { detail } = Object(answer.body);
    expect(detail.length).toBeLessThanOrEqual(51);
    expect(JSON.stringify(detail[0])).toContain(words);
  });

  test('an event that is nested too deeply', async () => {
    const deep: unknown = JSON.parse(`${'['.repeat(31)}${']'.repeat(31)}`);
    const answer = await store.post('/v2/events', { ...plainEvent, event_data: { deep } });
    expect(JSON.stringify(answer.body)).toContain('nested deeper than 32 levels');
  });
});
