// Filters on event_data and on detections: what they find, beside a plain look at all events.
// FUZZ_RUNS=5000 asks more of them.

import { deepStrictEqual } from 'node:assert/strict';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type {
  DetectionCondition,
  EventQuery,
  EventStore,
  MetadataCondition,
  NewEvent,
} from '../../../src/event-store/store/store.ts';
import { settableClock } from '../../fixtures/settable-clock.ts';
import { arbitraryEvent, arbitraryInside, arbitraryQuery } from './arbitraries.ts';
import { allPages, newEvent, sqliteStore } from './new-events.ts';
import { openBoth } from './store-and-model.ts';

const { FUZZ_RUNS } = process.env;
const runs = FUZZ_RUNS === undefined ? 30 : Number(FUZZ_RUNS);

const query = fc
  .tuple(arbitraryQuery, arbitraryInside, fc.boolean())
  .map(([{ limit, order, ...others }, inside, isAlone]): EventQuery => {
    return isAlone ? { ...inside, limit, order } : { ...others, ...inside, limit, order };
  });

test(
  'any filter finds and counts what a look at all events finds, with writes and removals between',
  async () => {
    const { sqlite, model, create, remove } = await openBoth();
    // More than are in no index.
    await create(fc.sample(arbitraryEvent, 1_300));
    const property = fc.asyncProperty(query, arbitraryEvent, async (wanted, event) => {
      await create([event]);
      await remove(2);
      const [answer, expected] = [await seen(sqlite, wanted), await seen(model, wanted)];
      deepStrictEqual(answer, expected);
    });
    await fc.assert(property, { numRuns: runs });
  },
  60_000 + runs * 1_000,
);

async function seen(store: EventStore, wanted: EventQuery) {
  const { events, next } = await store.list(wanted);
  const { scanned: _, ...counts } = await store.countMatching(wanted);
  const all = await allPages(store, wanted);
  const arrivals = [events, all].map((list) => list.map(({ arrival }) => arrival));
  return { arrivals, next, counts };
}

test('of large events fewer are looked at, and the rest is led to', async () => {
  const store = await sqliteStore(settableClock());
  const eventData = { result: 'fail', note: 'a'.repeat(1024 * 1024) };
  for (let n = 0; n < 40; n += 1) await store.create(newEvent({ eventData }));
  const fails = { eventData: [is('result', 'fail')] };
  const first = await store.countMatching(fails);
  expect(first).toMatchObject({ total: 40, filtered: 32, scanned: 32, next: expect.any(Number) });
  const second = await store.countMatching({ ...fails, until: first.next ?? 0 });
  expect(second).toMatchObject({ filtered: 8, scanned: 8, next: undefined });
});

const is = (key: string, value: string | number): MetadataCondition => ({
  key,
  operator: 'eq',
  values: [value],
});

const parts: readonly object[] = [
  { size: 5 },
  { part: { size: 5 } },
  { part: { size: 6 }, 'part.size': 5 },
  { 'part.size': 6, part: { size: 5 } },
  { part: { 'size.mm': 5, size: { mm: 6 } } },
  { part: [{ size: 5 }], list: [5], size: null },
];

test.each([
  ['size', [0]],
  ['part.size', [1, 2]],
  ['part.size.mm', []],
  ['part', []],
  ['part.0.size', []],
  ['list.0', []],
  ['toString', []],
  ['part.__proto__', []],
])('the key %s', async (key, places) => {
  const store = await sqliteStore(settableClock());
  for (const eventData of parts) await store.create(newEvent({ eventData: { ...eventData } }));
  const { events } = await store.list({
    limit: 100,
    order: 'oldest_first',
    eventData: [is(key, 5)],
  });
  const found = events.map(({ eventData }) => parts.findIndex((part) => same(part, eventData)));
  expect(found).toEqual(places);
});

function same(one: object, other: object): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

const lists = { object_detections: [], classifications: [], instance_segmentations: [] };
const noImage = { file_id: null, input_file_id: null, label: null, metadata: null };
const image = { ...noImage, ...lists, keypoints: [] };
const bolt = (confidence: number) => ({ class: 'bolt', confidence });
const nut = (confidence: number) => ({ class: 'nut', confidence });

/** By their names. */
const imagesOf: Readonly<Record<string, NewEvent['images']>> = {
  none: [],
  empty: [image],
  'a sure bolt': [{ ...image, object_detections: [bolt(0.9)] }],
  'an unsure bolt, a sure nut': [
    { ...image, object_detections: [bolt(0.2)], classifications: [nut(0.9)] },
  ],
  'bolts in two images': [
    { ...image, instance_segmentations: [bolt(0.6)] },
    { ...image, keypoints: [bolt(0.7), bolt(0.4)] },
  ],
};

const least = (key: string, value: number): MetadataCondition => ({
  key,
  operator: 'gte',
  values: [value],
});
const counted = (
  terms: readonly MetadataCondition[],
  count: MetadataCondition,
): DetectionCondition => ({ terms, counts: [count] });
const isBolt = is('class', 'bolt');
const someAtAll = least('count', 1);

test.each<[string, readonly DetectionCondition[], readonly string[]]>([
  [
    'a class',
    [counted([isBolt], someAtAll)],
    ['a sure bolt', 'an unsure bolt, a sure nut', 'bolts in two images'],
  ],
  [
    'a class and how sure, of one detection',
    [counted([isBolt, least('confidence', 0.5)], someAtAll)],
    ['a sure bolt', 'bolts in two images'],
  ],
  [
    'how many, over all images and kinds',
    [counted([isBolt], least('count', 2))],
    ['bolts in two images'],
  ],
  [
    'how many that are so sure',
    [counted([isBolt, least('confidence', 0.5)], is('count', 1))],
    ['a sure bolt'],
  ],
  ['none of a class', [counted([isBolt], is('count', 0))], ['none', 'empty']],
  [
    'two classes',
    [counted([isBolt], someAtAll), counted([is('class', 'nut')], someAtAll)],
    ['an unsure bolt, a sure nut'],
  ],
])('%s', async (_, detections, names) => {
  const store = await sqliteStore(settableClock());
  for (const [name, images] of Object.entries(imagesOf)) {
    await store.create(newEvent({ deviceId: name, images }));
  }
  const { events } = await store.list({ limit: 100, order: 'oldest_first', detections });
  expect(events.map(({ deviceId }) => deviceId)).toEqual(names);
});
